/**
 * The help chat: answers come from the product's own guide, found by an embedded index (MiniSearch). With a model configured,
 * the model answers from the passages; when the model fails, the passages themselves are the answer.
 * Questions are neither stored nor logged. The model gets the passages and nothing else, so a question cannot make it reveal
 * other data.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import MiniSearch from "minisearch"
import { fetch } from "undici"
import { type Audience, type Passage, readGuide } from "./passages.ts"

export interface HelpQuestion {
  readonly messages: ReadonlyArray<{ readonly role: "user" | "model"; readonly text: string }>
  readonly audience?: Audience
  readonly surface?: "room" | "dashboard"
  readonly eventType?: string
  readonly stage?: "prelive" | "open" | "live" | "ended"
}

/** An OpenAI-compatible chat completion endpoint. */
export interface HelpModel {
  /** Such as `https://models.example/v1`. */
  readonly url: string
  readonly name: string
  readonly key: Redacted.Redacted<string> | null
}

const PASSAGES = 3
/** Part of the best passage's score; passages below it do not concern the question. */
const CLOSE_ENOUGH = 0.5
const TIMEOUT_MS = 8000
/** Characters of an answer at most: the next question may repeat it as the model's turn (specification §8). */
const MAX_REPLY = 2200
const MAX_ANSWER_BYTES = 65_536

const NOT_FOUND =
  "I did not find an answer to that in the documentation. Try other words, or ask the people who organise the event."

const ROLE_OF = { user: "user", model: "assistant" } as const

const instructionsFor = (passages: ReadonlyArray<Passage>, question: HelpQuestion): string =>
  [
    "You answer questions about a product for live events, briefly and in plain words, in the language of the question.",
    "Answer only from the passages below. If they do not answer the question, say that you do not know.",
    `You speak to a ${question.audience ?? "person"}.`,
    ...passages.map(({ title, text }) => `# ${title}\n${text}`),
  ].join("\n\n")

const plainAnswer = ([best, ...others]: ReadonlyArray<Passage>): string => {
  if (best === undefined) return NOT_FOUND
  const also = others.length === 0 ? "" : `\n\nSee also: ${others.map(({ title }) => title).join("; ")}.`
  return `${best.text}${also}`.slice(0, MAX_REPLY)
}

/** Reads at most this many bytes of an answer: a model that does not stop is cut off. */
const readBounded = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > MAX_ANSWER_BYTES) throw new Error("the model's answer is too long")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const askModel = async (
  model: HelpModel,
  passages: ReadonlyArray<Passage>,
  question: HelpQuestion,
): Promise<string> => {
  const headers: { [name: string]: string } = { "content-type": "application/json" }
  if (model.key !== null) headers["authorization"] = `Bearer ${Redacted.value(model.key)}`
  const history = question.messages.map(({ role, text }) => ({ role: ROLE_OF[role], content: text }))
  const response = await fetch(`${model.url}/chat/completions`, {
    method: "POST",
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    body: JSON.stringify({
      model: model.name,
      max_tokens: 500,
      temperature: 0.2,
      messages: [{ role: "system", content: instructionsFor(passages, question) }, ...history],
    }),
  })
  if (!response.ok || response.body === null) throw new Error(`the model answered ${response.status}`)
  const answer = JSON.parse(await readBounded(response.body)) as {
    readonly choices?: ReadonlyArray<{ readonly message?: { readonly content?: unknown } }>
  }
  const text = answer.choices?.[0]?.message?.content
  if (typeof text !== "string" || text.trim() === "") throw new Error("the model answered nothing")
  return text.trim().slice(0, MAX_REPLY)
}

export class HelpDesk extends Context.Service<
  HelpDesk,
  {
    /** Always answers; never fails and never takes much longer than the model's time limit. */
    readonly answer: (question: HelpQuestion) => Effect.Effect<string>
  }
>()("gathercue/HelpDesk") {
  static readonly layer = (model: HelpModel | null): Layer.Layer<HelpDesk> =>
    Layer.sync(HelpDesk, () => {
      const passages = readGuide()
      const index = new MiniSearch<Passage>({
        fields: ["title", "text"],
        searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 3, fuzzy: 0.2 },
      })
      index.addAll(passages)

      const search = ({ messages, audience, stage, surface, eventType }: HelpQuestion): ReadonlyArray<Passage> => {
        const asked = messages.findLast(({ role }) => role === "user")?.text ?? ""
        const found = index.search(`${asked} ${eventType ?? ""}`, {
          filter: ({ id }) => audience === undefined || (passages[id]?.tags.includes(audience) ?? false),
          boostDocument: (id: number) => {
            const tags = passages[id]?.tags ?? []
            const fits = [stage, surface].filter((tag) => tag !== undefined && tags.includes(tag)).length
            return 1 + 0.2 * fits
          },
        })
        const enough = (found[0]?.score ?? 0) * CLOSE_ENOUGH
        return found
          .filter(({ score }) => score >= enough)
          .slice(0, PASSAGES)
          .flatMap(({ id }) => passages[id] ?? [])
      }

      return {
        answer: (question) =>
          Effect.suspend(() => {
            const close = search(question)
            if (model === null || close.length === 0) return Effect.succeed(plainAnswer(close))
            return Effect.tryPromise(() => askModel(model, close, question)).pipe(
              Effect.orElseSucceed(() => plainAnswer(close)),
            )
          }),
      }
    })
}
