/** The playlist that the media server writes of one take: the stretch of a broadcast between two pauses. */

export interface StageSegment {
  /** Beside the playlist; null: its entry was not understood, but it has a number. */
  readonly name: string | null
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

export const NO_SEGMENTS: TakePlaylist = { first: 0, segments: [], hasEnded: false }

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

/** The media server makes them as long as this (`livekit/room-recorder.ts`). */
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
 * Lines that are not understood are left out: the text is another program's. An entry that is not understood keeps its number if one
 * that is understood follows. Yields after each line, so that a long text may be read in slices.
 */
export function* readingTake(text: string): Generator<void, TakePlaylist> {
  const segments: StageSegment[] = []
  /** Not understood, since the last one that was. */
  let missing: StageSegment[] = []
  let first = 0
  let hasEnded = false
  /** Since the last segment. */
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
