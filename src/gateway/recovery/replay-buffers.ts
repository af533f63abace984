/**
 * Replay buffers of an event's streams. Shared streams always have a buffer. Streams of rooms and participants have one while there is
 * something to replay, so that memory does not grow with the audience. For the same reason the heads of own streams are kept only for
 * participants who are or recently were connected; others are read on return.
 */

import { isSharedStream, ownerOf } from "../../model/live/streams.ts"
import { toMillis } from "../../model/timestamp.ts"
import { withField } from "../../protocol/wire/encoding.ts"
import type { StoredPublication } from "../../store/live/live-history.ts"
import type { StreamName } from "../streams/stream-names.ts"
import type { Outgoing } from "../transport/outgoing.ts"

/** Approximate bytes of dispatches kept per stream. */
const MAX_BUFFER_LENGTH = 4_194_304

/** Highest `s` by stream. */
export type StreamHeads = { readonly [stream: string]: number }

interface ReplayLimits {
  readonly maxAgeMs: number
  readonly maxEntries: number
  /** Size in UTF-16 units, roughly bytes. */
  readonly maxLength: number
}

/** Publications are stored without a seat, because its token is valid only for minutes. */
const outgoing = ({ frame, fact }: StoredPublication): Outgoing =>
  fact?.type === "room"
    ? { frame, seatable: { roomId: fact.roomId, withSeat: (media) => withField(frame, "media", media) } }
    : { frame }

interface Entry extends Outgoing {
  /** Unix milliseconds. */
  readonly at: number
}

/**
 * The newest dispatches of one stream, shared by its subscribers. Either the buffer has everything that a reconnecting client missed and
 * replays it exactly, or the client gets a snapshot. Limited by age, number and size. Invariant: entries are contiguous up to `head`.
 */
export class ReplayBuffer {
  #entries: Entry[] = []
  /** Index of the oldest kept entry; entries before it are dropped in bulk. */
  #from = 0
  #length = 0
  #head: number
  readonly #limits: ReplayLimits

  /** `head`: the highest `s` before the buffer's first entry. */
  constructor(limits: ReplayLimits, head: number) {
    this.#limits = limits
    this.#head = head
  }

  /** Highest `s`. */
  get head(): number {
    return this.#head
  }

  /** Lowest kept `s`; `head + 1` when the buffer is empty. */
  get oldest(): number {
    return this.#head - (this.#entries.length - this.#from) + 1
  }

  get isEmpty(): boolean {
    return this.#entries.length === this.#from
  }

  /** Adds the dispatch whose position is `head + 1`. */
  push({ frame, seatable }: Outgoing, at: number): void {
    this.#entries.push(seatable === undefined ? { frame, at } : { frame, at, seatable })
    this.#length += frame.length
    this.#head++
    this.trim(at)
  }

  /** Whether a replay alone can bring a client at `cursor` up to date. */
  covers(cursor: number): boolean {
    return cursor >= this.oldest - 1 && cursor <= this.#head
  }

  /** Dispatches after `cursor` up to and including `upTo`, in order. The caller has checked `covers(cursor)`. */
  between(cursor: number, upTo: number): ReadonlyArray<Outgoing> {
    const start = this.#from + (cursor + 1 - this.oldest)
    return this.#entries.slice(start, start + Math.max(0, upTo - cursor))
  }

  trim(now: number): void {
    const { maxAgeMs, maxEntries, maxLength } = this.#limits
    for (let entry = this.#entries[this.#from]; entry !== undefined; entry = this.#entries[this.#from]) {
      const isOver = this.#entries.length - this.#from > maxEntries || this.#length > maxLength
      if (!isOver && now - entry.at <= maxAgeMs) break
      this.#length -= entry.frame.length
      this.#from++
    }
    if (this.#from > 64 && this.#from * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#from)
      this.#from = 0
    }
  }
}

export class ReplayBuffers {
  readonly #limits: ReplayLimits
  readonly #buffers = new Map<StreamName, ReplayBuffer>()
  #heads = new Map<StreamName, number>()
  /** Own streams without a connection or buffer at the last check. */
  #unconnected: ReadonlySet<StreamName> = new Set()
  #lookedAt = 0

  constructor(maxAgeMs: number, maxEntries: number) {
    this.#limits = { maxAgeMs, maxEntries, maxLength: MAX_BUFFER_LENGTH }
  }

