/** Segments of a recogniser over REST, which become the gateway's command, and transcripts of recordings. */
import { Effect } from "effect"
import { currentTimers } from "../../../clock/timers.ts"
import { readTranscript, type TranscriptForm } from "../../../media/captions/read.ts"
import { srtWriter, textWriter, vttWriter } from "../../../media/captions/write.ts"
import { MediaProcessor } from "../../../media/processing/media-processor.ts"
import { BadRequest, NotFound, Unavailable } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database } from "../../../store/database.ts"
import { findEventSummary, putEventSummary } from "../../../store/events/summaries.ts"
import { WRITING_TRANSCRIPT } from "../../../store/media/captions.ts"
import { addSummariseJob } from "../../../store/media/media-jobs.ts"
import { startMediaJobs } from "../../../store/media/media-signal.ts"
import {
  findEventTranscript,
  findTranscript,
  replaceTranscript,
  searchSegments,
  type TranscriptRow,
} from "../../../store/media/transcripts.ts"
import { query } from "../../../store/query.ts"
import { appendOccurrences, OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { SRT, type Transcripts, VTT } from "../../contract/events/transcripts.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { transcriptJson, writtenTranscript } from "../../requests/media/written-transcript.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { badRequestOf } from "../../transport/request-body.ts"
import { ask } from "./live-commands.ts"

const MOST_HITS = 500

const FORMS: Readonly<Record<string, TranscriptForm>> = { [VTT]: "vtt", [SRT]: "srt" }

/** Larger transcripts are parsed in the media process; smaller ones hold the event loop for a few milliseconds at most. */
const READ_HERE_BYTES = 32_768

const TOO_MUCH = BadRequest.ofBody("it takes too much time or memory to read")
const NOT_READ = new Unavailable({ detail: "The transcript could not be read now.", retryAfterSeconds: 5 })

const readElsewhere = (form: TranscriptForm, body: Uint8Array) =>
  Effect.flatMap(MediaProcessor, (processor) =>
    Effect.mapError(processor.read({ form, body }), ({ tooMuch }) => (tooMuch ? TOO_MUCH : NOT_READ)),
  )

const readFrom = (contentType: string, body: Uint8Array) =>
  Effect.gen(function* () {
    const form = FORMS[contentType] ?? "json"
    const read = body.byteLength > READ_HERE_BYTES ? yield* readElsewhere(form, body) : readTranscript(form, body)
    return read.outcome === "read" ? read : yield* badRequestOf(read.faults, "body", read.detail)
  })

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

const answer = (row: TranscriptRow | undefined, { format = "json", q }: Wanted) =>
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

export const transcripts = {
  pushTranscript: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.map(ask(event.id, { type: "transcript.push", d: payload }, null), () => ({
        accepted: payload.segments.length,
      })),
  },
  putTranscript: {
    access: "recording",
    handle: ({ bytes, contentType, scope: { workspaceId, recording } }) =>
      Effect.gen(function* () {
        const { slices, count } = yield* readFrom(contentType, bytes)
        const { summarises } = yield* HttpSettings
        const timers = yield* currentTimers
        const outbox = yield* OutboxSignal
        const id = newId()
        const createdAt = toTimestamp(timers.now())
        const { id: recordingId, eventId } = recording
        const wasThere = yield* (yield* Database).transaction(
          (sql) =>
            query(async () => {
              const replaced = await replaceTranscript(sql, { id, recordingId, slices })
              if (replaced === undefined) return undefined
              const extra = { assetId: id, recordingId }
              await appendOccurrences(sql, [
                { id: newId(), type: "transcript.ready", workspaceId, eventId, occurredAt: createdAt, extra },
              ])
              if (summarises) await addSummariseJob(sql, eventId)
              return replaced
            }),
          WRITING_TRANSCRIPT,
        )
        if (wasThere === undefined) return yield* NotFound.of("recording")
        yield* afterCommit(Effect.sync(outbox.notify))
        yield* startMediaJobs
        const head = { id, eventId, recordingId, createdAt, segments: count }
        return new Reply(head, {
          status: wasThere ? 200 : 201,
          headers: [["location", `/v1/recordings/${recordingId}/transcript`]],
        })
      }),
  },
  getTranscript: {
    access: "recording",
    handle: ({ query: wanted, scope: { recording } }) =>
      Effect.gen(function* () {
        return yield* answer(yield* (yield* Database).run((sql) => findTranscript(sql, recording.id)), wanted)
      }),
  },
  getEventTranscript: {
    access: "event",
    handle: ({ query: wanted, scope: { event } }) =>
      Effect.gen(function* () {
        return yield* answer(yield* (yield* Database).run((sql) => findEventTranscript(sql, event.id)), wanted)
      }),
  },
  putSummary: {
    access: "event",
    handle: ({ payload: { text, speakers }, scope: { event } }) =>
      Effect.gen(function* () {
        const summary = yield* (yield* Database).transaction(async (sql) => {
          await putEventSummary(sql, event.id, { text, speakers: speakers ?? null })
          return findEventSummary(sql, event.id)
        })
        return summary ?? (yield* NotFound.of("event"))
      }),
  },
} satisfies Handlers<typeof Transcripts>
