/**
 * The gateway's memory of the participants of each event. It belongs to no channel: an HTTP request draws on the same budgets as the
 * participant's sockets, also where no socket has opened a channel for the event.
 */
import type { GatewayServices } from "../services.ts"
import { ParticipantMemory } from "./participant-memory.ts"

export class ParticipantMemories {
  readonly #services: Pick<GatewayServices, "absent" | "options" | "timers">
  readonly #byEvent = new Map<string, ParticipantMemory>()

  constructor(services: Pick<GatewayServices, "absent" | "options" | "timers">) {
    this.#services = services
  }

  of(eventId: string): ParticipantMemory {
    const known = this.#byEvent.get(eventId)
    if (known !== undefined) return known
    const memory = new ParticipantMemory(this.#services, eventId)
    this.#byEvent.set(eventId, memory)
    return memory
  }

  sweep(now: number): void {
    for (const [eventId, memory] of this.#byEvent) {
      memory.sweep(now)
      if (memory.isUnused) this.#byEvent.delete(eventId)
    }
  }
}
