/** The page's texts for a failure of REST, of a command, or of the connection. */
import { CommandRefused, CommandUnanswered, ConnectionClosed, RestProblem } from "@gathercue/client"
import { OtherFaults } from "../api/field-faults.ts"
import type { Texts } from "./en.ts"

const waitOf = (texts: Texts, code: string, milliseconds: number | null | undefined): string | undefined =>
  code === "rate_limited" && milliseconds !== null && milliseconds !== undefined
    ? texts.rateLimited(Math.max(1, Math.ceil(milliseconds / 1000)))
    : undefined

/** Sentence for any failure; null for null. */
export const whyFailed = (texts: Texts, failure: unknown): string | null => {
  if (failure === null || failure === undefined) return null
  if (failure instanceof RestProblem) {
    const { code, retryAfterSeconds, message } = failure
    const wait = waitOf(texts, code, retryAfterSeconds === null ? null : retryAfterSeconds * 1000)
    return wait ?? texts.refusals[code] ?? message
  }
  if (failure instanceof OtherFaults) return failure.message
  if (failure instanceof CommandUnanswered) return texts.unanswered
  if (failure instanceof CommandRefused) {
    const { code, message, retryAfterMs } = failure.refusal
    return waitOf(texts, code, retryAfterMs) ?? texts.refusals[code] ?? message
  }
  if (failure instanceof ConnectionClosed) return texts.ends[failure.code] ?? texts.unreachable
  // `fetch` rejects with a TypeError when the server is unreachable.
  return failure instanceof TypeError ? texts.unreachable : texts.unknownFault
}

/** Formats as 2:05. */
export const clockOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.max(0, seconds) % 60).padStart(2, "0")}`

type Faults = Texts["faults"]

/** The server's reasons for which the pages have texts. */
const REASONS: ReadonlyArray<readonly [reason: RegExp, words: (faults: Faults, a: number, b: number) => string]> = [
  [/^Missing key$/, (faults) => faults.missing],
  [/^Expected a value with a length between (\d+) and (\d+)$/, (faults, a, b) => faults.lengthBetween(a, b)],
  [/^Expected a value with a length of at least (\d+)$/, (faults, a) => faults.lengthAtLeast(a)],
  [/^Expected a value with a length of at most (\d+)$/, (faults, a) => faults.lengthAtMost(a)],
  [/^Expected a string with between (\d+) and (\d+) code points$/, (faults, a, b) => faults.characters(a, b)],
  [/^must have at least (\d+) characters, of which an accent is none$/, (faults, a) => faults.characters(a, 256)],
  [/^Expected a value between (\d+) and (\d+)$/, (faults, a, b) => faults.between(a, b)],
  [/^must not be blank$/, (faults) => faults.blank],
  [/^must be one visible line$/, (faults) => faults.oneLine],
  [/^must be an e-mail address$/, (faults) => faults.email],
  [/^must be at most 16 KiB/, (faults) => faults.tooLarge],
  [/^must be a time zone of the IANA database$/, (faults) => faults.timeZone],
  [/^must be an https address without a user$/, (faults) => faults.coverUrl],
  [/^must be a colour such as #4a3fd1$/, (faults) => faults.color],
  [/^must lie in the future$/, (faults) => faults.past],
  [/^is wrong or too old$/, (faults) => faults.wrongCode],
  [/^must not be a common password/, (faults) => faults.guessable],
  [/^is reserved$/, (faults) => faults.reserved],
  [/^must be 3 to 48 lower-case letters/, (faults) => faults.slug],
  [/^The URL must lead to a public address$/, (faults) => faults.notPublic],
  [/^The URL must start with https/, (faults) => faults.notHttps],
  [/^must (?:be after startMs|not lie before scheduledAt)$/, (faults) => faults.endsBefore],
]

const wordsOf = (faults: Faults, reason: string): string | undefined => {
  for (const [pattern, words] of REASONS) {
    const [found, a, b] = pattern.exec(reason) ?? []
    if (found !== undefined) return words(faults, Number(a), Number(b))
  }
  return undefined
}

/** Text of the page, or of the server, for a faulty value. A value may have several faults. */
export const wordsOfFault = ({ faults }: Texts, reason: string): string => {
  const words = wordsOf(faults, reason)
  if (words !== undefined) return words
  const each = reason.split("; ").map((one) => wordsOf(faults, one))
  return each.includes(undefined) ? reason : each.join(" ")
}
