/** Participant ids by stored role, in the order of arrival, so that few speakers are found among thousands of viewers. */
import type { EventRole } from "../../model/roles.ts"

export class RoleIndex {
  readonly #ids = new Map<EventRole, Set<string>>()

  add(role: EventRole, participantId: string): void {
    const ids = this.#ids.get(role)
    if (ids === undefined) this.#ids.set(role, new Set([participantId]))
    else ids.add(participantId)
  }

  remove(role: EventRole, participantId: string): void {
    this.#ids.get(role)?.delete(participantId)
  }

  of(role: EventRole): Iterable<string> {
    return this.#ids.get(role) ?? []
  }

  /** Participants per role. */
  *sizes(): IterableIterator<readonly [EventRole, number]> {
    for (const [role, { size }] of this.#ids) if (size > 0) yield [role, size]
  }
}
