/** Playlist written by the media server for one take: the part of a broadcast between two pauses. */

export interface StageSegment {
  /** Name relative to the playlist; null for an entry that was not understood but has a number. */
  readonly name: string | null
  readonly seconds: number
  /** Start time as written by the media server. */
  readonly at: string | null
}

export interface TakePlaylist {
  /** Number of its first segment in the take. */
  readonly first: number
  readonly segments: ReadonlyArray<StageSegment>
  /** Whether the playlist is complete. */
  readonly hasEnded: boolean
}

export const NO_SEGMENTS: TakePlaylist = { first: 0, segments: [], hasEnded: false }

const NAME = /^[\w-]{1,100}\.ts$/
const TAG = /^#(EXTINF|EXT-X-[A-Z-]{1,40}):([^,\r]{1,60})/
/** Tags that are read, with their permitted values. */
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

/** Segment length made by the media server (`livekit/room-recorder.ts`). */
const USUAL_SECONDS = 2

const segmentOf = (name: string, tags: ReadonlyMap<Tag, string>): StageSegment => {
  const seconds = tags.get("EXTINF")
  const isUnderstood = seconds !== undefined && NAME.test(name)
  return {
    name: isUnderstood ? name : null,
    seconds: Number(seconds ?? USUAL_SECONDS),
    at: tags.get("EXT-X-PROGRAM-DATE-TIME") ?? null,
  }
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length; ) {
    const found = text.indexOf("\n", at)
    const end = found === -1 ? text.length : found
    yield text.slice(at, text.charAt(end - 1) === "\r" ? end - 1 : end)
    at = end + 1
  }
}

/**
 * Unknown lines are ignored, because another program writes the text. An entry that is not understood keeps its number if a valid one
 * follows. Yields after each line, so that a long text can be read in slices.
 */
export function* readingTake(text: string): Generator<void, TakePlaylist> {
  const segments: StageSegment[] = []
  /** Entries not understood since the last valid one. */
  let missing: StageSegment[] = []
  let first = 0
  let hasEnded = false
  /** Tags since the last segment. */
  const tags = new Map<Tag, string>()
  for (const line of linesOf(text)) {
    yield
    const tag = tagIn(line)
    if (tag !== undefined) tags.set(...tag)
    if (line === "#EXT-X-ENDLIST") hasEnded = true
    if (line.startsWith("#") || line === "") continue
    first = Number(tags.get("EXT-X-MEDIA-SEQUENCE") ?? first)
    const segment = segmentOf(line, tags)
    tags.clear()
    if (segment.name === null) {
      missing.push(segment)
      continue
    }
    if (segments.length === 0) first += missing.length
    else segments.push(...missing)
    segments.push(segment)
    missing = []
  }
  return { first, segments, hasEnded }
}
