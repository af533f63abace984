/** Recordings by the media server: which rooms it has to record, and what came of them. */
import { Effect } from "effect"
import { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { MediaFailure } from "../../model/media/recording.ts"
import { Database } from "../../store/database.ts"
import {
  type Capture,
  captureBegan,
  captureEnded,
  captureFailed,
  dropCapture,
  insertCapture,
  listCaptures,
  unsettledCaptures,
  wantedCapture,
} from "../../store/media/captures.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { type EgressFacts, RoomRecorder } from "../livekit/room-recorder.ts"
import { mediaRoomOf } from "../seats.ts"
import { MediaStorage, storageKeyOf } from "../storage/storage.ts"

/** Looked at in one sweep. */
const SWEPT = 200

const NOT_MADE: MediaFailure = {
  code: "recorder_failed",
  detail: "The media server could not record the room, or recorded nothing.",
}

const EMPTY_ROOM = new Unavailable({
  detail: "Nobody is in the room that is to be recorded.",
  retryAfterSeconds: 5,
})

type Start = Effect.Effect<void, Unavailable, Database | MediaStorage>

/** A process that died after the recording had begun finds it again by its key. */
const begin = (capture: Capture): Start =>
  Effect.gen(function* () {
    const recorder = yield* RoomRecorder
    if (recorder === null) return
    const { id, egressRoom, storageKey } = capture
    const running = yield* recorder.running(egressRoom)
    const known = running.find(({ key }) => key === storageKey)
    const started = Effect.mapError(recorder.start(egressRoom, storageKey), (failure) =>
      failure._tag === "RoomAbsent" ? EMPTY_ROOM : failure,
    )
    const egressId = known?.egressId ?? (yield* started)
    yield* (yield* Database).run((sql) => captureBegan(sql, id, egressId))
  })

const end = ({ id, egressId }: Capture): Start =>
  Effect.gen(function* () {
    const recorder = yield* RoomRecorder
    if (egressId === null) yield* (yield* Database).run((sql) => dropCapture(sql, id))
    else if (recorder !== null) yield* recorder.stop(egressId)
  })

/** Each room is tried, so that one without people does not keep the others from being recorded. */
const all = <A>(of: ReadonlyArray<A>, each: (one: A) => Start): Start =>
  Effect.flatMap(
    Effect.forEach(of, (one) => Effect.result(each(one))),
    (results) => {
      const failed = results.find((result) => result._tag === "Failure")
      return failed?._tag === "Failure" ? Effect.fail(failed.failure) : Effect.void
    },
  )

const follow = (eventId: string, { phaseId, rooms }: CapturedRooms): Start =>
  Effect.gen(function* () {
    const database = yield* Database
    const wanted = rooms.map((roomId) => ({
      roomId,
      egressRoom: mediaRoomOf({ eventId, phaseId: phaseId ?? "", roomId }),
    }))
    const known = yield* database.run((sql) => listCaptures(sql, eventId))
    const isWanted = ({ egressRoom }: Capture): boolean => wanted.some((one) => one.egressRoom === egressRoom)
    const missing = wanted.filter(({ egressRoom }) => !known.some((one) => one.egressRoom === egressRoom))
    const added = yield* Effect.forEach(missing, ({ roomId, egressRoom }) => {
      const id = newId()
      const capture = { id, eventId, phaseId, roomId, egressRoom }
      return database.transaction((sql) => insertCapture(sql, capture, (workspaceId) => storageKeyOf(workspaceId, id)))
    })
    const starting = [...known.filter(isWanted), ...added].filter((one) => one?.egressId === null)
    yield* all(
      known.filter((one) => !isWanted(one)),
      end,
    )
    yield* all(
      starting.filter((one) => one !== undefined),
      begin,
    )
  })

/** Does what the job says, unless the event has a newer one. */
export const capture = (eventId: string, jobId: number): Start =>
  Effect.gen(function* () {
    if ((yield* RoomRecorder) === null) return
    const wanted = yield* (yield* Database).transaction((sql) => wantedCapture(sql, eventId, jobId))
    if (wanted !== undefined) yield* follow(eventId, wanted)
  })

/** Takes in what the media server says of a recording; the same twice changes nothing. */
export const settleCapture = (facts: EgressFacts): Effect.Effect<void, Unavailable, Database | MediaSignal> =>
  Effect.gen(function* () {
    const { egressId, status, sizeBytes } = facts
    if (status === "running") return
    const isMade = status === "ended" && sizeBytes > 0
    const changed = yield* (yield* Database).run((sql) =>
      isMade ? captureEnded(sql, egressId, sizeBytes) : captureFailed(sql, egressId, NOT_MADE),
    )
    if (changed) (yield* MediaSignal).notify()
  })

/** Finds the ends whose messages were lost. */
export const sweepCaptures: Effect.Effect<void, Unavailable, Database | MediaSignal | MediaStorage> = Effect.gen(
  function* () {
    const recorder = yield* RoomRecorder
    if (recorder === null) return
    const storage = yield* MediaStorage
    const captures = yield* (yield* Database).run((sql) => unsettledCaptures(sql, SWEPT))
    for (const { egressId, egressRoom, storageKey } of captures) {
      const found = yield* recorder.find(egressId)
      if (found !== undefined) {
        yield* settleCapture(found)
        continue
      }
      // The media server has forgotten it: only the bucket can tell.
      const file = yield* storage.open(storageKey)
      const sizeBytes = file?.size ?? 0
      if (file !== null) yield* Effect.promise(file.close)
      yield* settleCapture({ egressId, room: egressRoom, key: storageKey, status: "ended", sizeBytes })
    }
  },
)
