/**
 * Answers of commands that this event accepted: a repeated id is answered and does not run again. Memory holds ten minutes and a
 * thousand ids. Answers of commands with an effect are also in the store, without a limit of number. Answers without effect are
 * in memory alone and are kept when the log is read back from the store.
 */
import { isKeyedScope } from "../../model/live/command-scopes.ts"
import { toMillis } from "../../model/timestamp.ts"
import type { StoredCommand } from "../../store/live/live-events.ts"

export const COMMAND_MEMORY_MS = 600_000
/** Equal to the time for which the store keeps answers of commands with an `Idempotency-Key`. */
const KEYED_MEMORY_MS = 25 * 3_600_000
const COMMAND_MEMORY_ENTRIES = 1000

/** The newest answers, in the order of acceptance. */
export class Answers {
  /** Created on first use: most events never get a repeated command. */
  #byKey: Map<string, StoredCommand> | undefined

  /** `now`: Unix milliseconds. */
  find(scope: string, commandId: string, now: number): StoredCommand | undefined {
    const found = this.#byKey?.get(keyOf(scope, commandId))
    // An idle event evicts nothing, and a key may be reused after its day: the age is checked on reading.
    const isOver = found !== undefined && isKeyedScope(scope) && toMillis(found.at) < now - KEYED_MEMORY_MS
    return isOver ? undefined : found
  }

  all(): Iterable<StoredCommand> {
    return this.#byKey?.values() ?? []
  }

  /** Returns the answers that were evicted because there were too many. */
  add(command: StoredCommand): ReadonlyArray<StoredCommand> {
    this.#byKey ??= new Map()
    this.#byKey.set(keyOf(command.scope, command.commandId), command)
    const horizon = toMillis(command.at) - COMMAND_MEMORY_MS
    const crowdedOut: StoredCommand[] = []
    for (const [oldest, { at }] of this.#byKey) {
      const isOld = toMillis(at) < horizon
      if (!isOld && this.#byKey.size <= COMMAND_MEMORY_ENTRIES) break
      const gone = this.#byKey.get(oldest)
      this.#byKey.delete(oldest)
      if (!isOld && gone !== undefined) crowdedOut.push(gone)
    }
    return crowdedOut
  }
}

const keyOf = (scope: string, commandId: string): string => `${scope} ${commandId}`

export class CommandLog {
  /** Until then any id may belong to an answer that the store has and memory has not; Unix milliseconds. */
  #incompleteUntil = 0
  readonly #stored = new Answers()
  /** Answers without effect, separate so that they evict no others. */
  readonly idle: Answers

  /** `stored`: the newest answers, at most as many as memory holds. */
  constructor(stored: ReadonlyArray<StoredCommand>, idle: Answers) {
    this.idle = idle
    for (const command of stored) this.remember(command)
    const [oldest] = stored
    if (oldest !== undefined && stored.length >= COMMAND_MEMORY_ENTRIES) this.#missing(oldest)
  }

  /** Can the store have an answer for an id that is not found here? */
  mayBeMissing(scope: string, now: number): boolean {
    // A repeat under an `Idempotency-Key` may come a day later; memory holds minutes.
    return isKeyedScope(scope) || now < this.#incompleteUntil
  }

  /** `now`: Unix milliseconds. */
  find(scope: string, commandId: string, now: number): StoredCommand | undefined {
    return this.#stored.find(scope, commandId, now) ?? this.idle.find(scope, commandId, now)
  }

  remember(command: StoredCommand): void {
    for (const gone of this.#stored.add(command)) this.#missing(gone)
  }

  #missing({ at }: StoredCommand): void {
    this.#incompleteUntil = Math.max(this.#incompleteUntil, toMillis(at) + COMMAND_MEMORY_MS)
  }
}
