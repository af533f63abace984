/**
 * Rate limits of a participant over all their tabs: token buckets, one for all commands and an additional one for some kinds, and a window
 * over all frames that detects abuse. Buckets exist only for active participants and are removed when they are full. Entries of absent
 * participants are limited (`absent-participants.ts`).
 */

import { type Bucket, fullBucket, type Rate, takeToken } from "../../model/limits/token-bucket.ts"
import type { RateClass } from "../../protocol/command.ts"

/** `commands` counts all commands. The other kinds count in addition. */
type BudgetKind = "commands" | RateClass
export type BudgetRules = { readonly [kind in BudgetKind]: Rate }

/** Exceeding the limit by this factor over a window is abuse. */
const ABUSE_FACTOR = 5
const WINDOW_MS = 10_000
/** Every bucket is full again after this time. */
const FULL_AFTER_MS = 60_000

interface Budget {
  /** Created on the first command: most participants only send heartbeats. */
  buckets: Map<BudgetKind, Bucket> | undefined
  /** 0: never. */
  spentAt: number
  windowFrom: number
  frames: number
}

export class RateBudgets {
  readonly #byParticipant = new Map<string, Budget>()
  readonly #rules: BudgetRules
  readonly #staffFactor: number

  constructor(rules: BudgetRules, staffFactor: number) {
    this.#rules = rules
    this.#staffFactor = staffFactor
  }

  #of(participantId: string, now: number): Budget {
    let budget = this.#byParticipant.get(participantId)
    if (budget === undefined) {
      budget = { buckets: undefined, spentAt: 0, windowFrom: now, frames: 0 }
      this.#byParticipant.set(participantId, budget)
    }
    return budget
  }

  #factor(staff: boolean): number {
    return staff ? this.#staffFactor : 1
  }

  /** Counts an object of a frame, of any kind; true when the rate is abusive. */
  isAbuse(participantId: string, staff: boolean, now: number): boolean {
    const budget = this.#of(participantId, now)
    if (now - budget.windowFrom >= WINDOW_MS) {
      budget.windowFrom = now
      budget.frames = 0
    }
    budget.frames++
    return budget.frames > (this.#rules.commands.perSecond * this.#factor(staff) * ABUSE_FACTOR * WINDOW_MS) / 1000
  }

  /** Takes a token from a bucket: returns 0, or the milliseconds until the bucket has one. */
  spend(participantId: string, kind: BudgetKind, staff: boolean, now: number): number {
    const budget = this.#of(participantId, now)
    budget.spentAt = now
    return this.#take(budget, kind, staff, now)
  }

  /** The wait that `spend` would return, without taking a token. */
  waitFor(participantId: string, kind: BudgetKind, staff: boolean, now: number): number {
    const bucket = this.#byParticipant.get(participantId)?.buckets?.get(kind)
    return bucket === undefined ? 0 : takeToken({ ...bucket }, this.#rules[kind], now, { factor: this.#factor(staff) })
  }

  #take(budget: Budget, kind: BudgetKind, staff: boolean, now: number): number {
    budget.buckets ??= new Map()
    const { [kind]: rule } = this.#rules
    const bucket = budget.buckets.get(kind) ?? fullBucket(rule, now, this.#factor(staff))
    budget.buckets.set(kind, bucket)
    return takeToken(bucket, rule, now, { factor: this.#factor(staff) })
  }

  get isEmpty(): boolean {
    return this.#byParticipant.size === 0
  }

  has(participantId: string): boolean {
    return this.#byParticipant.has(participantId)
  }

  forget(participantId: string): void {
    this.#byParticipant.delete(participantId)
  }

  /** Removes participants who were silent for so long that every bucket is full. */
  sweep(now: number): void {
    for (const [participantId, budget] of this.#byParticipant) {
      if (now - budget.spentAt > FULL_AFTER_MS && now - budget.windowFrom > WINDOW_MS) {
        this.#byParticipant.delete(participantId)
      }
    }
  }
}
