/** Transcripts in their formats: bodies that are read, and stored transcripts that are written. */
import { setImmediate } from "node:timers/promises"
import { Effect } from "effect"
import { readTranscript, type TranscriptForm } from "../../../media/captions/read.ts"
import { srtWriter, textWriter, vttWriter, type Writer } from "../../../media/captions/write.ts"
import { MediaProcessor } from "../../../media/processing/media-processor.ts"
import { BadRequest, NotFound, Unavailable } from "../../../model/errors.ts"
import { Database } from "../../../store/database.ts"
import { listSlices, searchSegments, segmentsOfSlice, type TranscriptRow } from "../../../store/media/transcripts.ts"
import { SRT, VTT } from "../../contract/events/transcripts.ts"
import { badRequestOf } from "../../transport/request-body.ts"
import { Reply } from "../call.ts"

const FORMS: Readonly<Record<string, TranscriptForm>> = { [VTT]: "vtt", [SRT]: "srt" }

/** Larger transcripts are parsed in the media process; smaller ones hold the event loop for a few milliseconds at most. */
const READ_HERE_BYTES = 32_768

const TOO_MUCH = BadRequest.ofBody("it takes too much time or memory to read")
const NOT_READ = new Unavailable({ detail: "The transcript could not be read now.", retryAfterSeconds: 5 })

const readElsewhere = (form: TranscriptForm, body: Uint8Array, lenient: boolean) =>
  Effect.flatMap(MediaProcessor, (processor) =>
    Effect.mapError(processor.read({ form, body, lenient }), ({ tooMuch }) => (tooMuch ? TOO_MUCH : NOT_READ)),
  )

/** Reads a body in the format of its content type. */
export const readFrom = (contentType: string, body: Uint8Array, lenient: boolean) =>
  Effect.gen(function* () {
    const form = FORMS[contentType] ?? "json"
    const read =
      body.byteLength > READ_HERE_BYTES
        ? yield* readElsewhere(form, body, lenient)
        : readTranscript(form, body, lenient)
    return read.outcome === "read" ? read : yield* badRequestOf(read.faults, "body", read.detail)
  })

const slicesOf = (transcriptId: string): Effect.Effect<ReadonlyArray<string>, Unavailable, Database> =>
  Effect.flatMap(Database, (database) => database.run((sql) => listSlices(sql, transcriptId)))

/** A stored transcript, written slice by slice: the event loop does other work in between. */
export const writtenTranscript = (transcriptId: string, writer: Writer): Effect.Effect<string, Unavailable, Database> =>
  Effect.gen(function* () {
    for (const slice of yield* slicesOf(transcriptId)) {
      writer.add(segmentsOfSlice(slice))
      yield* Effect.promise(() => setImmediate())
    }
    return writer.text()
  })

/** JSON of the transcript with its segments, which are inserted as text without parsing. */
const transcriptJson = (head: object, transcriptId: string): Effect.Effect<string, Unavailable, Database> =>
  Effect.map(slicesOf(transcriptId), (slices) => {
    const segments = slices.map((slice) => slice.slice(1, -1)).join(",")
    return `${JSON.stringify(head).slice(0, -1)},"segments":[${segments}]}`
  })

const MOST_HITS = 500

interface Wanted {
  readonly format?: "json" | "vtt" | "srt" | "txt"
  readonly q?: string
}

const WRITERS = {
  vtt: { contentType: "text/vtt; charset=utf-8", writer: vttWriter },
  srt: { contentType: "application/x-subrip; charset=utf-8", writer: srtWriter },
  txt: { contentType: "text/plain; charset=utf-8", writer: textWriter },
} as const

const hits = (row: TranscriptRow, q: string, format: NonNullable<Wanted["format"]>) =>
  Effect.gen(function* () {
    const segments = yield* (yield* Database).run((sql) => searchSegments(sql, row.id, q, MOST_HITS))
    const body = { ...row, segments }
    if (format === "json") return new Reply(body, {})
    const { contentType, writer } = WRITERS[format]
    const written = writer()
    written.add(segments)
    return new Reply(body, { text: { contentType, content: written.text() } })
  })

/** The transcript, or its segments with the words of `q`, in the wanted format. */
export const writtenAs = (row: TranscriptRow | undefined, { format = "json", q }: Wanted) =>
  Effect.gen(function* () {
    if (row === undefined) return yield* NotFound.of("transcript")
    if (q !== undefined) return yield* hits(row, q, format)
    // The answer holds the text only.
    const body = { ...row, segments: [] }
    if (format === "json") {
      const content = yield* transcriptJson(row, row.id)
      return new Reply(body, { text: { contentType: "application/json", content } })
    }
    const { contentType, writer } = WRITERS[format]
    return new Reply(body, { text: { contentType, content: yield* writtenTranscript(row.id, writer()) } })
  })
