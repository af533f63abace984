/**
 * The record of a run: requests, acknowledgements and violations, by the fault that was going on at the time. Everything that is
 * created carries a mark (a text of its own), by which the checks find it in the database.
 */
export type Kind = "chat" | "question" | "announcement" | "poll" | "event" | "phase" | "user" | "registration"

export type Invariant = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "liveness" | "truth" | "beside"

export interface Entry {
  readonly kind: Kind
  readonly mark: string
  readonly eventId: string | null
  /** The fault that went on, or had been the last, when it was asked for. */
  readonly during: string
  readonly acknowledgedAt: number | undefined
}

export interface Violation {
  readonly invariant: Invariant
  readonly during: string
  readonly what: string
}

const CALM = "none (calm)"

export class Ledger {
  /** The fault that goes on, or went on last. */
  during = CALM
  readonly violations: Array<Violation> = []
  /** Answers and refusals by name, for the report. */
  readonly counts = new Map<string, number>()
  readonly #entries = new Map<string, Entry>()
  #isServerStopped = false
  #serverBackAt = 0
  #sessionsEndedAt = 0

  ask(kind: Kind, mark: string, eventId: string | null): void {
    this.#entries.set(`${kind} ${mark}`, { kind, mark, eventId, during: this.during, acknowledgedAt: undefined })
  }

  acknowledge(kind: Kind, mark: string): void {
    const entry = this.#entries.get(`${kind} ${mark}`)
    if (entry !== undefined) this.#entries.set(`${kind} ${mark}`, { ...entry, acknowledgedAt: Date.now() })
  }

  entries(kind: Kind): ReadonlyArray<Entry> {
    return [...this.#entries.values()].filter((entry) => entry.kind === kind)
  }

  /** Things that were acknowledged, by the fault they were asked for in. */
  acknowledgedBy(during: string): number {
    return [...this.#entries.values()].filter((entry) => entry.during === during && entry.acknowledgedAt !== undefined)
      .length
  }

  violate(invariant: Invariant, what: string, during = this.during): void {
    this.violations.push({ invariant, during, what })
  }

  count(name: string, by = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by)
  }

  /** From now on nobody can expect an answer. */
  serverStops(): void {
    this.#isServerStopped = true
  }

  serverIsBack(): void {
    this.#isServerStopped = false
    this.#serverBackAt = Date.now()
  }

  /** All sessions of the database end. */
  sessionsEnd(): void {
    this.#sessionsEndedAt = Date.now()
  }

  /**
   * Milliseconds in which a server that committed last at that time could have committed more. Where sessions end again and again, each new
   * one may take a write, so that the server is ready, and yet none lasts long enough for the live events.
   */
  unservedSince(committedAt: number): number {
    return this.waitedSince(Math.max(committedAt, this.#sessionsEndedAt))
  }

  /** For how long something that was sent then waits for a server that could answer; milliseconds. */
  waitedSince(sentAt: number): number {
    return this.#isServerStopped ? 0 : Date.now() - Math.max(sentAt, this.#serverBackAt)
  }
}
