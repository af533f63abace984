/**
 * Bounded capacity shared fairly between workspaces. A workspace may use all of it while no other wants any. A workspace with less than its
 * share waits for capacity instead of being refused, and gets it from the one that uses most: the slowest work of that one is cut, and
 * continues later. When all workspaces have equally little, work slower than a minimum speed is cut for a workspace that has no capacity at
 * all.
 */
import { type Cancel, every, type Timers } from "../clock/timers.ts"

interface FairOptions {
  readonly most: number
  /** Maximum per workspace even while no other wants any: for work that is never cut. */
  readonly mostOfOne?: number
  readonly timers: Timers
}

export interface PlaceHolder {
  readonly workspaceId: string
  /** Returns false when the holder's place is free although it was not given back. */
  readonly isHeld?: () => boolean
  /** Cuts the work, after which the place is given back. Work without it is never cut. */
  readonly cut?: () => void
  /** Number of bytes received so far, for measuring the speed. */
  readonly bytes?: () => number
}

interface Held {
  readonly holder: PlaceHolder
  readonly since: number
  isCut: boolean
  seenAt: number
  seenBytes: number
}

interface Waiting {
  readonly holder: PlaceHolder
  readonly onTurn: (isMine: boolean) => void
  readonly cancel: Cancel
}

/** Maximum wait of a workspace with less than its share. */
const WAIT_MS = 20_000
/** Maximum number of waiting holders, over all workspaces. */
const MOST_WAITING = 64
/** Period over which the speed is measured: slower work is cut for a workspace that has no place. */
const WINDOW_MS = 5000
const RISEN_FLOOR_BYTES = 1_000_000

export class FairPlaces {
  readonly #most: number
  readonly #share: number
  readonly #mostOfOne: number
  readonly #timers: Timers
  readonly #held = new Map<PlaceHolder, Held>()
  #waiting: Waiting[] = []
  #isServing = false
  #stopWatching: Cancel | undefined

  constructor({ most, mostOfOne = most, timers }: FairOptions) {
    this.#most = most
    this.#share = Math.max(1, Math.ceil(most / 2))
    this.#mostOfOne = mostOfOne
    this.#timers = timers
  }

  get taken(): number {
    this.#dropGone()
    return this.#held.size
  }

