/**
 * A transcript from the bytes of a request. Large ones are read in the process for media, whose answer must cost the server's event loop
 * little: it is the text of rows, in slices, which go to the database as they are.
 */
import { Result, Schema } from "effect"
import { isStorable, parseJson, UnreadableJson } from "../../model/json.ts"
import { TranscriptInput } from "../../model/media/transcript-input.ts"
import { faultsOf, faultText } from "../../model/schema-faults.ts"
import { readSrt } from "./read-srt.ts"
import { readVtt } from "./read-vtt.ts"
import { inOrder, type Segment, segmentOf, UnreadableCaptions } from "./segments.ts"

export type TranscriptForm = "json" | "vtt" | "srt"

/** `slices`: JSON of at most a thousand segments each. */
export type ReadTranscript =
  | { readonly outcome: "read"; readonly slices: ReadonlyArray<string>; readonly count: number }
  | { readonly outcome: "unreadable"; readonly detail: string }

const IN_A_SLICE = 1000

const utf8 = new TextDecoder("utf-8", { fatal: true })
const decode = Schema.decodeUnknownResult(TranscriptInput, { errors: "all" })

/** Why the bytes are no transcript. */
class Refused extends Error {
  override readonly name = "Refused"
}

const textOf = (body: Uint8Array): string => {
  try {
    const text = utf8.decode(body)
    if (isStorable(text)) return text
  } catch {
    // The answer is the same.
  }
  throw new Refused("body: not UTF-8, or with characters that cannot be stored.")
}

const jsonOf = (body: Uint8Array): unknown => {
  if (body.byteLength === 0) return {}
  try {
    return parseJson(utf8.decode(body))
  } catch (cause) {
    throw new Refused(faultText([cause instanceof UnreadableJson ? cause : { path: [], message: "not UTF-8" }], "body"))
  }
}

const readJson = (body: Uint8Array): ReadonlyArray<Segment> => {
  const decoded = decode(jsonOf(body))
  if (Result.isFailure(decoded)) throw new Refused(faultText(faultsOf(decoded.failure.issue), "body"))
  const { segments } = decoded.success
  return inOrder(
    segments.flatMap((segment, index) => segmentOf({ speaker: "", lang: "", ...segment }, index + 1) ?? []),
  )
}

const READERS: { readonly [F in TranscriptForm]: (body: Uint8Array) => ReadonlyArray<Segment> } = {
  json: readJson,
  vtt: (body) => readVtt(textOf(body)),
  srt: (body) => readSrt(textOf(body)),
}

const detailOf = (cause: unknown, form: TranscriptForm): string => {
  if (cause instanceof Refused) return cause.message
  if (!(cause instanceof UnreadableCaptions)) throw cause
  const where = form === "json" ? `segments.${cause.line - 1}` : `line ${cause.line}`
  return `body: ${where}: ${cause.reason}.`
}

export const readTranscript = (form: TranscriptForm, body: Uint8Array): ReadTranscript => {
  try {
    const segments = READERS[form](body)
    if (segments.length === 0) return { outcome: "unreadable", detail: "body: it has no segment with text." }
    const slices: string[] = []
    for (let from = 0; from < segments.length; from += IN_A_SLICE) {
      slices.push(JSON.stringify(segments.slice(from, from + IN_A_SLICE)))
    }
    return { outcome: "read", slices, count: segments.length }
  } catch (cause) {
    return { outcome: "unreadable", detail: detailOf(cause, form) }
  }
}
