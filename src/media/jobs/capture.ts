/** Recordings and broadcasts by the media server: the rooms to record, and the results. */
import { Effect } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { Unavailable } from "../../model/errors.ts"
import { newId, parseId } from "../../model/ids.ts"
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { MediaFailure } from "../../model/media/recording.ts"
import { toMillis, toTimestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import {
  findBroadcast,
  putRecorderReport,
  type RecorderFailure,
  type RecorderReport,
} from "../../store/media/broadcasts.ts"
import {
  type CaptureLimits,
  captureBegan,
  captureEnded,
  captureFailed,
  captureUnwanted,
  dropCapture,
  type FailedTake,
  insertCapture,
  listCaptures,
  type RoomCapture,
  type UnsettledCapture,
  unsettledCaptures,
  wantedCapture,
} from "../../store/media/captures.ts"
import { addRemoveJob } from "../../store/media/media-jobs.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { findStrayMedia } from "../../store/media/recordings.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { StageReport } from "../live/recorder-reports.ts"
import { type EgressFacts, type RoomAbsent, RoomRecorder } from "../livekit/room-recorder.ts"
import { LiveBroadcasts } from "../placed/live-broadcasts.ts"
import { mediaRoomOf } from "../seats.ts"
import { folderOf, MediaStorage, ROOM_ENDING, type StoredName, sizeOfStored, storageKeyOf } from "../storage/storage.ts"

/** Maximum number of recordings checked in one sweep. */
const SWEPT = 200
/** Maximum number of rooms requested from the media server concurrently. */
const ROOMS_AT_ONCE = 4
/** A recording lasts a day at most; an hour later its recorder counts as dead. */
const ABANDONED_AFTER_MS = 25 * 3_600_000

/** The recorder adds the extension to a name that lacks it. */
const captureKeyOf = (workspaceId: string, id: string): string => `${storageKeyOf(workspaceId, id)}${ROOM_ENDING}`

/** Name of a file requested by this deployment; null when another program requested it. */
const nameOf = (key: string | null): StoredName | null => {
  const [folder = "", , file = ""] = (key ?? "").split("/")
  const [workspaceId, id] = [parseId(folder), parseId(file.replace(ROOM_ENDING, ""))]
  if (workspaceId === undefined || id === undefined || key !== captureKeyOf(workspaceId, id)) return null
  return { key, workspaceId, id }
}

const NOT_MADE: MediaFailure = {
  code: "recorder_failed",
  detail: "The media server could not record the room, or recorded nothing.",
}

/** An expected failure, which is not logged. */
export const EMPTY_ROOM = new Unavailable({
  detail: "Nobody is in the room that is to be recorded.",
  retryAfterSeconds: 5,
})

const FAILED: RecorderFailure = {
  code: "recorder_failed",
  detail: "The media server failed to broadcast the stage. It begins again by itself, and viewers wait.",
}
const GIVEN_UP: RecorderFailure = {
  code: "recorder_given_up",
  detail:
    "The media server failed to broadcast the stage again and again. Pause and resume the broadcast to try once more.",
}

const NO_ROOM: RecorderFailure = {
  code: "no_room",
  detail:
    "The broadcast is not made: the workspace or the event has no room for more recordings. Delete some, then pause and resume the broadcast.",
}

type Start = Effect.Effect<void, Unavailable, Database | LiveBroadcasts | MediaStorage | MediaSignal | Telemetry>

interface Of {
  readonly eventId: string
  readonly phaseId: string | null
}

/**
 * Reports the recorder of a broadcast to staff. Nothing is reported for a room that is only recorded, nor for a broadcast that was paused
 * or ended while the media server was asked.
 */
const report = (
  { eventId, phaseId }: Of,
  broadcastId: string | null,
  state: StageReport["state"],
  failure: RecorderFailure | null,
): Effect.Effect<void, Unavailable, Database | LiveBroadcasts> =>
  Effect.gen(function* () {
    if (broadcastId === null || phaseId === null) return
    const broadcast = yield* (yield* Database).run((sql) => findBroadcast(sql, broadcastId))
    if (broadcast?.status !== "live") return
    yield* (yield* LiveBroadcasts).reportStage(eventId, { broadcastId, phaseId, state, failure })
  })

/** A process that died after the recording began finds it again by its key. */
const begin = ({ id, egressRoom, storageKey, broadcastId }: RoomCapture, of: Of): Start =>
  Effect.gen(function* () {
    const recorder = yield* RoomRecorder
    if (recorder === null || egressRoom === null) return
    const playlists = broadcastId === null ? null : folderOf(storageKey)
    const started = Effect.mapError(
      recorder.start(egressRoom, storageKey, playlists),
      (failure: RoomAbsent | Unavailable) => (failure._tag === "RoomAbsent" ? EMPTY_ROOM : failure),
    )
    const egressId = yield* Effect.flatMap(recorder.running(egressRoom), (running) => {
      const known = running.find(({ key }) => key === storageKey)
      return known === undefined ? started : Effect.succeed(known.egressId)
    }).pipe(
      Effect.tapError((failure) => (failure === EMPTY_ROOM ? Effect.void : report(of, broadcastId, "lost", FAILED))),
    )
    const began = yield* (yield* Database).run((sql) => captureBegan(sql, id, egressId))
    if (began === "gone") yield* recorder.stop(egressId)
    if (began === "running") yield* report(of, broadcastId, "receiving", null)
    // A message without a key matched no recording if it came before the id was stored.
    const facts = yield* recorder.find(egressId)
    if (facts !== undefined) yield* settleCapture(facts)
  })

const end = ({ id, egressId, egressRoom }: RoomCapture): Start =>
  Effect.gen(function* () {
    const recorder = yield* RoomRecorder
    const database = yield* Database
    if (egressId === null) return yield* database.run((sql) => dropCapture(sql, id))
    if (egressRoom !== null) yield* database.run((sql) => captureUnwanted(sql, id))
    if (recorder !== null) yield* recorder.stop(egressId)
  })

/** Tries each item, so that a room without people does not keep the others from being recorded. */
const all = <A>(of: ReadonlyArray<A>, each: (one: A) => Start): Start =>
  Effect.flatMap(
    Effect.forEach(of, (one) => Effect.result(each(one)), { concurrency: ROOMS_AT_ONCE }),
    (results) => {
      const failed = results.find((result) => result._tag === "Failure")
      return failed?._tag === "Failure" ? Effect.fail(failed.failure) : Effect.void
    },
  )

interface Wanted {
  readonly roomId: string | null
  readonly egressRoom: string
  readonly broadcastId: string | null
}

const wantedOf = (eventId: string, { phaseId, rooms, broadcastId }: CapturedRooms): ReadonlyArray<Wanted> => {
  const wanted = (roomId: string | null, broadcast: string | null): Wanted => ({
    roomId,
    egressRoom: mediaRoomOf({ eventId, phaseId: phaseId ?? "", roomId }),
    broadcastId: broadcast,
  })
  const recorded = rooms.map((roomId) => wanted(roomId, null))
  return broadcastId === null ? recorded : [wanted(null, broadcastId), ...recorded]
}

const follow = (eventId: string, captured: CapturedRooms, limits: CaptureLimits): Start =>
  Effect.gen(function* () {
    const database = yield* Database
    if (captured.broadcastId === null) yield* (yield* LiveBroadcasts).reportStage(eventId, null)
    const of: Of = { eventId, phaseId: captured.phaseId }
    const wanted = wantedOf(eventId, captured)
    const known = yield* database.run((sql) => listCaptures(sql, eventId))
    const isSame = (capture: RoomCapture, { egressRoom, broadcastId }: Wanted): boolean =>
      capture.egressRoom === egressRoom && capture.broadcastId === broadcastId
    const isWanted = (capture: RoomCapture): boolean => wanted.some((one) => isSame(capture, one))
    const missing = wanted.filter((one) => !known.some((capture) => isSame(capture, one)))
    const added = yield* Effect.forEach(missing, (one) => {
      const id = newId()
      const capture = { id, ...of, ...one }
      const inserting = database.transaction((sql) =>
        insertCapture(sql, capture, (workspaceId) => captureKeyOf(workspaceId, id), limits),
      )
      return Effect.tap(inserting, (inserted) =>
        inserted === undefined ? report(of, one.broadcastId, "lost", NO_ROOM) : Effect.void,
      )
    })
    const starting = [...known.filter(isWanted), ...added].filter((one) => one?.egressId === null)
    const unwanted = known.filter((one) => !isWanted(one))
    // The media server still lists the recording of a dead recorder, which cannot be ended. This must not prevent the next ones.
    const ended = yield* Effect.result(all(unwanted, end))
    yield* all(
      starting.filter((one) => one !== undefined),
      (capture) => begin(capture, of),
    )
    if (ended._tag === "Failure") yield* Effect.fail(ended.failure)
  })

/** Executes the job, unless the event has a newer one. */
export const followCapture = (eventId: string, jobId: number, limits: CaptureLimits): Start =>
  Effect.gen(function* () {
    if ((yield* RoomRecorder) === null) return
    const wanted = yield* (yield* Database).transaction((sql) => wantedCapture(sql, eventId, jobId))
    if (wanted !== undefined) yield* follow(eventId, wanted, limits)
  })

/** Removes the file of a recording that was deleted while it was made. */
const removeStray = async (sql: Queryable, key: string | null): Promise<boolean> => {
  const name = nameOf(key)
  const strays = name === null ? [] : await findStrayMedia(sql, [name])
  for (const stray of strays) await addRemoveJob(sql, stray)
  return strays.length > 0
}

const reportOf = ({ againInMs }: FailedTake): RecorderReport => ({
  state: "lost",
  failure: againInMs === null ? GIVEN_UP : FAILED,
})

/** Applies the media server's report of a recording; idempotent. */
export const settleCapture = (
  facts: EgressFacts,
): Effect.Effect<void, Unavailable, Database | MediaSignal | Telemetry> =>
  Effect.gen(function* () {
    const { egressId, key, status, sizeBytes, playlistBytes, beganAt, error } = facts
    if (status === "running") return
    const isMade = status === "ended" && sizeBytes > 0
    const ended = {
      sizeBytes,
      storedBytes: sizeBytes + playlistBytes,
      beganAt: beganAt === null ? null : toTimestamp(beganAt),
    }
    const told = { egressId, id: nameOf(key)?.id ?? null }
    const changed = yield* (yield* Database).transaction(async (sql) => {
      const settled = isMade ? await captureEnded(sql, told, ended) : await captureFailed(sql, told, NOT_MADE)
      if (settled === false) return removeStray(sql, key)
      if (settled !== true) await putRecorderReport(sql, settled.broadcastId, reportOf(settled))
      return settled
    })
    if (changed === false) return
    const failed = changed === true ? undefined : changed
    if (!isMade) {
      const { log } = yield* Telemetry
      log.warn({ egress: egressId, why: error, ...failed }, "media: the media server made no recording")
    }
    ;(yield* MediaSignal).notify()
  })

/** Ends recordings without a row: those whose recording or event was deleted. */
const stopStrays = (recorder: RoomRecorder): Start =>
  Effect.gen(function* () {
    const running = yield* recorder.running(null)
    const names = running.map(({ key }) => nameOf(key)).filter((name) => name !== null)
    const strays = new Set(yield* (yield* Database).run((sql) => findStrayMedia(sql, names)))
    const going = running.filter(({ key }) => key !== null && strays.has(key))
    yield* all(going, ({ egressId }) => recorder.stop(egressId))
  })

/** Whether a recording that was to end would exceed the maximum length: its recorder has died, and the media server still lists it. */
const isAbandoned = ({ beganAt, status }: EgressFacts, { egressRoom, createdAt }: UnsettledCapture, now: number) =>
  status === "running" && egressRoom === null && now - (beganAt ?? toMillis(createdAt)) > ABANDONED_AFTER_MS

/** Report for a recording that the media server no longer knows. */
const FORGOTTEN = { status: "ended", playlistBytes: 0, beganAt: null, error: "forgotten" } as const

/** Finds ends whose messages were lost, and deleted recordings that still run. */
export const sweepCaptures: Start = Effect.gen(function* () {
  const recorder = yield* RoomRecorder
  if (recorder === null) return
  // The recording of a dead recorder cannot be ended. The ends of others must be found all the same.
  const stopped = yield* Effect.result(stopStrays(recorder))
  const storage = yield* MediaStorage
  const captures = yield* (yield* Database).run((sql) => unsettledCaptures(sql, SWEPT))
  const now = (yield* currentTimers).now()
  for (const capture of captures) {
    const { egressId, storageKey } = capture
    const found = yield* recorder.find(egressId)
    if (found !== undefined && !isAbandoned(found, capture, now)) {
      yield* settleCapture(found)
      continue
    }
    // The media server has forgotten the recording, or its recorder has died: only the bucket can tell.
    const sizeBytes = (yield* sizeOfStored(storage, storageKey)) ?? 0
    yield* settleCapture({ ...FORGOTTEN, egressId, key: storageKey, sizeBytes })
  }
  if (stopped._tag === "Failure") yield* Effect.fail(stopped.failure)
})
