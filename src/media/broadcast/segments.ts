/** The pieces of a broadcast. Times are milliseconds of the broadcast, which begins at 0 and has no gaps. */
import type { BroadcastSegment } from "../../model/media/broadcast-segment.ts"
import type { Init } from "./fmp4/init.ts"

/** Media that one init describes. */
export interface Take {
  /** From 1. */
  readonly number: number
  /** `Init.identity`. */
  readonly identity: string
  /** Bytes of its init, with which its file begins. */
  readonly initBytes: number
}

export interface SegmentPart {
  readonly durationMs: number
  /** Starts with a key frame. */
  readonly isIndependent: boolean
}

export type MediaSegment = BroadcastSegment

/** A segment that grows. */
export interface OpenSegment extends Omit<MediaSegment, "durationMs" | "bytes"> {
  readonly parts: ReadonlyArray<SegmentPart>
}

/** A segment is whole: its bytes go to the end of the take's file. */
export interface SegmentEvent {
  readonly type: "segment"
  readonly segment: MediaSegment
  readonly parts: ReadonlyArray<SegmentPart>
  readonly data: ReadonlyArray<Uint8Array>
}

/** A part of the open segment is there. */
export interface PartEvent {
  readonly type: "part"
  readonly segment: number
  readonly index: number
  readonly part: SegmentPart
  readonly data: ReadonlyArray<Uint8Array>
}

/** The file of the take begins, with its init. */
interface TakeEvent {
  readonly type: "take"
  readonly take: Take
  readonly init: Init
}

export type TimelineEvent = TakeEvent | PartEvent | SegmentEvent

/** How far a broadcast has got; after a restart of the server it goes on from there. */
export interface Position {
  readonly nextSegment: number
  /** The end of all tracks. */
  readonly endMs: number
  readonly take: Take | undefined
  /** Of the file of the take. */
  readonly fileBytes: number
}

export const START: Position = { nextSegment: 0, endMs: 0, take: undefined, fileBytes: 0 }

/**
 * Sound may go on for a frame or two after the picture, at which a segment ends; rows do not have that. Without this much room
 * it would overlap with the next run.
 */
const ROOM_MS = 100

/** From the last row. The bytes behind the row's end are cut off the take's file. */
export const positionAfter = (last: MediaSegment | undefined, take: Take | undefined): Position =>
  last === undefined
    ? START
    : {
        nextSegment: last.number + 1,
        endMs: last.startMs + last.durationMs + ROOM_MS,
        take,
        fileBytes: last.offset + last.bytes,
      }
