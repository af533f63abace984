/**
 * Sends signals to one peer through the server: one after the other, each until it is accepted or refused for good. Candidates are batched
 * for a moment, so that a connection costs five messages and not a dozen.
 */
import { CommandRefused } from "../connection/pending-commands.ts"
import type { CommandData } from "../wire.ts"

export type Signal = CommandData<"rtc.signal">

const GATHER_MS = 30
const MOST_CANDIDATES = 16
const LONGEST_CANDIDATE = 512
const LONGEST_DESCRIPTION = 12_288
const RETRY_MS = 1000

export class Outbox {
  readonly #to: string
  readonly #send: (signal: Signal) => Promise<unknown>
  #queue: Signal[] = []
  /** JSON texts of the generation `gen`. */
  #candidates: string[] = []
  #gen = 0
  #gathering: ReturnType<typeof setTimeout> | undefined
  #resting: ReturnType<typeof setTimeout> | undefined
  /** Signal that waits for its reply. */
  #sending: Signal | undefined

  constructor(to: string, send: (signal: Signal) => Promise<unknown>) {
    this.#to = to
    this.#send = send
  }

  /** Returns false when the description is too large for a signal. */
  describe(kind: "offer" | "answer", data: string, gen: number): boolean {
    if (data.length > LONGEST_DESCRIPTION) return false
    this.#queue.push({ to: this.#to, kind, data, gen })
    this.#pump()
    return true
  }

  candidate(candidate: object, gen: number): void {
    const text = JSON.stringify(candidate)
    if (text.length > LONGEST_CANDIDATE) return
    this.#gen = gen
    this.#candidates.push(text)
    if (this.#candidates.length >= MOST_CANDIDATES) this.#flush()
    else this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS)
  }

  /** Drops unsent signals: another connection begins, or the descriptions are sent again. */
  clear(): void {
    clearTimeout(this.#gathering)
    clearTimeout(this.#resting)
    this.#gathering = undefined
    this.#resting = undefined
    this.#sending = undefined
    this.#queue = []
    this.#candidates = []
  }

  #flush(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    const data = this.#candidates
    this.#candidates = []
    if (data.length > 0) this.#queue.push({ to: this.#to, kind: "candidates", data, gen: this.#gen })
    this.#pump()
  }

  #pump(): void {
    const [signal] = this.#queue
    if (signal === undefined || this.#sending !== undefined || this.#resting !== undefined) return
    this.#sending = signal
    this.#send(signal).then(
      () => this.#settle(signal, undefined),
      (cause: unknown) => this.#settle(signal, cause instanceof CommandRefused ? cause : undefined),
    )
  }

  /** A peer with a lost socket may be back soon; the rules of the link repair a signal that was refused for good. */
  #settle(signal: Signal, refused: CommandRefused | undefined): void {
    if (this.#sending !== signal) return
    this.#sending = undefined
    if (refused?.refusal.temporary === true) {
      this.#resting = setTimeout(() => {
        this.#resting = undefined
        this.#pump()
      }, refused.refusal.retryAfterMs ?? RETRY_MS)
      return
    }
    this.#queue.shift()
    this.#pump()
  }
}
