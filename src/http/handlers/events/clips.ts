/** Clips: cut by a job and watched at signed addresses. */
import { Effect } from "effect"
import { storageKeyOf } from "../../../media/storage/storage.ts"
import { BadRequest, Conflict, NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import type { StoredClip, StoredRecording } from "../../../model/media/recording.ts"
import { Database } from "../../../store/database.ts"
import { takeSpans } from "../../../store/media/broadcasts.ts"
import { deleteClip, findClip, insertClip, lockClips, pageClips } from "../../../store/media/clips.ts"
import { startMediaJobs } from "../../../store/media/media-signal.ts"
import { lockMediaUse } from "../../../store/media/recordings.ts"
import { query } from "../../../store/query.ts"
import type { Clips } from "../../contract/events/clips.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { callersAddressing, shownClip } from "../../requests/media/addresses.ts"
import { requireQuota } from "../../requests/media/quota.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"

const LONGEST_MS = 3_600_000
const MOST_PER_RECORDING = 200
/** Tolerance: durations are rounded, and a player's end is not exactly the file's. */
const GRACE_MS = 500

const shown = (clip: StoredClip, workspaceId: string) =>
  Effect.map(callersAddressing(clip.eventId, workspaceId), (addressing) => shownClip(clip, addressing))

const rangeFault = (startMs: number, endMs: number, durationMs: number): BadRequest | undefined => {
  if (startMs >= endMs) return BadRequest.ofField("endMs", "must be after startMs")
  if (startMs >= durationMs) return BadRequest.ofField("startMs", `the recording has ${durationMs} ms`)
  if (endMs > durationMs + GRACE_MS) return BadRequest.ofField("endMs", `the recording has ${durationMs} ms`)
  return endMs - startMs > LONGEST_MS ? BadRequest.ofField("endMs", "a clip has at most an hour") : undefined
}

const acrossTakes = BadRequest.ofFields(
  ["startMs", "endMs"],
  "the broadcast's picture or codecs changed between them; a clip has one of them",
)

/**
 * Whether the range lies in one take. A broadcast's file ends where its encoder changed picture format or codec, and files of two takes
 * cannot be joined.
 */
const isInOneTake = ({ id, source }: StoredRecording, startMs: number, endMs: number) =>
  Effect.gen(function* () {
    if (source !== "broadcast") return true
    const spans = yield* (yield* Database).run((sql) => takeSpans(sql, id))
    return spans.some((span) => startMs >= span.startMs && endMs <= span.endMs + GRACE_MS)
  })

export const clips = {
  createClip: {
    access: "recording",
    handle: ({ payload, scope: { workspaceId, recording } }) =>
      Effect.gen(function* () {
        const { durationMs } = recording
        if (recording.status !== "ready" || durationMs === null) {
          return yield* new Conflict({ detail: `The recording is ${recording.status}.` })
        }
        const { startMs, title } = payload
        const fault = rangeFault(startMs, payload.endMs, durationMs)
        if (fault !== undefined) return yield* fault
        if (!(yield* isInOneTake(recording, startMs, payload.endMs))) return yield* acrossTakes
        const id = newId()
        const endMs = Math.min(payload.endMs, durationMs)
        // Estimated by its share of the recording; the cut measures the real size.
        const sizeBytes = Math.ceil(((recording.sizeBytes ?? 0) * (endMs - startMs)) / durationMs)
        const clip = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockMediaUse(sql, workspaceId))
            const count = yield* query(() => lockClips(sql, recording.id))
            if (count === undefined) return yield* NotFound.of("recording")
            if (count >= MOST_PER_RECORDING) {
              return yield* new Conflict({
                detail: `A recording has at most ${MOST_PER_RECORDING} clips; delete one first.`,
              })
            }
            yield* requireQuota(sql, workspaceId, sizeBytes)
            return yield* query(async () => {
              await insertClip(sql, {
                id,
                recordingId: recording.id,
                title: title === undefined ? null : title.trim(),
                startMs,
                endMs,
                sizeBytes,
                inside: payload.exact === "inside",
                storageKey: storageKeyOf(workspaceId, id),
              })
              return findClip(sql, id)
            })
          }),
        )
        if (clip === undefined) return yield* NotFound.of("recording")
        yield* startMediaJobs
        return new Reply(yield* shown(clip, workspaceId), { status: 202, headers: [["location", `/v1/clips/${id}`]] })
      }),
  },
  listClips: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageClips(sql, call.scope.event.id, request))
        const addressing = yield* callersAddressing(call.scope.event.id, call.scope.event.workspaceId)
        const rows = page.rows.map((clip) => shownClip(clip, addressing))
        return pageReply(call, page, { clips: rows, nextCursor: page.nextCursor })
      }),
  },
  getClip: {
    access: "clip",
    handle: ({ scope: { clip, workspaceId } }) => shown(clip, workspaceId),
  },
  deleteClip: {
    access: "clip",
    handle: ({ scope: { clip } }) =>
      Effect.gen(function* () {
        const wasThere = yield* (yield* Database).run((sql) => deleteClip(sql, clip.id))
        if (!wasThere) return yield* NotFound.of("clip")
        yield* startMediaJobs
      }),
  },
} satisfies Handlers<typeof Clips>
