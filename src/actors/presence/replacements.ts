/**
 * Closes the oldest connections of participants who have too many, after a delay. A node that stops or is lost does not report that its
 * connections close, and its participants reconnect elsewhere at once. Without the delay, connections that are in use would be closed
 * before that node is known to be gone.
 */
import { DueRun } from "../../clock/throttle.ts"
import type { Timers } from "../../clock/timers.ts"
import { type OpenConnection, surplus } from "./open-connections.ts"

interface Needs {
  readonly timers: Timers
  /** Delay from the report of too many connections to closing the oldest ones. */
  readonly afterMs: number
  /** Connections that a participant may have. */
  readonly most: number
  readonly connectionsOf: (participantId: string) => ReadonlyArray<OpenConnection>
  readonly replace: (connections: ReadonlyArray<OpenConnection>) => void
}

export class Replacements {
  readonly #needs: Needs
  readonly #run: DueRun
  /** When to check each participant's connections, on the monotonic clock; the earliest first. */
  readonly #dueAt = new Map<string, number>()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#run = new DueRun(needs.timers, () => this.#replaceDue())
  }

  /** Called when the participant's connections were reported. */
  follow(participantId: string): void {
    if (this.#surplusOf(participantId).length === 0) this.#dueAt.delete(participantId)
    else if (!this.#dueAt.has(participantId)) this.#wait(participantId)
  }

  stop(): void {
    this.#run.cancel()
    this.#dueAt.clear()
  }

  /** The participant's connections in excess of the limit. */
  #surplusOf(participantId: string): ReadonlyArray<OpenConnection> {
    return surplus(this.#needs.connectionsOf(participantId), this.#needs.most)
  }

  #wait(participantId: string): void {
    const { timers, afterMs } = this.#needs
    this.#dueAt.set(participantId, timers.elapsed() + afterMs)
    this.#run.within(afterMs)
  }

  #replaceDue(): void {
    const now = this.#needs.timers.elapsed()
    const due: string[] = []
    for (const [participantId, dueAt] of this.#dueAt) {
      if (dueAt > now) {
        this.#run.within(dueAt - now)
        break
      }
      due.push(participantId)
    }
    const replaced = due.flatMap((participantId) => {
      this.#dueAt.delete(participantId)
      const tooMany = this.#surplusOf(participantId)
      // The message may be lost: the connections are checked again.
      if (tooMany.length > 0) this.#wait(participantId)
      return tooMany
    })
    if (replaced.length > 0) this.#needs.replace(replaced)
  }
}
