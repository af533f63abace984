/** HLS media playlists (RFC 8216, and its second edition for parts) of a live or ended broadcast. */
import type { MediaSegment, SegmentPart } from "./segments.ts"
import { storedTimes } from "./stored-times.ts"
import type { ListedSegment, WindowState } from "./window.ts"

/** Addresses relative to the playlist. */
export interface LiveNames {
  readonly init: (take: number) => string
  readonly segment: (segment: number) => string
  readonly part: (segment: number, index: number) => string
}

export interface LiveOptions {
  readonly names: LiveNames
  readonly segmentMs: number
  /** Length of parts; without it the playlist has whole segments only. */
  readonly partMs?: number
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)

const dateTime = (at: number): string => `#EXT-X-PROGRAM-DATE-TIME:${new Date(at).toISOString()}`

/**
 * The rounded maximum, as the standard requires. Rounding up would turn 1.03 into two seconds, and players would then stay six seconds
 * behind instead of three.
 */
const targetDuration = (segments: ReadonlyArray<{ readonly durationMs: number }>, wantedMs: number): number =>
  Math.max(1, ...[wantedMs, ...segments.map(({ durationMs }) => durationMs)].map((ms) => Math.round(ms / 1000)))

type Placed = Pick<MediaSegment, "take" | "isDiscontinuous">

/** Tags that precede a segment after a change of clock or take. */
const breakTags = (
  segment: Placed,
  before: Placed | undefined,
  map: (take: number) => string,
): ReadonlyArray<string> => [
  ...(segment.isDiscontinuous ? ["#EXT-X-DISCONTINUITY"] : []),
  ...(segment.take === before?.take ? [] : [`#EXT-X-MAP:${map(segment.take)}`]),
]

const partTag = (part: SegmentPart, uri: string): string =>
  `#EXT-X-PART:DURATION=${seconds(part.durationMs)},URI="${uri}"${part.isIndependent ? ",INDEPENDENT=YES" : ""}`

/** Number of target durations before the end for which parts are listed. */
const TARGETS_WITH_PARTS = 3
/** Distance of players from the end, in parts. */
const PARTS_BEHIND = 3

const longestPart = ({ window, open }: WindowState, wantedMs: number): number =>
  Math.max(
    wantedMs,
    ...[...window.segments, ...(open === undefined ? [] : [open])]
      .flatMap(({ parts }) => parts)
      .map(({ durationMs }) => durationMs),
  )

/** Index of the first segment with parts in the playlist. */
const firstWithParts = (segments: ReadonlyArray<ListedSegment>, targetMs: number): number => {
  const end = segments.at(-1)
  if (end === undefined) return 0
  const from = end.startMs + end.durationMs - TARGETS_WITH_PARTS * targetMs
  return segments.find(({ startMs, durationMs }) => startMs + durationMs > from)?.number ?? 0
}

/** Tags that let a player wait for parts. */
const partHeader = (state: WindowState, partMs: number): ReadonlyArray<string> => {
  const longest = longestPart(state, partMs)
  return [
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${seconds(longest * PARTS_BEHIND)}`,
    `#EXT-X-PART-INF:PART-TARGET=${seconds(longest)}`,
  ]
}

/** Parts of the growing segment, and a hint at the next one. */
const openLines = (state: WindowState, names: LiveNames): ReadonlyArray<string> => {
  const { window, open, nextSegment } = state
  const parts = open?.parts ?? []
  const hint = `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${names.part(nextSegment, parts.length)}"`
  if (open === undefined || parts.length === 0) return [hint]
  return [
    ...breakTags(open, window.segments.at(-1), (take) => `URI="${names.init(take)}"`),
    dateTime(open.at),
    ...parts.map((part, index) => partTag(part, names.part(open.number, index))),
    hint,
  ]
}

/** Playlist of the last segments of a live or ended broadcast. */
export const writeLivePlaylist = (state: WindowState, options: LiveOptions): string => {
  const { window, hasEnded } = state
  const { names, segmentMs } = options
  const partMs = hasEnded ? undefined : options.partMs
  const { segments } = window
  const target = targetDuration(segments, segmentMs)
  const partsFrom = partMs === undefined ? Number.POSITIVE_INFINITY : firstWithParts(segments, target * 1000)
  const lines = [
    "#EXTM3U",
    `#EXT-X-VERSION:${partMs === undefined ? 6 : 9}`,
    `#EXT-X-TARGETDURATION:${target}`,
    ...(partMs === undefined ? [] : partHeader(state, partMs)),
    `#EXT-X-MEDIA-SEQUENCE:${segments[0]?.number ?? state.nextSegment}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${window.discontinuities}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...segments.flatMap((segment, index) => [
      ...breakTags(segment, segments[index - 1], (take) => `URI="${names.init(take)}"`),
      dateTime(segment.at),
      ...(segment.number < partsFrom ? [] : segment.parts).map((part, at) =>
        partTag(part, names.part(segment.number, at)),
      ),
      `#EXTINF:${seconds(segment.durationMs)},`,
      names.segment(segment.number),
    ]),
    ...(partMs === undefined ? [] : openLines(state, names)),
    ...(hasEnded ? ["#EXT-X-ENDLIST"] : []),
  ]
  return `${lines.join("\n")}\n`
}

/** Addresses in a recording's playlist: one for each segment and init, or byte ranges of one file per take. */
export type RecordingNames =
  | { readonly form: "names"; readonly init: LiveNames["init"]; readonly segment: LiveNames["segment"] }
  | {
      readonly form: "ranges"
      readonly file: (take: number) => string
      /** Size of the init by number of the take. */
      readonly initBytes: (take: number) => number
    }

const mapOf = (names: RecordingNames, take: number): string =>
  names.form === "names"
    ? `URI="${names.init(take)}"`
    : `URI="${names.file(take)}",BYTERANGE="${names.initBytes(take)}@0"`

const addressOf = (names: RecordingNames, { number, take, offset, bytes }: MediaSegment): ReadonlyArray<string> =>
  names.form === "names" ? [names.segment(number)] : [`#EXT-X-BYTERANGE:${bytes}@${offset}`, names.file(take)]

/** Playlist of a whole recording. `withDates` adds the time of day, from which some readers derive the recording's start. */
export const writeRecordingPlaylist = (
  segments: ReadonlyArray<MediaSegment>,
  names: RecordingNames,
  { withDates = false }: { readonly withDates?: boolean } = {},
): string => {
  const timed = storedTimes(segments)
  const lines = [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${targetDuration(timed, 0)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...timed.flatMap((segment, index) => [
      ...breakTags(segment, timed[index - 1], (take) => mapOf(names, take)),
      ...(withDates ? [dateTime(segment.at)] : []),
      `#EXTINF:${seconds(segment.durationMs)},`,
      ...addressOf(names, segment),
    ]),
    "#EXT-X-ENDLIST",
  ]
  return `${lines.join("\n")}\n`
}
