/** The captures of the event (recording, transcript), shown to everyone, and the transcript segments of a recogniser. */
import { type Capture, ONLY } from "../../../model/live/live-records.ts"
import { segmentKey, type TranscriptSegment } from "../../../model/live/live-values.ts"
import { roomStream } from "../../../model/live/streams.ts"
import { MOST_CAPTURED_ROOMS } from "../../../model/media/captured-rooms.ts"
import { activePhaseOf, phaseTraits } from "../state.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { isPushedHere, stageBroadcastOf } from "./playback.ts"
import { hasJustClosed } from "./rooms/closed-rooms.ts"

const OFF: Capture = { on: false, kinds: [], since: null }

const NO_TRANSCRIPT = refuse("feature_disabled", "The active phase lacks the feature `transcript`.")

const NO_RECORDER = refuse(
  "conflict",
  "Nothing records here: no broadcast is live on this server, and the deployment has no other recorder.",
)

const hasRecorder = (turn: Turn): boolean => {
  const phase = activePhaseOf(turn.state)
  if (turn.recorder === "rooms") return phase !== undefined
  if (turn.recorder !== "broadcasts") return turn.recorder === "events"
  return phase !== undefined && isPushedHere(turn, phase.id)
}

const isRecording = ({ kinds }: Capture): boolean => kinds.includes("recording")

/** Tells the media server which rooms it has to record and broadcast from now on: the main room, and the rooms of a breakout. */
export const captureRooms = (turn: Turn): void => {
  if (turn.recorder !== "rooms" && !turn.hasStageBroadcasts) return
  const phaseId = activePhaseOf(turn.state)?.id ?? null
  const broadcastId = phaseId === null ? null : stageBroadcastOf(turn, phaseId)
  const isRecorded = turn.recorder === "rooms" && isRecording(turn.get("capture", ONLY) ?? OFF)
  // The broadcast of the main room is its recording.
  const main = broadcastId === null ? [null] : []
  const rooms = isRecorded ? [...main, ...turn.all("room").keys()] : []
  turn.captured = { phaseId, rooms: rooms.slice(0, MOST_CAPTURED_ROOMS), broadcastId }
}

/** The rooms of the phase have changed. */
export const roomsChanged = (turn: Turn): void => {
  if (isRecording(turn.get("capture", ONLY) ?? OFF)) captureRooms(turn)
}

const stop = (turn: Turn): Capture => {
  const before = turn.get("capture", ONLY)
  if (before?.on !== true) return OFF
  turn.put("capture", ONLY, OFF)
  if (isRecording(before)) captureRooms(turn)
  turn.publish("capture.state", "event", { ...OFF })
  return OFF
}

/** The broadcast that was recorded has ended: a recording is announced no longer, a transcript goes on. */
export const stopRecording = (turn: Turn): void => {
  const before = turn.get("capture", ONLY)
  if (turn.recorder !== "broadcasts" || before?.on !== true || !before.kinds.includes("recording")) return
  const kinds = before.kinds.filter((kind) => kind !== "recording")
  if (kinds.length === 0) {
    stop(turn)
    return
  }
  const capturing: Capture = { ...before, kinds }
  turn.put("capture", ONLY, capturing)
  turn.publish("capture.state", "event", { ...capturing })
}

/** The rooms of the segments that are not open: neither rooms of a breakout, nor those of a rotation's round, which only its seats name. */
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
    "capture.start": (turn, { kinds: asked }) => {
      const kinds = [...new Set(asked)].toSorted()
      const features = activePhaseOf(turn.state)?.featureSet ?? []
      if (kinds.includes("transcript") && !features.includes("transcript")) {
        return NO_TRANSCRIPT
      }
      // Everyone is shown that a recording runs, so it must not be announced where nothing records.
      if (kinds.includes("recording") && !hasRecorder(turn)) return NO_RECORDER
      const before = turn.get("capture", ONLY) ?? OFF
      if (before.on && before.kinds.join() === kinds.join()) return { ...before }
      const capturing: Capture = { on: true, kinds, since: before.since ?? turn.at }
      turn.put("capture", ONLY, capturing)
      if (isRecording(capturing) || isRecording(before)) captureRooms(turn)
      turn.publish("capture.state", "event", { ...capturing })
      return { ...capturing }
    },
    "capture.stop": (turn) => ({ ...stop(turn) }),
    "transcript.push": (turn, { segments }) => {
      const closed = closedRoomsOf(turn, segments)
      const isLate = ({ roomId }: TranscriptSegment): boolean => roomId !== undefined && closed.has(roomId)
      // The permission rules do not check callers with a key of the workspace. Late words are of a phase that had the feature.
      const hasTranscript = phaseTraits(turn.state).featureSet.includes("transcript")
      if (!hasTranscript && !segments.every(isLate)) return NO_TRANSCRIPT
      if ([...closed].some((roomId) => !hasJustClosed(turn, roomId))) return noSuch("room")
      for (const segment of segments) {
        const stream = segment.roomId === undefined ? "event" : roomStream(segment.roomId)
        const key = segmentKey(segment)
        if (segment.final) {
          turn.put("caption", key, segment)
          turn.forget("caption", key)
          // Nobody is in a room that has closed.
          if (!isLate(segment)) turn.publish("transcript.segment", stream, segment)
        } else if (!isLate(segment)) turn.publishEphemeral("transcript.interim", stream, segment, key)
      }
      return { accepted: segments.length }
    },
  },
  phaseEnded: stop,
  view: ({ records }) => ({ capture: { ...(records.get("capture", ONLY) ?? OFF) } }),
} satisfies Activity
