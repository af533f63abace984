/**
 * Answers of commands this event accepted, so that a repeated id is answered and not run again: ten minutes and a thousand
 * ids back, in memory and in the store alike.
 */
import { toMillis } from "../model/timestamp.ts"
import type { StoredCommand } from "../store/live-events.ts"

export const COMMAND_MEMORY_MS = 600_000
const COMMAND_MEMORY_ENTRIES = 1000

export class CommandLog {
  /** Ids were let go of that are young enough to be asked for again: only the store knows them. */
  #hasForgotten = false
  /** In the order of acceptance, so that the oldest is first. Most events are never asked twice: made when first needed. */
  #answers: Map<string, StoredCommand> | undefined

  /** `stored`: the newest ones, as many as are remembered at most. */
  constructor(stored: ReadonlyArray<StoredCommand>) {
    for (const command of stored) this.remember(command)
    if (stored.length >= COMMAND_MEMORY_ENTRIES) this.#hasForgotten = true
  }

  /** May an id that is not found have been answered all the same? */
  get hasForgotten(): boolean {
    return this.#hasForgotten
  }

  find(scope: string, commandId: string): StoredCommand | undefined {
    return this.#answers?.get(`${scope} ${commandId}`)
  }

  remember(command: StoredCommand): void {
    this.#answers ??= new Map()
    this.#answers.set(`${command.scope} ${command.commandId}`, command)
    const horizon = toMillis(command.at) - COMMAND_MEMORY_MS
    for (const [key, oldest] of this.#answers) {
      if (this.#answers.size <= COMMAND_MEMORY_ENTRIES && toMillis(oldest.at) >= horizon) break
      this.#answers.delete(key)
      this.#hasForgotten = true
    }
  }
}
