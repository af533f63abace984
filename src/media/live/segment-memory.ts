/** Latest segments and parts in memory, from which viewers of a live broadcast are served. */

import type { LiveFile } from "./live-settings.ts"

/** Number of segments kept after they left the playlist, for slow players. */
const SEGMENTS_BEHIND = 3
/** Parts are requested only near the end. */
const SEGMENTS_WITH_PARTS = 5

export class SegmentMemory {
  readonly #segments = new Map<number, Buffer>()
  readonly #parts = new Map<number, Buffer[]>()
  readonly #inits = new Map<number, Buffer>()
  #lastTake = 0
  readonly #keep: number

  /** `window` is the number of segments in a playlist. */
  constructor(window: number) {
    this.#keep = window + SEGMENTS_BEHIND
  }

  addInit(take: number, bytes: Uint8Array): void {
    this.#inits.set(take, Buffer.from(bytes))
    this.#lastTake = Math.max(this.#lastTake, take)
  }

  get lastTake(): number {
    return this.#lastTake
  }

  /** Parts of a segment that are in memory. */
  partsOf(segment: number): ReadonlyArray<Buffer> {
    return this.#parts.get(segment) ?? []
  }

  addPart(segment: number, data: ReadonlyArray<Uint8Array>): void {
    const parts = this.#parts.get(segment) ?? []
    parts.push(Buffer.concat(data))
    this.#parts.set(segment, parts)
    this.#parts.delete(segment - SEGMENTS_WITH_PARTS)
  }

  addSegment(segment: number, data: ReadonlyArray<Uint8Array>): void {
    this.#segments.set(segment, Buffer.concat(data))
    this.#segments.delete(segment - this.#keep)
  }

  /** `undefined` when it is no longer, or not yet, in memory. */
  file(file: Exclude<LiveFile, { kind: "playlist" }>): Buffer | undefined {
    switch (file.kind) {
      case "init":
        return this.#inits.get(file.take)
      case "segment":
        return this.#segments.get(file.segment)
      case "part":
        return this.#parts.get(file.segment)?.[file.index]
    }
  }
}
