/** Requests for a playlist that is to have a certain segment or part (blocking reload, RFC 8216bis §6.2.5.2), and for the part that comes next. */
import type { WindowState } from "./window.ts"

/** `invalid` is a 400. */
type ReloadAnswer = "ready" | "wait" | "invalid"

/** Values of the query as they came. */
export interface ReloadQuery {
  /** `_HLS_msn` */
  readonly msn: string | undefined
  /** `_HLS_part` */
  readonly part: string | undefined
}

/** How far ahead of the last whole segment a request may be. */
const SEGMENTS_AHEAD = 2
/** How much media of parts a request may be ahead of the last part. */
const PARTS_AHEAD_MS = 3000

const NUMBER = /^\d{1,15}$/

interface Wanted {
  readonly segment: number
  readonly part: number | undefined
}

/** `undefined`: the query is malformed. */
const wantedOf = ({ msn, part }: ReloadQuery): Wanted | "latest" | undefined => {
  if (msn === undefined) return part === undefined ? "latest" : undefined
  if (!NUMBER.test(msn) || (part !== undefined && !NUMBER.test(part))) return undefined
  return { segment: Number(msn), part: part === undefined ? undefined : Number(part) }
}

/** `partMs`: the longest part; `undefined` where the playlist has none, and then the query means nothing. */
export const answerReload = (state: WindowState, query: ReloadQuery, partMs: number | undefined): ReloadAnswer => {
  const wanted = wantedOf(query)
  if (wanted === undefined) return "invalid"
  if (wanted === "latest" || partMs === undefined || state.hasEnded) return "ready"
  const { segment, part } = wanted
  if (segment < state.nextSegment) return partOfWhole(state, segment, part, partMs)
  if (segment > state.nextSegment - 1 + SEGMENTS_AHEAD) return "invalid"
  if (part === undefined) return "wait"
  const there = segment === state.nextSegment ? (state.open?.parts.length ?? 0) : 0
  if (part < there) return "ready"
  return part >= there + partsAhead(partMs) ? "invalid" : "wait"
}

/** Parts beyond the last of a whole segment are the next segment's first. */
const partOfWhole = (
  { window, nextSegment, open }: WindowState,
  segment: number,
  part: number | undefined,
  partMs: number,
): ReloadAnswer => {
  const last = window.segments.at(-1)
  if (part === undefined || segment !== nextSegment - 1 || last === undefined || part < last.parts.length)
    return "ready"
  if (part >= last.parts.length + partsAhead(partMs)) return "invalid"
  return (open?.parts.length ?? 0) > 0 ? "ready" : "wait"
}

/** Whether the playlist hints at the part: players ask for it before it is there. */
export const isHinted = ({ open, nextSegment, hasEnded }: WindowState, segment: number, index: number): boolean =>
  !hasEnded && segment === nextSegment && index === (open?.parts.length ?? 0)

/** The Advance Part Limit. */
const partsAhead = (partMs: number): number => (partMs < 1000 ? Math.ceil(PARTS_AHEAD_MS / partMs) : 3)
