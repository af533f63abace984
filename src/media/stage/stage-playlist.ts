/**
 * The playlists of a broadcast that the media server makes. Each stretch between two pauses (a take) has its own there, whose segments
 * are beside it in the bucket; viewers get one playlist, in which the segments have addresses and the takes follow each other.
 */

export interface StageSegment {
  /** Beside the playlist. */
  readonly name: string
  readonly seconds: number
  /** When it began, as the media server writes it. */
  readonly at: string | null
}

export interface TakePlaylist {
  /** The number of its first segment in the take. */
  readonly first: number
  readonly segments: ReadonlyArray<StageSegment>
  /** Nothing is added to it any more. */
  readonly hasEnded: boolean
}

const NAME = /^[\w-]{1,100}\.ts$/
const TAG = /^#(EXTINF|EXT-X-[A-Z-]{1,40}):([^,\r]{1,60})/
/** The tags that are read, and the values that they may have. */
const VALUES = {
  EXTINF: /^\d{1,4}(?:\.\d{1,6})?$/,
  "EXT-X-MEDIA-SEQUENCE": /^\d{1,9}$/,
  "EXT-X-PROGRAM-DATE-TIME": /^\d{4}-\d\d-\d\dT[\d:.]{8,20}Z$/,
} as const

type Tag = keyof typeof VALUES

const tagIn = (line: string): readonly [Tag, string] | undefined => {
  const [, tag = "", value = ""] = TAG.exec(line) ?? []
  return tag in VALUES && VALUES[tag as Tag].test(value) ? [tag as Tag, value] : undefined
}

const segmentOf = (name: string, tags: ReadonlyMap<Tag, string>): StageSegment | undefined => {
  const seconds = tags.get("EXTINF")
  if (seconds === undefined || !NAME.test(name)) return undefined
  return { name, seconds: Number(seconds), at: tags.get("EXT-X-PROGRAM-DATE-TIME") ?? null }
}

/** Lines that are not understood are left out: the text is another program's. */
export const readTakePlaylist = (text: string): TakePlaylist => {
  const lines = text.split(/\r?\n/)
  const segments: StageSegment[] = []
  let first = 0
  /** Since the last segment. */
  const tags = new Map<Tag, string>()
  for (const line of lines) {
    const tag = tagIn(line)
    if (tag !== undefined) tags.set(...tag)
    if (line.startsWith("#") || line === "") continue
    const segment = segmentOf(line, tags)
    if (segment !== undefined) segments.push(segment)
    first = Number(tags.get("EXT-X-MEDIA-SEQUENCE") ?? first)
    tags.clear()
  }
  return { first, segments, hasEnded: lines.includes("#EXT-X-ENDLIST") }
}

export interface StageTakeSegments extends TakePlaylist {
  /** The address of one of its segments. */
  readonly addressOf: (name: string) => string
}

interface Placed extends StageSegment {
  /** In the broadcast. */
  readonly number: number
  /** Which take, from 0. */
  readonly take: number
  readonly address: string
}

const placed = (takes: ReadonlyArray<StageTakeSegments>): ReadonlyArray<Placed> => {
  let found: Placed[] = []
  let before = 0
  for (const [take, { first, segments, hasEnded, addressOf }] of takes.entries()) {
    // The media server names its last segments only: those of the take before are too far behind then.
    if (first > 0) found = []
    for (const [index, segment] of segments.entries()) {
      found.push({ ...segment, take, number: before + first + index, address: addressOf(segment.name) })
    }
    // The numbers of the next take are not known as long as this one may grow.
    if (!hasEnded) break
    before += first + segments.length
  }
  return found
}

const lines = (segments: ReadonlyArray<Placed>): ReadonlyArray<string> =>
  segments.flatMap(({ take, at, seconds, address }, index) => [
    ...(index > 0 && segments[index - 1]?.take !== take ? ["#EXT-X-DISCONTINUITY"] : []),
    ...(at === null ? [] : [`#EXT-X-PROGRAM-DATE-TIME:${at}`]),
    `#EXTINF:${seconds.toFixed(3)},`,
    address,
  ])

/** Rounded, as the standard has it. Not by one call: broadcasts of some days have more segments than a call may have arguments. */
const target = (segments: ReadonlyArray<StageSegment>): number =>
  segments.reduce((longest, { seconds }) => Math.max(longest, Math.round(seconds)), 1)

/** Segments that viewers of a running broadcast are given. */
const WINDOW = 12

/** `takes`: their playlists of the last segments, in order. `undefined`: there is no segment yet. */
export const writeStagePlaylist = (takes: ReadonlyArray<StageTakeSegments>): string | undefined => {
  const segments = placed(takes).slice(-WINDOW)
  const [oldest] = segments
  if (oldest === undefined) return undefined
  const head = [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${target(segments)}`,
    `#EXT-X-MEDIA-SEQUENCE:${oldest.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${oldest.take}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
  ]
  return `${[...head, ...lines(segments)].join("\n")}\n`
}

/** `takes`: their playlists of all segments, in order. `undefined`: there is no segment. */
export const writeWholeStage = (takes: ReadonlyArray<StageTakeSegments>): string | undefined => {
  const segments = placed(takes.map((take) => ({ ...take, first: 0, hasEnded: true })))
  if (segments.length === 0) return undefined
  const head = [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    `#EXT-X-TARGETDURATION:${target(segments)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-INDEPENDENT-SEGMENTS",
  ]
  return `${[...head, ...lines(segments), "#EXT-X-ENDLIST"].join("\n")}\n`
}
