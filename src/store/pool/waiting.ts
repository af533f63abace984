/**
 * Callers that wait for a connection: two bounded queues, each first in, first out. Statements of live events precede those of requests, so
 * that a flood of requests does not stop a live event; every fifth turn is a request's, so that live events do not stop the requests
 * either.
 */
import type { PoolError } from "./errors.ts"

/** `live` is a live event's commit or recovery, of which each event has one at a time; `request` is everything else. */
export type Priority = "live" | "request"

const LIVE_IN_A_ROW = 4

interface Waiter<A> {
  /** Arrival of the caller, and the end of its patience, on the clock of `performance.now()`. */
  readonly since: number
  readonly until: number
  readonly resolve: (value: A) => void
  readonly reject: (cause: PoolError) => void
}

/** A FIFO queue that does not move the remaining items at each turn. */
class Queue<A> {
  #items: A[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  get first(): A | undefined {
    return this.#items[this.#head]
  }

  push(item: A): void {
    this.#items.push(item)
  }

  /** Removes and returns the matching items, in order. */
  takeAll(fits: (item: A) => boolean): ReadonlyArray<A> {
    const rest = this.#items.slice(this.#head)
    const taken = rest.filter(fits)
    if (taken.length > 0) {
      this.#items = rest.filter((item) => !fits(item))
      this.#head = 0
    }
    return taken
  }

  shift(): A | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    this.#head++
    // When half of the array is holes, the rest is copied, which costs each item one move on average.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}

export class StatementQueue<A> {
  readonly #queues: { readonly [priority in Priority]: Queue<Waiter<A>> } = { live: new Queue(), request: new Queue() }
  readonly #bounds: { readonly [priority in Priority]: number }
  #liveInARow = 0

  constructor(bounds: { readonly [priority in Priority]: number }) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#queues.live.size + this.#queues.request.size
  }

  sizeOf(priority: Priority): number {
    return this.#queues[priority].size
  }

  /** Arrival of the longest waiting caller on the clock of `performance.now()`. */
  get oldestSince(): number | undefined {
    const { live, request } = this.#queues
    const [one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [live.first?.since, request.first?.since]
    return this.size === 0 ? undefined : Math.min(one, other)
  }

  /** Returns `undefined` when the queue is full. */
  enter(priority: Priority, patienceMs: number): Promise<A> | undefined {
    if (this.#queues[priority].size >= this.#bounds[priority]) return undefined
    const since = performance.now()
    const until = since + patienceMs
    return new Promise((resolve, reject) => this.#queues[priority].push({ since, until, resolve, reject }))
  }

  /** Gives the value to the next caller in turn. Returns false when the queues are empty. */
  serve(value: A): boolean {
    const { live, request } = this.#queues
    const isRequestsTurn = live.size === 0 || (request.size > 0 && this.#liveInARow >= LIVE_IN_A_ROW)
    this.#liveInARow = isRequestsTurn ? 0 : this.#liveInARow + 1
    const waiter = isRequestsTurn ? request.shift() : live.shift()
    waiter?.resolve(value)
    return waiter !== undefined
  }

  /** Refuses all callers whose patience has ended by `now`. */
  refuse(now: number, cause: () => PoolError): void {
    for (const queue of Object.values(this.#queues)) {
      for (const { reject } of queue.takeAll(({ until }) => until <= now)) reject(cause())
    }
  }
}
