/**
 * The history of every stream of an event. The shared ones always have a ring; a room's and a participant's own have one
 * while there is something to replay, so that what is kept does not grow with the audience. For the same reason the heads of
 * own streams are kept only for participants who are connected or were until a moment ago; others are read when they come.
 */
import { toMillis } from "../../model/timestamp.ts"
import type { StoredPublication } from "../../store/live-history.ts"
import { isShared, ownerOf, type StreamName } from "../broadcast/stream-names.ts"
import { type Outgoing, outgoing } from "../transport/outgoing.ts"
import { ReplayBuffer, type RingLimits } from "./replay-buffer.ts"

/** Bytes of history kept per stream, about. */
const MAX_RING_LENGTH = 4_194_304

/** Highest `s` by stream. */
export type StreamHeads = { readonly [stream: string]: number }

export class ReplayBuffers {
  readonly #limits: RingLimits
  readonly #rings = new Map<StreamName, ReplayBuffer>()
  #heads = new Map<StreamName, number>()
  /** Own streams that nobody heard when it was last looked; Unix milliseconds. */
  #unheard: ReadonlySet<StreamName> = new Set()
  #lookedAt = 0

  constructor(maxAgeMs: number, maxEntries: number) {
    this.#limits = { maxAgeMs, maxEntries, maxLength: MAX_RING_LENGTH }
  }

  /** Is it known how far a stream has come? Of an open room and of the shared streams always. */
  knows(stream: StreamName): boolean {
    return this.#heads.has(stream) || ownerOf(stream) === undefined
  }

  /** Participants' own streams of which it is known. */
  get owned(): ReadonlyArray<StreamName> {
    return [...this.#heads.keys()].filter((stream) => ownerOf(stream) !== undefined)
  }

  /** Highest `s` of a stream that is known; 0 when it never had any. */
  head(stream: StreamName): number {
    return this.#heads.get(stream) ?? 0
  }

  /**
   * Adds the next dispatch of a stream; false when it is not the next. The live event is heard without a hole, so what it
   * says on a stream that is not known is the next there.
   */
  push(stream: StreamName, s: number, dispatch: Outgoing, at: number): boolean {
    if (this.knows(stream) && s !== this.head(stream) + 1) return false
    const ring = this.#rings.get(stream) ?? new ReplayBuffer(this.#limits, s - 1)
    this.#rings.set(stream, ring)
    ring.push(dispatch, at)
    this.#heads.set(stream, s)
    return true
  }

  /** Can a client that has seen `cursor` be brought up by a replay alone? */
  covers(stream: StreamName, cursor: number): boolean {
    return this.#rings.get(stream)?.covers(cursor) ?? (this.knows(stream) && cursor === this.head(stream))
  }

  /** Dispatches after `cursor` up to and including `upTo`. The caller has asked `covers`. */
  between(stream: StreamName, cursor: number, upTo: number): ReadonlyArray<Outgoing> {
    return this.#rings.get(stream)?.between(cursor, upTo) ?? []
  }

  /** Do these stored dispatches continue right where we end, in every stream that is known? */
  reach(heads: StreamHeads, stored: ReadonlyArray<StoredPublication>): boolean {
    const first = new Map<StreamName, number>()
    for (const { stream, s } of stored) {
      if (s > this.head(stream) && !first.has(stream)) first.set(stream, s)
    }
    return (
      this.owned.every((stream) => stream in heads) &&
      Object.entries(heads).every(
        ([stream, head]) =>
          !this.knows(stream) || head <= this.head(stream) || first.get(stream) === this.head(stream) + 1,
      )
    )
  }

  /** Begins anew from what is stored. */
  restore(heads: StreamHeads, stored: ReadonlyArray<StoredPublication>): void {
    this.#rings.clear()
    this.#heads = new Map(Object.entries(heads))
    for (const publication of stored) this.#refill(publication)
    this.#dropUnfinished(Object.keys(heads))
  }

  /** Takes in streams that were not known. A stream that has become known meanwhile is left as it is, because that is newer. */
  learn(heads: StreamHeads, stored: ReadonlyArray<StoredPublication>): void {
    const unknown = new Set(Object.keys(heads).filter((stream) => !this.knows(stream)))
    for (const stream of unknown) this.#heads.set(stream, heads[stream] ?? 0)
    for (const publication of stored) if (unknown.has(publication.stream)) this.#refill(publication)
    this.#dropUnfinished(unknown)
  }

  /** Lets go of what is too old. `isHeard`: is a participant here whose own stream it is? */
  trim(now: number, isHeard: (participantId: string) => boolean): void {
    for (const [stream, ring] of this.#rings) {
      ring.trim(now)
      if (ring.isEmpty && !isShared(stream)) this.#rings.delete(stream)
    }
    // A participant whose link broke usually comes back within the age of the history, and then needs no reading.
    if (now - this.#lookedAt < this.#limits.maxAgeMs) return
    this.#lookedAt = now
    const unheard = this.owned.filter((stream) => !this.#rings.has(stream) && !isHeard(ownerOf(stream) ?? ""))
    for (const stream of unheard) if (this.#unheard.has(stream)) this.#heads.delete(stream)
    this.#unheard = new Set(unheard.filter((stream) => this.#heads.has(stream)))
  }

  /** Adds a stored dispatch. One that does not follow upon the one before begins its ring anew. */
  #refill(publication: StoredPublication): void {
    const { stream, s, at } = publication
    if (s > this.head(stream)) return
    const known = this.#rings.get(stream)
    const ring = known?.head === s - 1 ? known : new ReplayBuffer(this.#limits, s - 1)
    this.#rings.set(stream, ring)
    ring.push(outgoing(publication), toMillis(at))
  }

  /** A ring that does not reach its stream's head replays nothing whole. */
  #dropUnfinished(streams: Iterable<StreamName>): void {
    for (const stream of streams) if (this.#rings.get(stream)?.head !== this.head(stream)) this.#rings.delete(stream)
  }
}
