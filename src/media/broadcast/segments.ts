/** Pieces of a broadcast. Times are milliseconds of the broadcast, which begins at 0 and has no gaps. */
import type { BroadcastSegment } from "../../model/media/broadcast-segment.ts"
import type { Init } from "./fmp4/init.ts"

/** Media described by one init. */
export interface Take {
  /** Number of the take, starting at 1. */
  readonly number: number
  /** Value of `Init.identity`. */
  readonly identity: string
  /** Size of its init, with which its file begins. */
  readonly initBytes: number
}

export interface SegmentPart {
  readonly durationMs: number
  /** Whether it starts with a key frame. */
  readonly isIndependent: boolean
}

export type MediaSegment = BroadcastSegment

export interface OpenSegment extends Omit<MediaSegment, "durationMs" | "bytes"> {
  readonly parts: ReadonlyArray<SegmentPart>
}

/** A complete segment: its bytes are appended to the take's file. */
export interface SegmentEvent {
  readonly type: "segment"
  readonly segment: MediaSegment
  readonly parts: ReadonlyArray<SegmentPart>
  readonly data: ReadonlyArray<Uint8Array>
}

/** A complete part of the open segment. */
export interface PartEvent {
  readonly type: "part"
  readonly segment: number
  readonly index: number
  readonly part: SegmentPart
  readonly data: ReadonlyArray<Uint8Array>
}

/** Beginning of a take's file with its init. */
interface TakeEvent {
  readonly type: "take"
  readonly take: Take
  readonly init: Init
}

export type TimelineEvent = TakeEvent | PartEvent | SegmentEvent

/** Progress of a broadcast, from which it continues after a restart of the server. */
export interface BroadcastPosition {
  readonly nextSegment: number
  /** End of all tracks. */
  readonly endMs: number
  readonly take: Take | undefined
  /** Size of the take's file. */
  readonly fileBytes: number
}

export const START: BroadcastPosition = { nextSegment: 0, endMs: 0, take: undefined, fileBytes: 0 }

/**
 * Gap before the next run. A segment ends with its picture, and rows do not record that sound continues for a frame or two: without the gap
 * this sound and the next run would overlap.
 */
const ROOM_MS = 100

/** Position after the last row. Bytes beyond the row's end are cut off the take's file. */
export const broadcastPositionAfter = (last: MediaSegment | undefined, take: Take | undefined): BroadcastPosition =>
  last === undefined
    ? START
    : {
        nextSegment: last.number + 1,
        endMs: last.startMs + last.durationMs + ROOM_MS,
        take,
        fileBytes: last.offset + last.bytes,
      }
