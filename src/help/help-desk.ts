/**
 * The help chat answers from the product's own guide, searched with an embedded index (MiniSearch). With a model configured, the model
 * answers from the passages; when the model fails, the passages themselves are the answer. Questions are neither stored nor logged. The
 * model gets the passages and nothing else, so a question cannot make it reveal other data.
 */
import { Context, Effect, Layer } from "effect"
import MiniSearch from "minisearch"
import { complete, type Model } from "./model.ts"
import { type Audience, type Passage, readGuide } from "./passages.ts"
import { summariseBy } from "./summarise.ts"

interface HelpQuestion {
  readonly messages: ReadonlyArray<{ readonly role: "user" | "model"; readonly text: string }>
  readonly audience?: Audience
  readonly surface?: "room" | "dashboard"
  readonly eventType?: string
  readonly stage?: "prelive" | "open" | "live" | "ended"
}

const PASSAGES = 3
/** Fraction of the best passage's score below which passages are irrelevant to the question. */
const CLOSE_ENOUGH = 0.5
const TIMEOUT_MS = 8000
/** Maximum length of an answer: the next question may repeat it as the model's turn. */
const MAX_REPLY = 2200

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

const askModel = (model: Model, passages: ReadonlyArray<Passage>, question: HelpQuestion): Promise<string> =>
  complete(model, {
    instructions: instructionsFor(passages, question),
    messages: question.messages.map(({ role, text }) => ({ role: ROLE_OF[role], content: text })),
    maxTokens: 500,
    maxCharacters: MAX_REPLY,
    withinMs: TIMEOUT_MS,
  })

export class HelpDesk extends Context.Service<
  HelpDesk,
  {
    /** Always answers; never fails and never takes much longer than the model's time limit. */
    readonly answer: (question: HelpQuestion) => Effect.Effect<string>
    /** Null without a model, or when it did not answer in time. */
    readonly summary: (transcript: string) => Effect.Effect<string | null>
  }
>()("gathercue/HelpDesk") {
  static readonly layer = (model: Model | null): Layer.Layer<HelpDesk> =>
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
        summary: (transcript) =>
          model === null
            ? Effect.succeed(null)
            : Effect.tryPromise(() => summariseBy(model, TIMEOUT_MS)(transcript)).pipe(
                Effect.orElseSucceed(() => null),
              ),
      }
    })
}
