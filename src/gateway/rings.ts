/**
 * The history of every stream of an event. The shared ones always have a ring; a room's and a participant's own have one
 * while there is something to replay, so that what is kept does not grow with the audience.
 */
import { toMillis } from "../model/timestamp.ts"
import type { StoredPublication } from "../store/live-events.ts"
import { Ring, type RingLimits } from "./ring.ts"
import { isShared, type StreamName } from "./streams.ts"

/** Bytes of history kept per stream, about. */
const MAX_RING_LENGTH = 4_194_304

export class Rings {
  readonly #limits: RingLimits
  readonly #rings = new Map<StreamName, Ring>()
  #heads = new Map<StreamName, number>()

  constructor(maxAgeMs: number, maxEntries: number) {
    this.#limits = { maxAgeMs, maxEntries, maxLength: MAX_RING_LENGTH }
  }

  /** Highest `s` of a stream; 0 when it never had any. */
  head(stream: StreamName): number {
    return this.#heads.get(stream) ?? 0
  }

  /** Adds the next dispatch of a stream; false when it is not the next. */
  push(stream: StreamName, s: number, frame: string, at: number): boolean {
    if (s !== this.head(stream) + 1) return false
    const ring = this.#rings.get(stream) ?? new Ring(this.#limits, s - 1)
    this.#rings.set(stream, ring)
    ring.push(frame, at)
    this.#heads.set(stream, s)
    return true
  }

  /** Can a client that has seen `cursor` be brought up by a replay alone? */
  covers(stream: StreamName, cursor: number): boolean {
    return this.#rings.get(stream)?.covers(cursor) ?? cursor === this.head(stream)
  }

  /** Frames after `cursor` up to and including `upTo`. The caller has asked `covers`. */
  between(stream: StreamName, cursor: number, upTo: number): ReadonlyArray<string> {
    return this.#rings.get(stream)?.between(cursor, upTo) ?? []
  }

  /** Do these stored dispatches continue right where we end, in every stream? */
  reach(heads: { readonly [stream: string]: number }, stored: ReadonlyArray<StoredPublication>): boolean {
    const first = new Map<StreamName, number>()
    for (const { stream, s } of stored) {
      if (s > this.head(stream) && !first.has(stream)) first.set(stream, s)
    }
    return Object.entries(heads).every(
      ([stream, head]) => head <= this.head(stream) || first.get(stream) === this.head(stream) + 1,
    )
  }

  /** Begins anew from what is stored. */
  restore(heads: { readonly [stream: string]: number }, stored: ReadonlyArray<StoredPublication>): void {
    this.#rings.clear()
    this.#heads = new Map(Object.entries(heads))
    for (const { stream, s, frame, at } of stored) {
      const ring = this.#rings.get(stream) ?? new Ring(this.#limits, s - 1)
      this.#rings.set(stream, ring)
      ring.push(frame, toMillis(at))
    }
  }

  trim(now: number): void {
    for (const [stream, ring] of this.#rings) {
      ring.trim(now)
      if (ring.isEmpty && !isShared(stream)) this.#rings.delete(stream)
    }
  }
}
