/** A growing segment: its fragments, and the parts that they form. */
import type { Fragment } from "./fmp4/fragment.ts"
import { EncoderRefused } from "./fmp4/refusal.ts"
import type { MediaSegment, OpenSegment, SegmentEvent, SegmentPart, TimelineEvent } from "./segments.ts"

/** Bounded, because fragments without a duration would make a segment grow without end. */
const LARGEST_SEGMENT = 32 * 1024 * 1024
const MOST_FRAGMENTS = 1000

export class SegmentBuilder {
  readonly #head: Omit<OpenSegment, "parts">
  readonly #data: Uint8Array[] = []
  readonly #parts: SegmentPart[] = []
  #bytes = 0
  /** Index of the incomplete part's first fragment. */
  #from = 0
  /** Duration of the incomplete part. */
  #pendingMs = 0
  /** Whether the incomplete part starts with a key frame. */
  #isIndependent = false

  constructor(head: Omit<OpenSegment, "parts">) {
    this.#head = head
  }

  get startMs(): number {
    return this.#head.startMs
  }

  get view(): OpenSegment {
    return { ...this.#head, parts: [...this.#parts] }
  }

  add({ bytes }: Fragment, durationMs: number, isKey: boolean): void {
    this.#bytes += bytes.length
    if (this.#bytes > LARGEST_SEGMENT || this.#data.length === MOST_FRAGMENTS)
      throw new EncoderRefused("too_large", "Too much came since the last key frame: set one every second or two.")
    if (this.#from === this.#data.length) this.#isIndependent = isKey
    this.#data.push(bytes)
    this.#pendingMs += durationMs
  }

  /** The part, if it has become long enough. */
  partsReady(leastMs: number): ReadonlyArray<TimelineEvent> {
    if (this.#from === this.#data.length || this.#pendingMs < leastMs) return []
    const data = this.#data.slice(this.#from)
    const part: SegmentPart = {
      durationMs: Math.max(1, Math.round(this.#pendingMs)),
      isIndependent: this.#isIndependent,
    }
    const index = this.#parts.push(part) - 1
    this.#from = this.#data.length
    this.#pendingMs = 0
    return [{ type: "part", segment: this.#head.number, index, part, data }]
  }

  /** Closes the last part and the segment. */
  close(endMs: number): { readonly segment: MediaSegment; readonly events: ReadonlyArray<TimelineEvent> } {
    const lastPart = this.partsReady(0)
    const segment: MediaSegment = {
      ...this.#head,
      bytes: this.#bytes,
      durationMs: Math.max(0, endMs - this.#head.startMs),
    }
    const whole: SegmentEvent = { type: "segment", segment, parts: [...this.#parts], data: [...this.#data] }
    return { segment, events: [...lastPart, whole] }
  }
}
