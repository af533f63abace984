/** Clips: cut by a job, watched at signed addresses. */
import { Clock, Effect } from "effect"
import { MediaLinks } from "../../../media/links.ts"
import { storageKeyOf } from "../../../media/storage/storage.ts"
import { BadRequest, Conflict, NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import type { Clip } from "../../../model/media/recording.ts"
import { afterCommit, Database } from "../../../store/database.ts"
import { deleteClip, findClip, insertClip, lockClips, pageClips } from "../../../store/media/clips.ts"
import { MediaSignal } from "../../../store/media/media-signal.ts"
import { query } from "../../../store/query.ts"
import type { Clips } from "../../contract/events/clips.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { shownClip } from "../../requests/media-addresses.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"

const LONGEST_MS = 3_600_000
const MOST_PER_RECORDING = 200
/** Durations are rounded, and a player's end is not exactly the file's. */
const GRACE_MS = 500

const shown = (clip: Clip) =>
  Effect.map(Effect.all([HttpSettings, MediaLinks, Clock.currentTimeMillis]), ([{ publicUrl }, links, now]) =>
    shownClip(clip, { publicUrl, links, now, audience: "workspace" }),
  )

const startJobs = Effect.flatMap(MediaSignal, (signal) => afterCommit(Effect.sync(signal.notify)))

const rangeFault = (startMs: number, endMs: number, durationMs: number): string | undefined => {
  if (startMs >= endMs) return "endMs: must be after startMs."
  if (startMs >= durationMs) return `startMs: the recording has ${durationMs} ms.`
  if (endMs > durationMs + GRACE_MS) return `endMs: the recording has ${durationMs} ms.`
  return endMs - startMs > LONGEST_MS ? "endMs: a clip has at most an hour." : undefined
}

export const clips: Handlers<typeof Clips> = {
  createClip: {
    access: "recording",
    handle: ({ payload, scope: { workspaceId, recording } }) =>
      Effect.gen(function* () {
        const { durationMs } = recording
        if (recording.status !== "ready" || durationMs === null) {
          return yield* new Conflict({ detail: `The recording is ${recording.status}.` })
        }
        const { startMs, title } = payload
        const detail = rangeFault(startMs, payload.endMs, durationMs)
        if (detail !== undefined) return yield* new BadRequest({ detail })
        const id = newId()
        const clip = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            const count = yield* query(() => lockClips(sql, recording.id))
            if (count === undefined) return yield* NotFound.of("recording")
            if (count >= MOST_PER_RECORDING) {
              return yield* new Conflict({
                detail: `A recording has at most ${MOST_PER_RECORDING} clips; delete one first.`,
              })
            }
            return yield* query(async () => {
              await insertClip(sql, {
                id,
                recordingId: recording.id,
                title: title === undefined ? null : title.trim(),
                startMs,
                endMs: Math.min(payload.endMs, durationMs),
                inside: payload.exact === "inside",
                storageKey: storageKeyOf(workspaceId, id),
              })
              return findClip(sql, id)
            })
          }),
        )
        if (clip === undefined) return yield* NotFound.of("recording")
        yield* startJobs
        return new Reply(yield* shown(clip), { status: 202, headers: [["location", `/v1/clips/${id}`]] })
      }),
  },
  listClips: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageClips(sql, call.scope.event.id, request))
        const rows = yield* Effect.forEach(page.rows, shown)
        return pageReply(call, page, { clips: rows, nextCursor: page.nextCursor })
      }),
  },
  getClip: {
    access: "clip",
    handle: ({ scope: { clip } }) => shown(clip),
  },
  deleteClip: {
    access: "clip",
    handle: ({ scope: { clip } }) =>
      Effect.gen(function* () {
        const wasThere = yield* (yield* Database).run((sql) => deleteClip(sql, clip.id))
        if (!wasThere) return yield* NotFound.of("clip")
        yield* startJobs
      }),
  },
}
