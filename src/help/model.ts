/** One completion of an OpenAI-compatible model. */
import { Redacted } from "effect"
import { readBounded } from "../egress/read-bounded.ts"

export interface Model {
  /** Base address such as `https://models.example/v1`. */
  readonly url: string
  readonly name: string
  readonly key: Redacted.Redacted<string> | null
}

interface Completion {
  readonly instructions: string
  readonly messages: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly content: string }>
  readonly maxTokens: number
  /** Maximum length; a longer answer is cut. */
  readonly maxCharacters: number
  readonly withinMs: number
}

const MAX_ANSWER_BYTES = 65_536

const tooLong = (): Error => new Error("the model's answer is too long")

/** Rejects when the model does not answer with text in time. */
export const complete = async (model: Model, asked: Completion): Promise<string> => {
  const headers: { [name: string]: string } = { "content-type": "application/json" }
  if (model.key !== null) headers["authorization"] = `Bearer ${Redacted.value(model.key)}`
  const response = await fetch(`${model.url}/chat/completions`, {
    method: "POST",
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(asked.withinMs),
    body: JSON.stringify({
      model: model.name,
      max_tokens: asked.maxTokens,
      temperature: 0.2,
      messages: [{ role: "system", content: asked.instructions }, ...asked.messages],
    }),
  })
  if (!response.ok || response.body === null) throw new Error(`the model answered ${response.status}`)
  const answer = JSON.parse(await readBounded(response.body, MAX_ANSWER_BYTES, tooLong)) as {
    readonly choices?: ReadonlyArray<{ readonly message?: { readonly content?: unknown } }>
  }
  const text = answer.choices?.[0]?.message?.content
  if (typeof text !== "string" || text.trim() === "") throw new Error("the model answered nothing")
  return text.trim().slice(0, asked.maxCharacters)
}
