/** Broadcast and encoder, capture state and transcript of an event. */

import type { BroadcastView, CaptureView, EncoderView, PhaseView, TranscriptSegment } from "../contract/types.ts"
import type { Snapshot } from "../wire.ts"
import type { NewsOf } from "./news.ts"

/** Maximum number of segments kept; the oldest are dropped. */
const KEPT = 200

export interface Transcript {
  /** Segments in order of speech. Only segments received while connected: `ready` has none. */
  readonly segments: ReadonlyArray<TranscriptSegment>
  /** Interim segments of the current speech, as recognised so far. */
  readonly interim: ReadonlyArray<TranscriptSegment>
}

export const EMPTY_TRANSCRIPT: Transcript = { segments: [], interim: [] }

const OFF: CaptureView = { on: false, kinds: [], since: null }

export const captureIn = ({ capture }: Snapshot): CaptureView => capture ?? OFF

/** Dispatches of the broadcast include it; those of phases and timers only change the phase. */
const lastBroadcast = (broadcast: BroadcastView | null, { d }: NewsOf<"broadcast">): BroadcastView | null =>
  "broadcast" in d ? d.broadcast : broadcast

/** Broadcast of the active phase alone. `phase` is the active one after the dispatch. */
export const broadcastAfter = (
  broadcast: BroadcastView | null,
  dispatch: NewsOf<"broadcast">,
  phase: PhaseView | undefined,
): BroadcastView | null => {
  const last = lastBroadcast(broadcast, dispatch)
  return last !== null && last.phaseId === phase?.id ? last : null
}

export const encoderAfter = (_encoder: EncoderView | null, dispatch: NewsOf<"encoder">): EncoderView | null =>
  dispatch.t === "broadcast.stream" ? dispatch.d : null

/** Each room has its own ids. */
const isSame = (a: TranscriptSegment, b: TranscriptSegment): boolean => a.segment === b.segment && a.roomId === b.roomId

const without = (segments: ReadonlyArray<TranscriptSegment>, one: TranscriptSegment) =>
  segments.filter((other) => !isSame(other, one))

export const transcriptAfter = (transcript: Transcript, dispatch: NewsOf<"transcript">): Transcript => {
  switch (dispatch.t) {
    case "transcript.segment": {
      const segments = [...without(transcript.segments, dispatch.d), dispatch.d].slice(-KEPT)
      return { segments, interim: without(transcript.interim, dispatch.d) }
    }
    case "transcript.interim": {
      const isFinal = transcript.segments.some((one) => isSame(one, dispatch.d))
      return isFinal ? transcript : { ...transcript, interim: [...without(transcript.interim, dispatch.d), dispatch.d] }
    }
  }
}