  /** Whether the stream's head is known. It always is for open rooms and shared streams. */
  knows(stream: StreamName): boolean {
    return this.#heads.has(stream) || ownerOf(stream) === undefined
  }

  /** Participants' own streams with a known head. */
  get owned(): ReadonlyArray<StreamName> {
    return [...this.#heads.keys()].filter((stream) => ownerOf(stream) !== undefined)
  }

  /** Highest `s` of a known stream; 0 when it has no dispatches. */
  head(stream: StreamName): number {
    return this.#heads.get(stream) ?? 0
  }

  /**
   * Adds the next dispatch of a stream; undefined if it is not the next one. The feed has no gaps here, so the first dispatch on an unknown
   * stream is its next.
   */
  push(publication: StoredPublication, at: number): Outgoing | undefined {
    const { stream, s } = publication
    if (this.knows(stream) && s !== this.head(stream) + 1) return undefined
    const dispatch = outgoing(publication)
    const buffer = this.#buffers.get(stream) ?? new ReplayBuffer(this.#limits, s - 1)
    this.#buffers.set(stream, buffer)
    buffer.push(dispatch, at)
    this.#heads.set(stream, s)
    return dispatch
  }

  /** Whether a replay alone can bring a client at `cursor` up to date. */
  covers(stream: StreamName, cursor: number): boolean {
    return this.#buffers.get(stream)?.covers(cursor) ?? (this.knows(stream) && cursor === this.head(stream))
  }

  between(stream: StreamName, cursor: number, upTo: number): ReadonlyArray<Outgoing> {
    return this.#buffers.get(stream)?.between(cursor, upTo) ?? []
  }

  /** Whether these stored dispatches continue all known streams without a gap. */
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

  /** Replaces all buffers with the stored dispatches. */
  restore(heads: StreamHeads, stored: ReadonlyArray<StoredPublication>): void {
    this.#buffers.clear()
    this.#heads = new Map(Object.entries(heads))
    for (const publication of stored) this.#refill(publication)
    this.#dropUnfinished(Object.keys(heads))
  }

  /** Adds unknown streams. A stream that has become known meanwhile is kept, because it is newer. */
  learn(heads: StreamHeads, stored: ReadonlyArray<StoredPublication>): void {
    const unknown = new Set(Object.keys(heads).filter((stream) => !this.knows(stream)))
    for (const stream of unknown) this.#heads.set(stream, heads[stream] ?? 0)
    for (const publication of stored) if (unknown.has(publication.stream)) this.#refill(publication)
    this.#dropUnfinished(unknown)
  }

  /** Drops old entries. `isConnected`: whether the participant is connected here. */
  trim(now: number, isConnected: (participantId: string) => boolean): void {
    for (const [stream, buffer] of this.#buffers) {
      buffer.trim(now)
      if (buffer.isEmpty && !isSharedStream(stream)) this.#buffers.delete(stream)
    }
    // A participant with a lost connection usually returns within the age of the buffers, and then needs no read.
    if (now - this.#lookedAt < this.#limits.maxAgeMs) return
    this.#lookedAt = now
    const unconnected = this.owned.filter((stream) => !this.#buffers.has(stream) && !isConnected(ownerOf(stream) ?? ""))
    for (const stream of unconnected) if (this.#unconnected.has(stream)) this.#heads.delete(stream)
    this.#unconnected = new Set(unconnected.filter((stream) => this.#heads.has(stream)))
  }

  /** Adds a stored dispatch. If it does not continue the stream's buffer, a new buffer is started. */
  #refill(publication: StoredPublication): void {
    const { stream, s, at } = publication
    if (s > this.head(stream)) return
    const known = this.#buffers.get(stream)
    const buffer = known?.head === s - 1 ? known : new ReplayBuffer(this.#limits, s - 1)
    this.#buffers.set(stream, buffer)
    buffer.push(outgoing(publication), toMillis(at))
  }

  /** Drops buffers that end before their stream's head: they cannot replay exactly. */
  #dropUnfinished(streams: Iterable<StreamName>): void {
    for (const stream of streams)
      if (this.#buffers.get(stream)?.head !== this.head(stream)) this.#buffers.delete(stream)
  }
}
