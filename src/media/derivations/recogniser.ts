/**
 * Client of a speech recogniser with the interface of OpenAI (`POST /audio/transcriptions`). Its answers are bounded in time and bytes, and
 * nothing of them is trusted.
 */
import { Redacted } from "effect"
import { readBounded } from "../../egress/read-bounded.ts"
import { LONGEST_SEGMENT, type Segment, segmentOf } from "../captions/segments.ts"

interface Recogniser {
  /** Base address such as `https://models.example/v1`. */
  readonly url: string
  readonly model: string
  readonly key: Redacted.Redacted<string> | null
}

/** Sound in a file of its own. */
export interface Sound {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  /** Name with the ending by which recognisers know the format. */
  readonly name: string
  readonly durationMs: number
}

/** The recogniser gave no segments. `isFinal` means that it refuses this sound, so that another try is of no use. */
export class RecogniserFailed extends Error {
  override readonly name = "RecogniserFailed"
  readonly isFinal: boolean
  /** Milliseconds that the recogniser asks to wait; null when it names none. */
  readonly retryAfterMs: number | null

  constructor(detail: string, { isFinal = false, retryAfterMs = null, cause }: Partial<RecogniserFailed> = {}) {
    super(detail, { cause })
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
  }
}

/** Segments of the sound in the order of speech, with times from its beginning. Rejects with `RecogniserFailed`. */
export type Recognise = (sound: Sound, language: string | null, signal: AbortSignal) => Promise<ReadonlyArray<Segment>>

/** Time for one answer. A recogniser without a graphics card may need half of the time of the sound. */
const WITHIN_MS = 150_000
const MOST_ANSWER_BYTES = 4 * 1024 ** 2
/** More would be several words a second, each a segment. */
const MOST_SEGMENTS = 5000
/** Statuses that say something about the sound, and not about the server or its key. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 415, 422])
const LONGEST_WAIT_MS = 3_600_000

const tooLong = (): Error => new RecogniserFailed("The answer of the recogniser is too long.")

/** Seconds of a `Retry-After`; null for anything else. */
const waitOf = (header: string | null): number | null =>
  header !== null && /^\d{1,9}$/.test(header) ? Math.min(LONGEST_WAIT_MS, Number(header) * 1000) : null

interface Heard {
  readonly start: number
  readonly end: number
  readonly text: string
}

const isHeard = (value: unknown): value is Heard => {
  const { start, end, text } = (value ?? {}) as Partial<Record<keyof Heard, unknown>>
  return Number.isFinite(start) && Number.isFinite(end) && typeof text === "string"
}

const NO_SEGMENTS = new RecogniserFailed("The answer of the recogniser has no segments.")

const heardIn = (answer: string): ReadonlyArray<Heard> => {
  let segments: unknown
  try {
    segments = (JSON.parse(answer) as { readonly segments?: unknown } | null)?.segments
  } catch {
    throw NO_SEGMENTS
  }
  if (!Array.isArray(segments) || segments.length > MOST_SEGMENTS || !segments.every(isHeard)) throw NO_SEGMENTS
  return segments
}

/** Times beyond the sound are those of its ends, and what begins after it was not said. */
const segmentsOf = (answer: string, lang: string, durationMs: number): ReadonlyArray<Segment> =>
  heardIn(answer)
    .flatMap(({ start, end, text }) => {
      const t0 = Math.max(0, Math.round(start * 1000))
      const t1 = Math.min(durationMs, Math.max(t0, Math.round(end * 1000)))
      // Half of a character, which no database stores, becomes a replacement character.
      const given = { t0, t1, speaker: "", lang, text: Buffer.from(text.slice(0, LONGEST_SEGMENT)).toString() }
      return t0 >= durationMs ? [] : (segmentOf(given, 0) ?? [])
    })
    .toSorted((a, b) => a.t0 - b.t0)

const formOf = ({ bytes, contentType, name }: Sound, model: string, language: string | null): FormData => {
  const form = new FormData()
  form.set("model", model)
  form.set("response_format", "verbose_json")
  form.set("timestamp_granularities[]", "segment")
  if (language !== null) form.set("language", language)
  form.set("file", new Blob([bytes], { type: contentType }), name)
  return form
}

/** Text of the answer. */
const answerOf = async ({ ok, status, body, headers }: Response): Promise<string> => {
  if (ok && body !== null) return readBounded(body, MOST_ANSWER_BYTES, tooLong)
  await body?.cancel()
  throw new RecogniserFailed(`The recogniser answered ${status}.`, {
    isFinal: REFUSALS.has(status),
    retryAfterMs: waitOf(headers.get("retry-after")),
  })
}

const failureOf = (cause: unknown): RecogniserFailed => {
  if (cause instanceof RecogniserFailed) return cause
  const isOver = cause instanceof Error && cause.name === "TimeoutError"
  const detail = isOver ? "The recogniser did not answer in time." : "The recogniser could not be reached."
  return new RecogniserFailed(detail, { cause })
}

/** A redirection is refused, because it would take the sound and the key elsewhere. */
export const recogniseBy =
  ({ url, model, key }: Recogniser, withinMs = WITHIN_MS): Recognise =>
  async (sound, language, signal) => {
    try {
      const response = await fetch(`${url}/audio/transcriptions`, {
        method: "POST",
        headers: key === null ? {} : { authorization: `Bearer ${Redacted.value(key)}` },
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
        body: formOf(sound, model, language),
      })
      return segmentsOf(await answerOf(response), language ?? "", sound.durationMs)
    } catch (cause) {
      throw failureOf(cause)
    }
  }
