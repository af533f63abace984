/**
 * Reads a transcript from the bytes of a request. Large transcripts are read in the media process. Its answer has the rows as slices of
 * text, which the server passes to the database unchanged, so that they cost its event loop little.
 */
import { Result, Schema } from "effect"
import { isStorable, parseJson, UnreadableJson } from "../../model/json.ts"
import { TranscriptInput } from "../../model/media/transcript-input.ts"
import { type Fault, faultsOf, faultText, MOST_FAULTS } from "../../model/schema-faults.ts"
import { srtText, vttText } from "./encodings.ts"
import { readSrt } from "./read-srt.ts"
import { readVtt } from "./read-vtt.ts"
import { inOrder, type ReadSegments, type Skipped, segmentOf, UnreadableCaptions } from "./segments.ts"

export type TranscriptForm = "json" | "vtt" | "srt"

/** `slices` are JSON of at most a thousand segments each. */
export type ReadTranscript =
  | {
      readonly outcome: "read"
      readonly slices: ReadonlyArray<string>
      readonly count: number
      readonly skipped: Skipped
    }
  | { readonly outcome: "unreadable"; readonly detail: string; readonly faults: ReadonlyArray<Fault> }

const IN_A_SLICE = 1000

const utf8 = new TextDecoder("utf-8", { fatal: true })
const decode = Schema.decodeUnknownResult(TranscriptInput, { errors: "all" })

/** Reason why the bytes are no transcript. */
class Refused extends Error {
  override readonly name = "Refused"
  readonly faults: ReadonlyArray<Fault>

  constructor(faults: ReadonlyArray<Fault>) {
    super("no transcript")
    this.faults = faults
  }
}

const ofWhole = (message: string): ReadonlyArray<Fault> => [{ path: [], message }]

const textOf = (body: Uint8Array, decoded: (body: Uint8Array) => string): string => {
  try {
    const text = decoded(body)
    if (isStorable(text)) return text
  } catch {
    // The bytes are refused below.
  }
  throw new Refused(ofWhole("not UTF-8, or with characters that cannot be stored"))
}

const jsonOf = (body: Uint8Array): unknown => {
  if (body.byteLength === 0) return {}
  try {
    return parseJson(utf8.decode(body))
  } catch (cause) {
    if (!(cause instanceof UnreadableJson)) throw new Refused(ofWhole("not UTF-8"))
    throw new Refused([{ path: cause.path, message: cause.message }])
  }
}

const NONE_SKIPPED: Skipped = { count: 0, first: [] }

const readJson = (body: Uint8Array): ReadSegments => {
  const decoded = decode(jsonOf(body))
  if (Result.isFailure(decoded)) throw new Refused(faultsOf(decoded.failure.issue))
  const { segments } = decoded.success
  const read = segments.flatMap((segment, index) => segmentOf({ speaker: "", lang: "", ...segment }, index + 1) ?? [])
  return { segments: inOrder(read), skipped: NONE_SKIPPED }
}

const READERS: { readonly [F in TranscriptForm]: (body: Uint8Array, lenient: boolean) => ReadSegments } = {
  json: readJson,
  vtt: (body, lenient) => readVtt(textOf(body, vttText), lenient),
  srt: (body, lenient) => readSrt(textOf(body, srtText), lenient),
}

/** Only JSON has fields. */
const faultsIn = (cause: unknown, form: TranscriptForm): ReadonlyArray<Fault> => {
  if (cause instanceof Refused) return cause.faults
  if (!(cause instanceof UnreadableCaptions)) throw cause
  if (form !== "json") return ofWhole(`line ${cause.line}: ${cause.reason}`)
  return [{ path: ["segments", String(cause.line - 1)], message: cause.reason }]
}

const unreadable = (faults: ReadonlyArray<Fault>): ReadTranscript => ({
  outcome: "unreadable",
  detail: faultText(faults, "body"),
  faults: faults.slice(0, MOST_FAULTS),
})

/** `lenient`: cues of a caption file that cannot be read are left out and reported. JSON is always read strictly. */
export const readTranscript = (form: TranscriptForm, body: Uint8Array, lenient: boolean): ReadTranscript => {
  try {
    const { segments, skipped } = READERS[form](body, lenient)
    if (segments.length === 0) return unreadable(ofWhole("it has no segment with text"))
    const slices: string[] = []
    for (let from = 0; from < segments.length; from += IN_A_SLICE) {
      slices.push(JSON.stringify(segments.slice(from, from + IN_A_SLICE)))
    }
    return { outcome: "read", slices, count: segments.length, skipped }
  } catch (cause) {
    return unreadable(faultsIn(cause, form))
  }
}
