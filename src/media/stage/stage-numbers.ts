/**
 * Segment numbers in a broadcast of several takes. A number is given once and never goes back: a take that failed, or whose recording was
 * deleted, keeps its numbers, which are then missing.
 */
import type { StageNumbers, TakePlace } from "../../store/media/stage-takes.ts"
import type { StageSegment, TakePlaylist } from "./take-playlist.ts"

/** A take with its current playlist. */
export interface TakeNow extends TakePlaylist {
  readonly id: string
  readonly place: TakePlace | null
}

export interface PlacedSegment extends StageSegment {
  /** Number in the broadcast. */
  readonly number: number
  /** Take index in the broadcast, starting at 0. */
  readonly take: number
  /** Take to which the segment belongs. */
  readonly of: string
}

interface StagePlan {
  /** The last segments, consecutive. */
  readonly segments: ReadonlyArray<PlacedSegment>
  /** Numbers to store before viewers see these segments. */
  readonly numbers: StageNumbers
  /** Positions of newly placed takes, by id. */
  readonly places: ReadonlyMap<string, TakePlace>
}

/** Number of segments given to viewers of a running broadcast. */
const WINDOW = 12

/** Index after the last take that was shown. */
const newFrom = (takes: ReadonlyArray<TakeNow>): number => takes.findLastIndex(({ place }) => place !== null) + 1

/** Exclusive end of a shown take's segment numbers; null when it may grow, because no later take was shown. */
const endOf = (takes: ReadonlyArray<TakeNow>, { take, first }: TakePlace, shown: StageNumbers): number | null => {
  if (take === shown.takes - 1) return null
  // If the next take is gone, its start is unknown, and nothing more of this one is shown.
  return takes.find(({ place }) => place?.take === take + 1)?.place?.first ?? first
}

const placedIn = (one: TakeNow, { take, first }: TakePlace, end: number | null): ReadonlyArray<PlacedSegment> =>
  one.segments
    .map((segment, index) => ({ ...segment, take, number: first + one.first + index, of: one.id }))
    .filter(({ number }) => end === null || number < end)

/** Appends the segments. A playlist has no gaps, so those before a missing number are dropped. */
const followed = (
  before: ReadonlyArray<PlacedSegment>,
  segments: ReadonlyArray<PlacedSegment>,
): ReadonlyArray<PlacedSegment> => {
  const [oldest] = segments
  if (oldest === undefined) return before
  return before.at(-1)?.number === oldest.number - 1 ? [...before, ...segments] : segments
}

/** `takes` have their playlists of the last segments, in order. `shown` is the previous state. */
export const planStage = (takes: ReadonlyArray<TakeNow>, shown: StageNumbers): StagePlan => {
  const fresh = newFrom(takes)
  const places = new Map<string, TakePlace>()
  let { next } = shown
  let found: ReadonlyArray<PlacedSegment> = []
  for (const [index, one] of takes.entries()) {
    const end = one.place === null ? null : endOf(takes, one.place, shown)
    // A later take was shown first, so no number is left for this one.
    const isLate = one.place === null && index < fresh
    const place = one.place ?? { take: shown.takes + places.size, first: next }
    const segments = isLate ? [] : placedIn(one, place, end)
    if (segments.length > 0 && one.place === null) places.set(one.id, place)
    found = followed(found, segments)
    next = Math.max(next, (segments.at(-1)?.number ?? -1) + 1)
    // The numbers of the next take are unknown as long as this one may grow.
    if (!one.hasEnded && !isLate && end === null) break
  }
  const segments = found.filter(({ number }) => number >= shown.oldest).slice(-WINDOW)
  const numbers = { oldest: segments[0]?.number ?? shown.oldest, next, takes: shown.takes + places.size }
  return { segments, numbers, places }
}

/** Numbers of the first segment and of the first take in the playlist of everything that is left, whose last segment keeps its number. */
export const beginningOf = (
  takes: ReadonlyArray<TakeNow>,
  shown: StageNumbers,
): { readonly number: number; readonly take: number } => {
  const fresh = newFrom(takes)
  let [end, last] = [0, -1]
  let listed = 0
  const some = takes
    .map((take, index) => ({ ...take, isNew: index >= fresh }))
    .filter(({ segments }) => segments.length > 0)
  for (const { place, first, segments, isNew } of some) {
    end = (place?.first ?? Math.max(end, isNew ? shown.next : 0)) + first + segments.length
    last = place?.take ?? Math.max(last + 1, isNew ? shown.takes : 0)
    listed += segments.length
  }
  return { number: Math.max(0, end - listed), take: Math.max(0, last + 1 - some.length) }
}
