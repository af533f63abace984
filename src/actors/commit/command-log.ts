/**
 * Answers of commands this event accepted, so that a repeated id is answered and not run again: ten minutes and a thousand
 * ids back in memory; those that changed something are in the store as well, however many they are. Those without effect
 * are in memory alone; they are handed on when the log is read back from the store.
 */
import { isKeyedScope } from "../../model/command-scopes.ts"
import { toMillis } from "../../model/timestamp.ts"
import type { StoredCommand } from "../../store/live-events.ts"
import { BloomFilter } from "./bloom-filter.ts"

export const COMMAND_MEMORY_MS = 600_000
/** As long as the store keeps the answers of commands that came under an `Idempotency-Key`. */
const KEYED_MEMORY_MS = 25 * 3_600_000
const COMMAND_MEMORY_ENTRIES = 1000

/** The newest of them, in the order of acceptance. */
export class Answers {
  /** Most events are never asked twice: made when first needed. */
  #byKey: Map<string, StoredCommand> | undefined

  find(scope: string, commandId: string): StoredCommand | undefined {
    const found = this.#byKey?.get(keyOf(scope, commandId))
    // An event where nothing happens lets go of nothing, and a key may be used anew after its day.
    const isOver = found !== undefined && isKeyedScope(scope) && toMillis(found.at) < Date.now() - KEYED_MEMORY_MS
    return isOver ? undefined : found
  }

  all(): Iterable<StoredCommand> {
    return this.#byKey?.values() ?? []
  }

  /** Gives back those it let go of because there were too many. */
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
  /** Ids that were crowded out, which the store still knows: made when there are any. */
  #forgotten: BloomFilter | undefined
  /** Until then any id may be one of those that were not read back at an activation; Unix milliseconds. */
  readonly #unreadUntil: number
  readonly #stored = new Answers()
  /** Those without effect: they crowd out none of the others. */
  readonly idle: Answers

  /** `stored`: the newest ones, as many as are remembered at most. */
  constructor(stored: ReadonlyArray<StoredCommand>, idle: Answers) {
    this.idle = idle
    for (const command of stored) this.remember(command)
    const [oldest] = stored
    const hasMore = oldest !== undefined && stored.length >= COMMAND_MEMORY_ENTRIES
    this.#unreadUntil = hasMore ? toMillis(oldest.at) + COMMAND_MEMORY_MS : 0
  }

  /** May an id that is not found have been answered all the same? */
  mayHaveForgotten(scope: string, commandId: string, now: number): boolean {
    return now < this.#unreadUntil || this.#forgotten?.has(keyOf(scope, commandId)) === true
  }

  find(scope: string, commandId: string): StoredCommand | undefined {
    return this.#stored.find(scope, commandId) ?? this.idle.find(scope, commandId)
  }

  remember(command: StoredCommand): void {
    const now = toMillis(command.at)
    for (const gone of this.#stored.add(command)) this.#forget(gone, now)
  }

  #forget({ scope, commandId, at }: StoredCommand, now: number): void {
    this.#forgotten ??= new BloomFilter(COMMAND_MEMORY_MS, now)
    this.#forgotten.add(keyOf(scope, commandId), Math.max(now, toMillis(at)))
  }
}
