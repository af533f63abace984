/** The common model of a transcript, into which every format is read and from which it is written. */
import { LANGUAGE_TAG, LONGEST_LANGUAGE, spokenName, spokenText, tidyLine } from "../../model/text/tidy-text.ts"

export interface Segment {
  /** Empty where the format or its author names none. */
  readonly speaker: string
  /** Language tag of BCP 47; empty when unknown. */
  readonly lang: string
  /** Milliseconds from the recording's start. */
  readonly t0: number
  readonly t1: number
  /** One or more lines, none of them empty. */
  readonly text: string
}

/** Text that is not in the expected format. `line` counts from 1. */
export class UnreadableCaptions extends Error {
  override readonly name = "UnreadableCaptions"
  readonly line: number
  readonly reason: string

  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`)
    this.line = line
    this.reason = reason
  }
}

/** A cue that a lenient reader left out. `line` counts from 1. */
export interface SkippedCue {
  readonly line: number
  readonly reason: string
}

/** The cues that a lenient reader left out: the number of all, and the first hundred with their lines. */
export interface Skipped {
  readonly count: number
  readonly first: ReadonlyArray<SkippedCue>
}

export interface ReadSegments {
  readonly segments: ReadonlyArray<Segment>
  readonly skipped: Skipped
}

const MOST_LISTED = 100
/** Segments of one transcript. */
export const MOST_SEGMENTS = 50_000
/** Characters of one segment. */
export const LONGEST_SEGMENT = 2_000
const LONGEST_NAME = 200
/** Latest accepted time: ten days, as for live captions. */
const LATEST_MS = 10 * 24 * 3_600_000

/** Empty for an invalid language tag. */
const languageOf = (text: string): string => {
  const tag = tidyLine(text)
  return tag.length <= LONGEST_LANGUAGE && LANGUAGE_TAG.test(tag) ? tag : ""
}

/** The normalised segment; `undefined` for one without text. Refuses a segment beyond the limits. */
export const segmentOf = (given: Segment, line: number): Segment | undefined => {
  const text = spokenText(given.text)
  if (text === "") return undefined
  const speaker = spokenName(given.speaker)
  if (text.length > LONGEST_SEGMENT)
    throw new UnreadableCaptions(line, `more than ${LONGEST_SEGMENT} characters of text`)
  if (speaker.length > LONGEST_NAME)
    throw new UnreadableCaptions(line, `a name of more than ${LONGEST_NAME} characters`)
  if (given.t1 < given.t0) throw new UnreadableCaptions(line, "ends before it begins")
  if (given.t1 > LATEST_MS) throw new UnreadableCaptions(line, "later than ten days")
  return { speaker, lang: languageOf(given.lang), t0: given.t0, t1: given.t1, text }
}

/** Sorts by start, then by end; segments of the same time keep their order. */
export const inOrder = (segments: ReadonlyArray<Segment>): ReadonlyArray<Segment> =>
  segments.toSorted((a, b) => a.t0 - b.t0 || a.t1 - b.t1)

/** The file has too many segments. A lenient reader refuses it too. */
class TooManySegments extends UnreadableCaptions {}

/** Collects a reader's segments up to the limit. With `lenient` a cue that cannot be read is left out; otherwise the first one is an error. */
export class SegmentList {
  readonly #segments: Segment[] = []
  readonly #first: SkippedCue[] = []
  readonly #lenient: boolean
  #skipped = 0

  constructor(lenient: boolean) {
    this.#lenient = lenient
  }

  /** Adds the segments of one cue with `add`, all or none. */
  cue(add: () => void): void {
    const before = this.#segments.length
    try {
      add()
    } catch (cause) {
      if (!this.#lenient || !(cause instanceof UnreadableCaptions) || cause instanceof TooManySegments) throw cause
      this.#segments.length = before
      this.#skipped++
      if (this.#first.length < MOST_LISTED) this.#first.push({ line: cause.line, reason: cause.reason })
    }
  }

  add(given: Segment, line: number): void {
    const segment = segmentOf(given, line)
    if (segment === undefined) return
    if (this.#segments.length === MOST_SEGMENTS) throw new TooManySegments(line, `more than ${MOST_SEGMENTS} segments`)
    this.#segments.push(segment)
  }

  /** The segments in order, and the cues that were left out. */
  result(): ReadSegments {
    return { segments: inOrder(this.#segments), skipped: { count: this.#skipped, first: this.#first } }
  }
}
