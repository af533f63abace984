/** Restores a broadcast from its rows, when it continues after a restart, in another process, or after an idle period. */
import type { BroadcastSegment } from "../../model/media/broadcast-segment.ts"
import type { BroadcastRows } from "../../store/media/broadcasts.ts"
import { type Init, readInit } from "../broadcast/fmp4/init.ts"
import { type BroadcastPosition, broadcastPositionAfter, type Take } from "../broadcast/segments.ts"
import { type Window, windowOf } from "../broadcast/window.ts"
import { WINDOW } from "./live-settings.ts"

interface Restored {
  readonly position: BroadcastPosition
  readonly window: Window
  /** Inits of the takes, by number. */
  readonly inits: ReadonlyMap<number, Init>
}

/** The segments after the last one without stored bytes: viewers cannot get that one. */
const listedOf = (segments: ReadonlyArray<BroadcastSegment>): ReadonlyArray<BroadcastSegment> =>
  segments.slice(segments.findLastIndex(({ bytes }) => bytes === 0) + 1)

/** Matches no init: the next encoder begins a take, even with the init of the last take. */
const OTHER_IDENTITY = ""

/** `beginsTake`: the next encoder begins a take, and the last take's file stays as it is. */
export const restoredFrom = ({ takes, segments, discontinuities }: BroadcastRows, beginsTake: boolean): Restored => {
  const inits = new Map(takes.map(({ number, init }) => [number, readInit(new Uint8Array(init))]))
  const last = takes.at(-1)
  const initBytes = last?.init.byteLength ?? 0
  const take: Take | undefined =
    last === undefined
      ? undefined
      : { number: last.number, identity: beginsTake ? OTHER_IDENTITY : last.identity, initBytes }
  const end = segments.at(-1)
  const position = broadcastPositionAfter(end, take)
  // The file of a take without a segment holds only its init.
  const isNewTake = take !== undefined && end?.take !== take.number
  return {
    position: isNewTake ? { ...position, take, fileBytes: initBytes } : position,
    window: { ...windowOf(listedOf(segments), WINDOW), discontinuities },
    inits,
  }
}
