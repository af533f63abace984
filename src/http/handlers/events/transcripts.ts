/** Segments of a recogniser over REST, which become the gateway's command, and transcripts and summaries of recordings. */
import { Effect } from "effect"
import { currentTimers } from "../../../clock/timers.ts"
import { NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database } from "../../../store/database.ts"
import { findEventSummary, putEventSummary } from "../../../store/events/summaries.ts"
import { WRITING_TRANSCRIPT } from "../../../store/media/captions.ts"
import { addSummariseJob } from "../../../store/media/media-jobs.ts"
import { startMediaJobs } from "../../../store/media/media-signal.ts"
import { findEventTranscript, findTranscript, replaceTranscript } from "../../../store/media/transcripts.ts"
import { query } from "../../../store/query.ts"
import { appendOccurrences, OutboxSignal } from "../../../store/webhooks/outbox.ts"
import type { Transcripts } from "../../contract/events/transcripts.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { readFrom, writtenAs } from "../../requests/media/transcript-formats.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { ask } from "./live-commands.ts"

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
    handle: ({ bytes, contentType, query: { lenient }, scope: { workspaceId, recording } }) =>
      Effect.gen(function* () {
        const { slices, count, skipped } = yield* readFrom(contentType, bytes, lenient === "true")
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
        const head = {
          id,
          eventId,
          recordingId,
          createdAt,
          segments: count,
          skipped: skipped.count,
          skippedCues: skipped.first,
        }
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
        return yield* writtenAs(yield* (yield* Database).run((sql) => findTranscript(sql, recording.id)), wanted)
      }),
  },
  getEventTranscript: {
    access: "event",
    handle: ({ query: wanted, scope: { event } }) =>
      Effect.gen(function* () {
        return yield* writtenAs(yield* (yield* Database).run((sql) => findEventTranscript(sql, event.id)), wanted)
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
