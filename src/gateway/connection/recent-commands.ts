/**
 * The commands each participant sent last and that were done, over all their tabs and connections. A client that lost its
 * connection sends again what was not answered: that is no haste, and what nobody stores must not be done twice.
 */

/** What our client leaves unanswered. */
const REMEMBERED = 16
const FORGOTTEN_AFTER_MS = 120_000

interface Recent {
  /** What was asked for, by command id, oldest first. */
  readonly bodies: Map<string, string>
  /** Unix milliseconds. */
  usedAt: number
}

export class RecentCommands {
  readonly #byParticipant = new Map<string, Recent>()

  /** What was done under this id; `undefined` when nothing was, as far as is remembered. */
  find(participantId: string, commandId: string): string | undefined {
    return this.#byParticipant.get(participantId)?.bodies.get(commandId)
  }

  /** `body`: tells apart what one id may be used for. */
  remember(participantId: string, commandId: string, body: string, now: number): void {
    const recent = this.#byParticipant.get(participantId) ?? { bodies: new Map<string, string>(), usedAt: now }
    this.#byParticipant.set(participantId, recent)
    recent.usedAt = now
    recent.bodies.set(commandId, body)
    const [oldest] = recent.bodies.keys()
    if (recent.bodies.size > REMEMBERED && oldest !== undefined) recent.bodies.delete(oldest)
  }

  sweep(now: number): void {
    for (const [participantId, { usedAt }] of this.#byParticipant) {
      if (now - usedAt > FORGOTTEN_AFTER_MS) this.#byParticipant.delete(participantId)
    }
  }
}
