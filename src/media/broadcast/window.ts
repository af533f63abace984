/** The latest segments, which a live playlist lists. */
import type { MediaSegment, OpenSegment, SegmentPart } from "./segments.ts"

export interface ListedSegment extends MediaSegment {
  readonly parts: ReadonlyArray<SegmentPart>
}

export interface Window {
  readonly segments: ReadonlyArray<ListedSegment>
  /** Number of discontinuities among the segments that have left. */
  readonly discontinuities: number
}

export const EMPTY_WINDOW: Window = { segments: [], discontinuities: 0 }

/** `size` is the number of segments kept. */
export const withSegment = (window: Window, segment: ListedSegment, size: number): Window => {
  const all = [...window.segments, segment]
  const gone = all.slice(0, Math.max(0, all.length - size))
  return {
    segments: all.slice(gone.length),
    discontinuities: window.discontinuities + gone.filter(({ isDiscontinuous }) => isDiscontinuous).length,
  }
}

/** Restores the window from rows after a restart of the server. Parts are dropped, because nobody waits for them. */
export const windowOf = (segments: ReadonlyArray<MediaSegment>, size: number): Window =>
  segments.reduce((window, segment) => withSegment(window, { ...segment, parts: [] }, size), EMPTY_WINDOW)

/** State of a broadcast as shown in its live playlist. */
export interface WindowState {
  readonly window: Window
  readonly open: OpenSegment | undefined
  /** Number of the segment that is open or comes next. */
  readonly nextSegment: number
  readonly hasEnded: boolean
}
