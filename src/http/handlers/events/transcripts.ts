/** A recogniser's segments over REST, which are the gateway's command, and transcripts of recordings. */
import { Effect } from "effect"
import { currentTimers } from "../../../clock/timers.ts"
import { readSrt } from "../../../media/captions/read-srt.ts"
import { readVtt } from "../../../media/captions/read-vtt.ts"
import { inOrder, type Segment, segmentOf, UnreadableCaptions } from "../../../media/captions/segments.ts"
import { writeSrt, writeText, writeVtt } from "../../../media/captions/write.ts"
import { BadRequest, NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database } from "../../../store/database.ts"
import { findEventSummary, putEventSummary } from "../../../store/events/summaries.ts"
import { addSummariseJob } from "../../../store/media/media-jobs.ts"
import { startMediaJobs } from "../../../store/media/media-signal.ts"
import {
  findEventTranscript,
  findTranscript,
  listSegments,
  replaceTranscript,
  searchSegments,
  type TranscriptRow,
} from "../../../store/media/transcripts.ts"
import { query } from "../../../store/query.ts"
import { appendOccurrences, OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { SRT, type Transcripts, VTT } from "../../contract/events/transcripts.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { ask } from "./live-commands.ts"

const MOST_HITS = 500

type JsonSegments = ReadonlyArray<Pick<Segment, "t0" | "t1" | "text"> & Partial<Pick<Segment, "speaker" | "lang">>>

const READERS: Readonly<Record<string, (text: string) => ReadonlyArray<Segment>>> = { [VTT]: readVtt, [SRT]: readSrt }

const fromJson = (segments: JsonSegments): ReadonlyArray<Segment> =>
  inOrder(segments.flatMap((segment, index) => segmentOf({ speaker: "", lang: "", ...segment }, index + 1) ?? []))

const segmentsOf = (
  payload: { readonly segments: JsonSegments } | string,
  contentType: string,
): Effect.Effect<ReadonlyArray<Segment>, BadRequest> =>
  Effect.suspend(() => {
    try {
      const segments =
        typeof payload === "string" ? (READERS[contentType] ?? readVtt)(payload) : fromJson(payload.segments)
      if (segments.length > 0) return Effect.succeed(segments)
      return Effect.fail(new BadRequest({ detail: "body: it has no segment with text." }))
    } catch (cause) {
      if (!(cause instanceof UnreadableCaptions)) throw cause
      const where = typeof payload === "string" ? `line ${cause.line}` : `segments.${cause.line - 1}`
      return Effect.fail(new BadRequest({ detail: `body: ${where}: ${cause.reason}.` }))
    }
  })

interface Wanted {
  readonly format?: "json" | "vtt" | "srt" | "txt"
  readonly q?: string
}

const WRITERS = {
  vtt: { contentType: "text/vtt; charset=utf-8", write: writeVtt },
  srt: { contentType: "application/x-subrip; charset=utf-8", write: writeSrt },
  txt: { contentType: "text/plain; charset=utf-8", write: writeText },
} as const

const answer = (row: TranscriptRow | undefined, { format = "json", q }: Wanted) =>
  Effect.gen(function* () {
    if (row === undefined) return yield* NotFound.of("transcript")
    const segments = yield* (yield* Database).run((sql) =>
      q === undefined ? listSegments(sql, row.id) : searchSegments(sql, row.id, q, MOST_HITS),
    )
    const body = { ...row, segments }
    if (format === "json") return new Reply(body, {})
    const { contentType, write } = WRITERS[format]
    return new Reply(body, { text: { contentType, content: write(segments) } })
  })

export const transcripts: Handlers<typeof Transcripts> = {
  pushTranscript: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.map(ask(event.id, { type: "transcript.push", d: payload }, null), () => ({
        accepted: payload.segments.length,
      })),
  },
  putTranscript: {
    access: "recording",
    handle: ({ payload, contentType, scope: { workspaceId, recording } }) =>
      Effect.gen(function* () {
        const segments = yield* segmentsOf(payload, contentType)
        const { summarises } = yield* HttpSettings
        const timers = yield* currentTimers
        const outbox = yield* OutboxSignal
        const id = newId()
        const createdAt = toTimestamp(timers.now())
        const { id: recordingId, eventId } = recording
        const wasThere = yield* (yield* Database).transaction((sql) =>
          query(async () => {
            const replaced = await replaceTranscript(sql, { id, recordingId, segments })
            if (replaced === undefined) return undefined
            const extra = { assetId: id, recordingId }
            await appendOccurrences(sql, [
              { id: newId(), type: "transcript.ready", workspaceId, eventId, occurredAt: createdAt, extra },
            ])
            if (summarises) await addSummariseJob(sql, eventId)
            return replaced
          }),
        )
        if (wasThere === undefined) return yield* NotFound.of("recording")
        yield* afterCommit(Effect.sync(outbox.notify))
        yield* startMediaJobs
        const head = { id, eventId, recordingId, createdAt, segments: segments.length }
        return new Reply(head, {
          status: wasThere ? 200 : 201,
          headers: [["location", `/v1/recordings/${recordingId}/transcript`]],
        })
      }),
  },
  getTranscript: {
    access: "recording",
    handle: ({ query: wanted, scope: { recording } }) =>
      Effect.flatMap(Database, (database) =>
        Effect.flatMap(
          database.run((sql) => findTranscript(sql, recording.id)),
          (row) => answer(row, wanted),
        ),
      ),
  },
  getEventTranscript: {
    access: "event",
    handle: ({ query: wanted, scope: { event } }) =>
      Effect.flatMap(Database, (database) =>
        Effect.flatMap(
          database.run((sql) => findEventTranscript(sql, event.id)),
          (row) => answer(row, wanted),
        ),
      ),
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
}
