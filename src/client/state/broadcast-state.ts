/** The broadcast, the capture state and the transcript of an event. */

import type { TranscriptSegment } from "../../model/live/live-values.ts"
import type { PhaseView } from "../../protocol/topics/agenda.ts"
import type { BroadcastView, CaptureView } from "../../protocol/topics/media.ts"
import type { Dispatch } from "../wire.ts"
import type { Snapshot } from "./snapshot.ts"

/** Segments kept; the oldest go. */
const KEPT = 200

export interface Transcript {
  /** In the order of speech. Only segments received while connected: `ready` has none. */
  readonly segments: ReadonlyArray<TranscriptSegment>
  /** Interim segments of the present speech, as far as the recogniser understood it. */
  readonly interim: ReadonlyArray<TranscriptSegment>
}

export const NOTHING_SAID: Transcript = { segments: [], interim: [] }

const OFF: CaptureView = { on: false, kinds: [], since: null }

export const captureIn = ({ capture }: Snapshot): CaptureView => capture ?? OFF

/** Of the active phase alone. */
export const broadcastAfter = (
  broadcast: BroadcastView | null,
  dispatch: Dispatch,
  phase: PhaseView | undefined,
): BroadcastView | null => {
  const { t } = dispatch
  const isTold = t === "broadcast.live" || t === "broadcast.paused" || t === "broadcast.ended"
  const last = isTold ? dispatch.d.broadcast : broadcast
  return last !== null && last.phaseId === phase?.id ? last : null
}

const without = (segments: ReadonlyArray<TranscriptSegment>, { segment }: TranscriptSegment) =>
  segments.filter((other) => other.segment !== segment)

export const transcriptAfter = (transcript: Transcript, dispatch: Dispatch): Transcript => {
  switch (dispatch.t) {
    case "transcript.segment": {
      const segments = [...without(transcript.segments, dispatch.d), dispatch.d].slice(-KEPT)
      return { segments, interim: without(transcript.interim, dispatch.d) }
    }
    case "transcript.interim": {
      const isSaid = transcript.segments.some(({ segment }) => segment === dispatch.d.segment)
      return isSaid ? transcript : { ...transcript, interim: [...without(transcript.interim, dispatch.d), dispatch.d] }
    }
    default:
      return transcript
  }
}
