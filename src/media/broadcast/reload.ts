/** Blocking playlist reload (RFC 8216bis §6.2.5.2): requests for a playlist with a certain segment or part, and for the next part. */
import type { WindowState } from "./window.ts"

/** `invalid` leads to a 400. */
type ReloadAnswer = "ready" | "wait" | "invalid"

/** Raw query values. */
export interface ReloadQuery {
  /** Value of `_HLS_msn`. */
  readonly msn: string | undefined
  /** Value of `_HLS_part`. */
  readonly part: string | undefined
}

/** Maximum number of segments that a request may be ahead of the last whole segment. */
const SEGMENTS_AHEAD = 2
/** Maximum duration of parts that a request may be ahead of the last part. */
const PARTS_AHEAD_MS = 3000

const NUMBER = /^\d{1,15}$/

interface Wanted {
  readonly segment: number
  readonly part: number | undefined
}

/** `undefined` for a malformed query. */
const wantedOf = ({ msn, part }: ReloadQuery): Wanted | "latest" | undefined => {
  if (msn === undefined) return part === undefined ? "latest" : undefined
  if (!NUMBER.test(msn) || (part !== undefined && !NUMBER.test(part))) return undefined
  return { segment: Number(msn), part: part === undefined ? undefined : Number(part) }
}

/** `partMs` is the length of the longest part; `undefined` where the playlist has none, and then the query is ignored. */
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

/** Parts beyond the last of a whole segment are the first ones of the next segment. */
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

/** Whether the playlist hints at the part: players request it before it exists. */
export const isHinted = ({ open, nextSegment, hasEnded }: WindowState, segment: number, index: number): boolean =>
  !hasEnded && segment === nextSegment && index === (open?.parts.length ?? 0)

/** The standard's Advance Part Limit. */
const partsAhead = (partMs: number): number => (partMs < 1000 ? Math.ceil(PARTS_AHEAD_MS / partMs) : 3)
