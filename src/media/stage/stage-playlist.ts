/**
 * Playlists of a broadcast made by the media server. Each take (the part between two pauses) has its own playlist in the bucket, beside its
 * segments; viewers get one playlist, in which the segments have addresses and the takes follow each other.
 */
import type { PlacedSegment, TakeNow } from "./stage-numbers.ts"
import type { StageSegment } from "./take-playlist.ts"

/** Makes the address of a take's segment. */
export type AddressOf = (take: string, name: string) => string

/**
 * Rounded, as the standard requires. Computed stepwise, because broadcasts of some days have more segments than a call may have arguments.
 */
const longest = (before: number, { seconds }: StageSegment): number => Math.max(before, Math.round(seconds))

/** Players do not load the segment of a gap; its entry needs an address all the same. */
const GAP = "#EXT-X-GAP\n"
const NOTHING = "gap.ts"

/** `of` is the take of the segment. */
const entryOf = (
  { name, at, seconds }: StageSegment,
  of: string,
  addressOf: AddressOf,
  isDiscontinuous: boolean,
): string => {
  const tags = `${isDiscontinuous ? "#EXT-X-DISCONTINUITY\n" : ""}${name === null ? GAP : ""}`
  const time = at === null ? "" : `#EXT-X-PROGRAM-DATE-TIME:${at}\n`
  const address = name === null ? NOTHING : addressOf(of, name)
  return `${tags}${time}#EXTINF:${seconds.toFixed(3)},\n${address}\n`
}

const INDEPENDENT = "#EXT-X-INDEPENDENT-SEGMENTS"

/** `segments` are the last ones, consecutive. `undefined` when there is none. */
export const writeStagePlaylist = (
  segments: ReadonlyArray<PlacedSegment>,
  addressOf: AddressOf,
): string | undefined => {
  const [oldest] = segments
  if (oldest === undefined) return undefined
  const head = [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${segments.reduce(longest, 1)}`,
    `#EXT-X-MEDIA-SEQUENCE:${oldest.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${oldest.take}`,
    INDEPENDENT,
    "",
  ]
  const entries = segments.map((segment, index) =>
    entryOf(segment, segment.of, addressOf, index > 0 && segments[index - 1]?.take !== segment.take),
  )
  return `${head.join("\n")}${entries.join("")}`
}

/** Yields the text entry by entry, so that a long one can be written in slices. `takes` have their playlists of all segments, in order. */
export function* writingWholeStage(
  takes: ReadonlyArray<Pick<TakeNow, "id" | "segments">>,
  { number, take }: { readonly number: number; readonly take: number },
  addressOf: AddressOf,
): Generator<string, void> {
  const some = takes.filter(({ segments }) => segments.length > 0)
  if (some.length === 0) return
  let target = 1
  for (const { segments } of some) {
    for (const segment of segments) {
      target = longest(target, segment)
      yield ""
    }
  }
  const head = [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    `#EXT-X-TARGETDURATION:${target}`,
    `#EXT-X-MEDIA-SEQUENCE:${number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${take}`,
    INDEPENDENT,
    "",
  ]
  yield head.join("\n")
  for (const [which, { id, segments }] of some.entries()) {
    for (const [index, segment] of segments.entries()) {
      yield entryOf(segment, id, addressOf, which > 0 && index === 0)
    }
  }
  yield "#EXT-X-ENDLIST\n"
}
