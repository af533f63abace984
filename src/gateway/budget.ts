/**
 * How much a participant may send, over all its tabs: a token bucket for commands, and a window over all frames that
 * tells abuse from haste. Buckets exist only for those who send, and are dropped once they are full again.
 */

export interface BudgetRule {
  readonly perSecond: number
  readonly burst: number
}

/** More than this many times the allowed rate over a window is abuse. */
const ABUSE_FACTOR = 5
const WINDOW_MS = 10_000

interface Budget {
  tokens: number
  filledAt: number
  windowFrom: number
  frames: number
}

export class Budgets {
  readonly #byParticipant = new Map<string, Budget>()
  readonly #rule: BudgetRule
  readonly #staffFactor: number

  constructor(rule: BudgetRule, staffFactor: number) {
    this.#rule = rule
    this.#staffFactor = staffFactor
  }

  #of(participantId: string, staff: boolean, now: number): Budget {
    let budget = this.#byParticipant.get(participantId)
    if (budget === undefined) {
      budget = { tokens: this.#rule.burst * this.#factor(staff), filledAt: now, windowFrom: now, frames: 0 }
      this.#byParticipant.set(participantId, budget)
    }
    return budget
  }

  #factor(staff: boolean): number {
    return staff ? this.#staffFactor : 1
  }

  /** Counts an object of a frame, of whatever kind; true when there were far too many of them for too long. */
  isAbuse(participantId: string, staff: boolean, now: number): boolean {
    const budget = this.#of(participantId, staff, now)
    if (now - budget.windowFrom >= WINDOW_MS) {
      budget.windowFrom = now
      budget.frames = 0
    }
    budget.frames++
    return budget.frames > (this.#rule.perSecond * this.#factor(staff) * ABUSE_FACTOR * WINDOW_MS) / 1000
  }

  /** Takes one command out of the bucket: 0 when it was there, else the milliseconds until it will be. */
  spend(participantId: string, staff: boolean, now: number): number {
    const budget = this.#of(participantId, staff, now)
    const perMs = (this.#rule.perSecond * this.#factor(staff)) / 1000
    budget.tokens = Math.min(this.#rule.burst * this.#factor(staff), budget.tokens + (now - budget.filledAt) * perMs)
    budget.filledAt = now
    if (budget.tokens < 1) return Math.ceil((1 - budget.tokens) / perMs)
    budget.tokens--
    return 0
  }

  /** Forgets those who have been silent for a window: by then every bucket is full. */
  sweep(now: number): void {
    for (const [participantId, budget] of this.#byParticipant) {
      if (now - budget.filledAt > WINDOW_MS && now - budget.windowFrom > WINDOW_MS) {
        this.#byParticipant.delete(participantId)
      }
    }
  }
}
