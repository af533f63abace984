/**
 * Heartbeats of a connection, and the deadline by which the server must send anything. A link whose network has changed neither works nor
 * closes: only silence shows it.
 */
import { watchNetwork } from "./network-watch.ts"

/** The server answers a heartbeat at once; the rest is the round trip over a slow network. */
const ANSWER_WITHIN_MS = 5000
/** A deadline noticed this late was suspended with the page or the machine, and says nothing about the link. */
const STOOD_STILL_MS = 1000

export class HeartbeatTimer {
  readonly #send: () => void
  readonly #silent: () => void
  #interval: ReturnType<typeof setInterval> | undefined
  #next: ReturnType<typeof setTimeout> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  /** Time of the deadline. */
  #dueAt = Number.POSITIVE_INFINITY
  #unwatch: () => void = () => {}

  /** `silent` is called when the server sent nothing before the deadline. */
  constructor(send: () => void, silent: () => void) {
    this.#send = send
    this.#silent = silent
  }

  /** Calls `look` at each sign of a changed network, over any number of connections. */
  watch(look: (sign: string) => void): void {
    this.#unwatch()
    this.#unwatch = watchNetwork(look)
  }

  start(everyMs: number): void {
    this.stop()
    this.#interval = setInterval(() => this.beat(), everyMs)
  }

  /** Sends a heartbeat. An earlier deadline stays. */
  beat(withinMs = ANSWER_WITHIN_MS): void {
    const dueAt = Date.now() + withinMs
    if (dueAt < this.#dueAt) {
      clearTimeout(this.#deadline)
      this.#dueAt = dueAt
      this.#deadline = setTimeout(() => this.#due(withinMs), withinMs)
    }
    this.#send()
  }

  #due(withinMs: number): void {
    const isLate = Date.now() > this.#dueAt + STOOD_STILL_MS
    this.heard()
    if (isLate) this.beat(withinMs)
    else this.#silent()
  }

  /** Schedules one more heartbeat. */
  beatAfter(ms: number): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => this.beat(), ms)
  }

  /** Called when anything arrives from the server. */
  heard(): void {
    clearTimeout(this.#deadline)
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  stop(): void {
    clearInterval(this.#interval)
    clearTimeout(this.#next)
    this.heard()
  }

  end(): void {
    this.stop()
    this.#unwatch()
  }
}
