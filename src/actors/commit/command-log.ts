/**
 * Answers of commands that this event accepted: a repeated id gets its answer and does not run again. Memory holds a thousand answers of
 * the last ten minutes. Answers of commands with an effect are also stored, without a limit on their number. Those of commands without
 * effect are in memory alone: they survive a recovery of the event, but not the process.
 */
import { isKeyedScope } from "../../model/live/command-scopes.ts"
import { toMillis } from "../../model/timestamp.ts"
import type { StoredCommand } from "../../store/live/live-commit.ts"

export const COMMAND_MEMORY_MS = 600_000
/** The store keeps answers slightly longer, until its next sweep. */
export const COMMAND_STORED_MS = 780_000
/** Matches the store's retention of answers to commands with an `Idempotency-Key`. */
const KEYED_MEMORY_MS = 25 * 3_600_000
const COMMAND_MEMORY_ENTRIES = 1000

/** The newest answers, in order of acceptance. */
export class Answers {
  /** Created on first use: most events never get a repeated command. */
  #byKey: Map<string, StoredCommand> | undefined

  /** `now`: Unix milliseconds. */
  find(scope: string, commandId: string, now: number): StoredCommand | undefined {
    const found = this.#byKey?.get(keyOf(scope, commandId))
    // An idle event evicts nothing, and a key may be reused after its day: the age is checked on read.
    const isOver = found !== undefined && isKeyedScope(scope) && toMillis(found.at) < now - KEYED_MEMORY_MS
    return isOver ? undefined : found
  }

  all(): Iterable<StoredCommand> {
    return this.#byKey?.values() ?? []
  }

  /** Returns the evicted answers. */
  add(command: StoredCommand): ReadonlyArray<StoredCommand> {
    this.#byKey ??= new Map()
    this.#byKey.set(keyOf(command.scope, command.commandId), command)
    const horizon = toMillis(command.at) - COMMAND_MEMORY_MS
    const evicted: StoredCommand[] = []
    for (const [oldest, { at }] of this.#byKey) {
      const isOld = toMillis(at) < horizon
      if (!isOld && this.#byKey.size <= COMMAND_MEMORY_ENTRIES) break
      const gone = this.#byKey.get(oldest)
      this.#byKey.delete(oldest)
      if (gone !== undefined) evicted.push(gone)
    }
    return evicted
  }
}

const keyOf = (scope: string, commandId: string): string => `${scope} ${commandId}`

/** FNV-1a over 30 bits: a small integer, which a set holds without allocating an object. */
const hashOf = (text: string): number => {
  let hash = 0x811c_9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193)
  return hash & 0x3fff_ffff
}

/** Ids per generation. There are at most two generations, some 8 MB for the busiest events. */
const FORGOTTEN = 200_000

/**
 * Hashes of ids that memory has evicted and the store still has. There are no false negatives. A hash collision costs a needless look-up.
 */
class ForgottenIds {
  #young = new Set<number>()
  #old: ReadonlySet<number> = new Set()
  #since: number
  /** Until this time the set is incomplete, because there were too many ids to keep. */
  #overflowsUntil = 0

  constructor(now: number) {
    this.#since = now
  }

  add(id: string, now: number): void {
    if (now - this.#since >= COMMAND_STORED_MS) {
      this.#old = now - this.#since < 2 * COMMAND_STORED_MS ? this.#young : new Set()
      this.#young = new Set()
      this.#since = now
    }
    if (this.#young.size < FORGOTTEN) this.#young.add(hashOf(id))
    else this.#overflowsUntil = now + COMMAND_STORED_MS
  }

  mayHave(id: string, now: number): boolean {
    if (now < this.#overflowsUntil) return true
    const hash = hashOf(id)
    return this.#young.has(hash) || this.#old.has(hash)
  }
}

export class CommandLog {
  /** Created on first use: most events have few commands. */
  #forgotten: ForgottenIds | undefined
  /** Unix milliseconds. Until then any id may have a stored answer that the activation did not load. */
  readonly #unreadUntil: number
  readonly #stored = new Answers()
  /** Answers of commands without effect, kept apart so that they evict no others. */
  readonly idle: Answers

  /** `stored`: the newest answers, at most as many as memory holds. */
  constructor(stored: ReadonlyArray<StoredCommand>, idle: Answers) {
    this.idle = idle
    for (const command of stored) this.remember(command)
    const [oldest] = stored
    const hasMore = oldest !== undefined && stored.length >= COMMAND_MEMORY_ENTRIES
    this.#unreadUntil = hasMore ? toMillis(oldest.at) + COMMAND_STORED_MS : 0
  }

  /** Whether the store may have an answer for an id that is not found here. `now`: Unix milliseconds. */
  mayBeMissing(scope: string, commandId: string, now: number): boolean {
    // A repeat with an `Idempotency-Key` may come a day later; memory holds minutes.
    if (isKeyedScope(scope) || now < this.#unreadUntil) return true
    return this.#forgotten?.mayHave(keyOf(scope, commandId), now) === true
  }

  /** `now`: Unix milliseconds. */
  find(scope: string, commandId: string, now: number): StoredCommand | undefined {
    return this.#stored.find(scope, commandId, now) ?? this.idle.find(scope, commandId, now)
  }

  remember(command: StoredCommand): void {
    const now = toMillis(command.at)
    for (const { scope, commandId, at } of this.#stored.add(command)) {
      this.#forgotten ??= new ForgottenIds(now)
      this.#forgotten.add(keyOf(scope, commandId), Math.max(now, toMillis(at)))
    }
  }
}
