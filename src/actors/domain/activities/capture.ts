/** Captures of the event (recording, transcript), shown to everyone, and the transcript segments of a speech recogniser. */
import { type Breakout, type Capture, type ClosedRooms, ONLY } from "../../../model/live/live-records.ts"
import { segmentKey, type TranscriptSegment } from "../../../model/live/live-values.ts"
import { roomStream } from "../../../model/live/streams.ts"
import { MOST_CAPTURED_ROOMS } from "../../../model/media/captured-rooms.ts"
import type { ReplyData } from "../../../protocol/contract.ts"
import type { Refused } from "../../commands.ts"
import type { Of } from "../../state/chart-events.ts"
import { activePhaseOf, findPhase, phaseTraits } from "../../state/state.ts"
import type { ReadContext, Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { isPushedHere, stageBroadcastOf } from "./playback.ts"

const OFF: Capture = { on: false, kinds: [], since: null }

const NO_TRANSCRIPT = refuse("feature_disabled", "The active phase lacks the feature `transcript`.")

const NO_RECORDER = refuse(
  "conflict",
  "Nothing records here: no broadcast is live on this server, and the deployment has no other recorder.",
)

const hasRecorder = (turn: Turn): boolean => {
  const phase = activePhaseOf(turn.state)
  const { recorder } = turn.deployment
  if (phase === undefined || recorder === null || recorder === "events") return recorder === "events"
  return recorder === "rooms" || isPushedHere(turn, phase.id)
}

const shown = ({ records }: Pick<ReadContext, "records">): Capture => records.get("capture", ONLY) ?? OFF

const isRecording = ({ kinds }: Capture): boolean => kinds.includes("recording")

/** Tells the media server which rooms to record and broadcast from now on: the main room, and the rooms of a breakout. */
export const captureRooms = (turn: Turn): void => {
  const { recorder, hasStageBroadcasts } = turn.deployment
  if (recorder !== "rooms" && !hasStageBroadcasts) return
  const phaseId = activePhaseOf(turn.state)?.id ?? null
  const broadcastId = phaseId === null ? null : stageBroadcastOf(turn, phaseId)
  const isRecorded = recorder === "rooms" && isRecording(shown(turn))
  // The broadcast of the main room is also its recording.
  const main = broadcastId === null ? [null] : []
  const rooms = isRecorded ? [...main, ...turn.all("room").keys()] : []
  turn.captured = { phaseId, rooms: rooms.slice(0, MOST_CAPTURED_ROOMS), broadcastId }
}

/** Called when the rooms of the phase have changed. */
export const roomsChanged = (turn: Turn): void => {
  if (isRecording(shown(turn))) captureRooms(turn)
}

const kindsOf = ({ d: { kinds } }: Of<"capture.start">): Capture["kinds"] => [...new Set(kinds)].toSorted()

/** Whether broadcasts are recorded: such a recording ends with its broadcast. */
const records = (turn: Turn): boolean => turn.deployment.recorder === "broadcasts" && isRecording(shown(turn))

/** Chart guards on captures. */
export const captureGuards = {
  isCaptured: (turn: Turn) => shown(turn).on,
  lacksTranscript: (turn: Turn, command: Of<"capture.start">) =>
    kindsOf(command).includes("transcript") && activePhaseOf(turn.state)?.featureSet.includes("transcript") !== true,
  /** Everyone is shown that a recording runs, so it must not be announced if nothing records. */
  lacksRecorder: (turn: Turn, command: Of<"capture.start">) =>
    kindsOf(command).includes("recording") && !hasRecorder(turn),
  records,
  /** The broadcast's recording is the only capture. */
  recordsAlone: (turn: Turn) => records(turn) && shown(turn).kinds.length === 1,
}

const show = (turn: Turn, capturing: Capture): ReplyData<"capture.start"> => {
  turn.publish("capture.state", "event", { ...capturing })
  return { ...capturing }
}

/** Chart actions on the recording and the transcript. */
export const captureActions = {
  capture: (turn: Turn, command: Of<"capture.start">): ReplyData<"capture.start"> => {
    const kinds = kindsOf(command)
    const before = shown(turn)
    if (before.on && before.kinds.join() === kinds.join()) return { ...before }
    const capturing: Capture = { on: true, kinds, since: before.since ?? turn.at }
    turn.put("capture", ONLY, capturing)
    if (isRecording(capturing) || isRecording(before)) captureRooms(turn)
    return show(turn, capturing)
  },
  stopCapture: (turn: Turn): ReplyData<"capture.stop"> => {
    const before = shown(turn)
    turn.put("capture", ONLY, OFF)
    if (isRecording(before)) captureRooms(turn)
    return show(turn, OFF)
  },
  /** Stops announcing a recording; a transcript continues. */
  dropRecording: (turn: Turn): void => {
    const before = shown(turn)
    const capturing: Capture = { ...before, kinds: before.kinds.filter((kind) => kind !== "recording") }
    turn.put("capture", ONLY, capturing)
    show(turn, capturing)
  },
  answerNoCapture: (): ReplyData<"capture.stop"> => ({ ...OFF }),
  refuseTranscript: (): Refused => NO_TRANSCRIPT,
  refuseRecorder: (): Refused => NO_RECORDER,
}

/** Time in which a recogniser may send the last words of a room after the room ended. */
const LATE_MS = 30_000

const lately = (turn: Turn): ClosedRooms =>
  (turn.get("closedRooms", ONLY) ?? []).filter(({ at }) => turn.now - at <= LATE_MS)

/** Remembers the rooms of a breakout before they are removed. Rooms of a phase without transcripts get no captions. */
export const noteClosedRooms = (turn: Turn, { phaseId }: Breakout): void => {
  if (findPhase(turn.state, phaseId)?.featureSet.includes("transcript") !== true) return
  turn.put("closedRooms", ONLY, [...lately(turn), { at: turn.now, ids: [...turn.all("room").keys()] }])
}

const hasJustClosed = (turn: Turn, roomId: string): boolean => lately(turn).some(({ ids }) => ids.includes(roomId))

/** The rooms named by the segments that are not open: neither breakout rooms nor rooms of a rotation round, which only its seats name. */
const closedRoomsOf = (turn: Turn, segments: ReadonlyArray<TranscriptSegment>): ReadonlySet<string> => {
  const others = segments.flatMap(({ roomId }) =>
    roomId === undefined || turn.get("room", roomId) !== undefined ? [] : [roomId],
  )
  if (others.length === 0) return new Set()
  const seated = new Set(Array.from(turn.all("seat").values(), ({ roomId }) => roomId))
  return new Set(others.filter((roomId) => !seated.has(roomId)))
}

export const capture = {
  commands: {
    "transcript.push": (turn, { segments }) => {
      const closed = closedRoomsOf(turn, segments)
      const isLate = ({ roomId }: TranscriptSegment): boolean => roomId !== undefined && closed.has(roomId)
      // The permission rules do not check callers with a workspace key. Late segments belong to a phase that had the feature.
      const hasTranscript = phaseTraits(turn.state).featureSet.includes("transcript")
      if (!hasTranscript && !segments.every(isLate)) return NO_TRANSCRIPT
      if ([...closed].some((roomId) => !hasJustClosed(turn, roomId))) return noSuch("room")
      for (const segment of segments) {
        const stream = segment.roomId === undefined ? "event" : roomStream(segment.roomId)
        const key = segmentKey(segment)
        if (segment.final) {
          turn.put("caption", key, segment)
          turn.forget("caption", key)
          // A closed room has no participants.
          if (!isLate(segment)) turn.publish("transcript.segment", stream, segment)
        } else if (!isLate(segment)) turn.publishEphemeral("transcript.interim", stream, segment, key)
      }
      return { accepted: segments.length }
    },
  },
  view: (context) => ({ capture: { ...shown(context) } }),
} satisfies Activity