  /** Number of places by workspace, most first. */
  byWorkspace(): ReadonlyArray<{ readonly workspaceId: string; readonly amount: number }> {
    this.#dropGone()
    const counts = new Map<string, number>()
    for (const { workspaceId } of this.#held.keys()) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
    return [...counts].map(([workspaceId, amount]) => ({ workspaceId, amount })).toSorted((a, b) => b.amount - a.amount)
  }

  /** Takes a free place, or keeps the one that the holder has. */
  takeNow(holder: PlaceHolder): boolean {
    this.#dropGone()
    if (this.#held.has(holder)) return true
    if (this.#held.size >= this.#most || this.#placesOf(holder) >= this.#mostOfOne) return false
    this.#hold(holder)
    return true
  }

  /** Calls back once, perhaps at once: with true when the holder has a place, which `leave` must give back. */
  take(holder: PlaceHolder, onTurn: (isMine: boolean) => void): void {
    if (this.takeNow(holder)) {
      onTurn(true)
      return
    }
    if (this.#placesOf(holder) >= this.#share) {
      onTurn(false)
      return
    }
    const cancel = this.#timers.after(WAIT_MS, () => this.#refuse(entry))
    const entry: Waiting = { holder, onTurn, cancel }
    this.#waiting.push(entry)
    if (this.#waiting.length > MOST_WAITING) this.#refuse(this.#leastEntitled())
    this.#watch()
    this.#serve()
  }

  /** Gives the place back, or stops waiting. Harmless if the holder does neither. */
  leave(holder: PlaceHolder): void {
    this.#held.delete(holder)
    for (const one of this.#waiting) if (one.holder === holder) one.cancel()
    this.#waiting = this.#waiting.filter((one) => one.holder !== holder)
    this.#serve()
  }

  #placesOf({ workspaceId }: PlaceHolder): number {
    let places = 0
    for (const [of, { isCut }] of this.#held) if (of.workspaceId === workspaceId && !isCut) places += 1
    return places
  }

  #dropGone(): void {
    for (const holder of this.#held.keys()) if (holder.isHeld?.() === false) this.#held.delete(holder)
  }

  #hold(holder: PlaceHolder): void {
    const now = this.#timers.elapsed()
    this.#held.set(holder, { holder, since: now, isCut: false, seenAt: now, seenBytes: 0 })
  }

  /** The latest waiting holder of the workspace with most waiting holders. */
  #leastEntitled(): Waiting {
    const counts = new Map<string, number>()
    for (const { holder } of this.#waiting) counts.set(holder.workspaceId, (counts.get(holder.workspaceId) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const last = this.#waiting.findLast(({ holder }) => counts.get(holder.workspaceId) === most)
    if (last === undefined) throw new Error("nobody waits")
    return last
  }

  #refuse(entry: Waiting): void {
    if (!this.#waiting.includes(entry)) return
    this.leave(entry.holder)
    entry.onTurn(false)
  }

  /** Gives free places to waiting holders, least served workspace first. A cut gives a place back within this call, or later. */
  #serve(): void {
    if (this.#isServing) return
    this.#isServing = true
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#held.size < this.#most) this.#give(next)
      else if (!this.#cutFor(next)) break
    }
    this.#isServing = false
    if (this.#waiting.length === 0) this.#unwatch()
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined
    for (const one of this.#waiting) {
      if (next === undefined || this.#placesOf(one.holder) < this.#placesOf(next.holder)) next = one
    }
    return next
  }

  #give(entry: Waiting): void {
    entry.cancel()
    this.#waiting = this.#waiting.filter((one) => one !== entry)
    this.#hold(entry.holder)
    entry.onTurn(true)
  }

  /** Cuts the slowest work of the workspace with most places, if it has at least two more than the waiting one. */
  #cutFor({ holder }: Waiting): boolean {
    const now = this.#timers.elapsed()
    const all = [...this.#held.values()].filter((held) => !held.isCut && held.holder.cut !== undefined)
    // The places about to be freed are enough.
    if (this.#held.size - all.length >= this.#waiting.length) return false
    const most = Math.max(...all.map((held) => this.#placesOf(held.holder)))
    if (most < this.#placesOf(holder) + 2) return false
    const slowest = all
      .filter((held) => this.#placesOf(held.holder) === most)
      .toSorted((a, b) => speedSince(a, now) - speedSince(b, now))[0]
    return slowest !== undefined && this.#cut(slowest)
  }

  /** Returns true when the place is already free. */
  #cut(held: Held): boolean {
    held.isCut = true
    held.holder.cut?.()
    return !this.#held.has(held.holder)
  }

  /** Measures the speed while a holder waits. */
  #watch(): void {
    if (this.#stopWatching !== undefined) return
    this.#look()
    this.#stopWatching = every(this.#timers, WINDOW_MS, () => {
      this.#cutSlow()
      this.#look()
    })
  }

  #unwatch(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
  }

  #look(): void {
    const now = this.#timers.elapsed()
    for (const held of this.#held.values()) {
      held.seenAt = now
      held.seenBytes = held.holder.bytes?.() ?? 0
    }
  }

  /** Frees one place for each waiting workspace that has none. */
  #cutSlow(): void {
    const now = this.#timers.elapsed()
    const without = new Set(
      this.#waiting.filter(({ holder }) => this.#placesOf(holder) === 0).map((one) => one.holder.workspaceId),
    )
    const slow = [...this.#held.values()]
      .filter((held) => !held.isCut && held.holder.cut !== undefined && now - held.seenAt >= WINDOW_MS)
      .filter((held) => speedSeen(held, now) < RISEN_FLOOR_BYTES)
      .toSorted((a, b) => speedSeen(a, now) - speedSeen(b, now))
    for (const held of slow.slice(0, without.size)) this.#cut(held)
    this.#serve()
  }
}

/** Bytes per second since the work got its place. */
const speedSince = ({ holder, since }: Held, now: number): number =>
  ((holder.bytes?.() ?? 0) * 1000) / Math.max(1, now - since)

/** Bytes per second in the window that ends now. */
const speedSeen = ({ holder, seenAt, seenBytes }: Held, now: number): number =>
  (((holder.bytes?.() ?? 0) - seenBytes) * 1000) / Math.max(1, now - seenAt)
