/**
 * Reads a transcript from the bytes of a request. Large transcripts are read in the media process, whose answer must cost the server's
 * event loop little: it holds the text of rows, in slices, which go to the database unchanged.
 */
import { Result, Schema } from "effect"
import { isStorable, parseJson, UnreadableJson } from "../../model/json.ts"
import { TranscriptInput } from "../../model/media/transcript-input.ts"
import { type Fault, faultsOf, faultText, MOST_FAULTS } from "../../model/schema-faults.ts"
import { readSrt } from "./read-srt.ts"
import { readVtt } from "./read-vtt.ts"
import { inOrder, type Segment, segmentOf, UnreadableCaptions } from "./segments.ts"

export type TranscriptForm = "json" | "vtt" | "srt"

/** `slices` are JSON of at most a thousand segments each. */
export type ReadTranscript =
  | { readonly outcome: "read"; readonly slices: ReadonlyArray<string>; readonly count: number }
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

const textOf = (body: Uint8Array): string => {
  try {
    const text = utf8.decode(body)
    if (isStorable(text)) return text
  } catch {
    // Invalid UTF-8 is refused below.
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

const readJson = (body: Uint8Array): ReadonlyArray<Segment> => {
  const decoded = decode(jsonOf(body))
  if (Result.isFailure(decoded)) throw new Refused(faultsOf(decoded.failure.issue))
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

export const readTranscript = (form: TranscriptForm, body: Uint8Array): ReadTranscript => {
  try {
    const segments = READERS[form](body)
    if (segments.length === 0) return unreadable(ofWhole("it has no segment with text"))
    const slices: string[] = []
    for (let from = 0; from < segments.length; from += IN_A_SLICE) {
      slices.push(JSON.stringify(segments.slice(from, from + IN_A_SLICE)))
    }
    return { outcome: "read", slices, count: segments.length }
  } catch (cause) {
    return unreadable(faultsIn(cause, form))
  }
}
