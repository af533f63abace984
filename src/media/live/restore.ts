/**
 * A broadcast from its rows, where it goes on after a restart of the process, in another process, or after a while without anyone.
 */
import type { BroadcastSegment } from "../../model/media/broadcast-segment.ts"
import type { BroadcastRows } from "../../store/media/broadcasts.ts"
import { type Init, readInit } from "../broadcast/fmp4/init.ts"
import { type Position, positionAfter, type Take } from "../broadcast/segments.ts"
import { type Window, windowOf } from "../broadcast/window.ts"
import { WINDOW } from "./live-settings.ts"

interface Restored {
  readonly position: Position
  readonly window: Window
  /** Of the takes, by number. */
  readonly inits: ReadonlyMap<number, Init>
}

/** Those after the last that is not stored: viewers cannot get it. */
const listedOf = (segments: ReadonlyArray<BroadcastSegment>): ReadonlyArray<BroadcastSegment> =>
  segments.slice(segments.findLastIndex(({ bytes }) => bytes === 0) + 1)

/** Of no description: the next encoder begins a take, also with the description that the last take has. */
const OTHER_IDENTITY = ""

/** `beginsTake`: the file of the last take is left as it is. */
export const restoredFrom = ({ takes, segments, discontinuities }: BroadcastRows, beginsTake: boolean): Restored => {
  const inits = new Map(takes.map(({ number, init }) => [number, readInit(new Uint8Array(init))]))
  const last = takes.at(-1)
  const initBytes = last?.init.byteLength ?? 0
  const take: Take | undefined =
    last === undefined
      ? undefined
      : { number: last.number, identity: beginsTake ? OTHER_IDENTITY : last.identity, initBytes }
  const end = segments.at(-1)
  const position = positionAfter(end, take)
  // The file of a take without a segment has its description alone.
  const isNewTake = take !== undefined && end?.take !== take.number
  return {
    position: isNewTake ? { ...position, take, fileBytes: initBytes } : position,
    window: { ...windowOf(listedOf(segments), WINDOW), discontinuities },
    inits,
  }
}
