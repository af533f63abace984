/** The segments that a live playlist has: the latest few. */
import type { MediaSegment, OpenSegment, SegmentPart } from "./segments.ts"

export interface ListedSegment extends MediaSegment {
  readonly parts: ReadonlyArray<SegmentPart>
}

export interface Window {
  readonly segments: ReadonlyArray<ListedSegment>
  /** Of the segments that have left: how many were discontinuous. */
  readonly discontinuities: number
}

export const EMPTY_WINDOW: Window = { segments: [], discontinuities: 0 }

/** `size`: how many segments stay. */
export const withSegment = (window: Window, segment: ListedSegment, size: number): Window => {
  const all = [...window.segments, segment]
  const gone = all.slice(0, Math.max(0, all.length - size))
  return {
    segments: all.slice(gone.length),
    discontinuities: window.discontinuities + gone.filter(({ isDiscontinuous }) => isDiscontinuous).length,
  }
}

/** From rows, after a restart of the server. Parts are forgotten: nobody waits for them any more. */
export const windowOf = (segments: ReadonlyArray<MediaSegment>, size: number): Window =>
  segments.reduce((window, segment) => withSegment(window, { ...segment, parts: [] }, size), EMPTY_WINDOW)

/** A broadcast as its live playlist shows it. */
export interface WindowState {
  readonly window: Window
  readonly open: OpenSegment | undefined
  /** Of the segment that comes next, or is open. */
  readonly nextSegment: number
  readonly hasEnded: boolean
}
