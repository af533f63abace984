/**
 * The latest executed commands of each participant, over all their tabs and connections. A client that lost its connection resends
 * unanswered commands: the repeats do not count against rate limits, and unstored commands must not run twice. Entries of absent
 * participants are limited (`absent-participants.ts`).
 */

/** Matches the most unanswered commands of the project's client. */
const REMEMBERED = 16
const FORGOTTEN_AFTER_MS = 120_000

interface Recent {
  /** Request bodies by command id, oldest first. */
  readonly bodies: Map<string, string>
  /** Unix milliseconds. */
  usedAt: number
}

export class RecentCommands {
  readonly #byParticipant = new Map<string, Recent>()

  /** The body of the command executed under this id; `undefined` if none is remembered. */
  find(participantId: string, commandId: string): string | undefined {
    return this.#byParticipant.get(participantId)?.bodies.get(commandId)
  }

  /** `body`: distinguishes a repeat from a reused id. */
  remember(participantId: string, commandId: string, body: string, now: number): void {
    const recent = this.#byParticipant.get(participantId) ?? { bodies: new Map<string, string>(), usedAt: now }
    this.#byParticipant.set(participantId, recent)
    recent.usedAt = now
    recent.bodies.set(commandId, body)
    const [oldest] = recent.bodies.keys()
    if (recent.bodies.size > REMEMBERED && oldest !== undefined) recent.bodies.delete(oldest)
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

  sweep(now: number): void {
    for (const [participantId, { usedAt }] of this.#byParticipant) {
      if (now - usedAt > FORGOTTEN_AFTER_MS) this.#byParticipant.delete(participantId)
    }
  }
}
