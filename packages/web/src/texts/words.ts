/** The page's words for a failure of REST, of a command, or of the connection. */
import { CommandRefused, CommandUnanswered, ConnectionClosed, RestProblem } from "@gathercue/client"
import type { Texts } from "./en.ts"

const waitOf = (texts: Texts, code: string, milliseconds: number | null | undefined): string | undefined =>
  code === "rate_limited" && milliseconds !== null && milliseconds !== undefined
    ? texts.rateLimited(Math.max(1, Math.ceil(milliseconds / 1000)))
    : undefined

/** A sentence for any failure; null for null. */
export const whyFailed = (texts: Texts, failure: unknown): string | null => {
  if (failure === null || failure === undefined) return null
  if (failure instanceof RestProblem) {
    const { code, retryAfterSeconds, message } = failure
    const wait = waitOf(texts, code, retryAfterSeconds === null ? null : retryAfterSeconds * 1000)
    return wait ?? texts.refusals[code] ?? message
  }
  if (failure instanceof CommandUnanswered) return texts.unanswered
  if (failure instanceof CommandRefused) {
    const { code, message, retryAfterMs } = failure.refusal
    return waitOf(texts, code, retryAfterMs) ?? texts.refusals[code] ?? message
  }
  if (failure instanceof ConnectionClosed) return texts.ends[failure.code] ?? texts.unreachable
  // `fetch` rejects with a TypeError where it reaches nobody.
  return failure instanceof TypeError ? texts.unreachable : texts.unknownFault
}

/** Such as 2:05. */
export const clockOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.max(0, seconds) % 60).padStart(2, "0")}`
