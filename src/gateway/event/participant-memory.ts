/**
 * The gateway's memory of each participant over all connections and requests: rate budgets and the latest commands. Entries outlive the
 * last socket, so that a reconnect gets no new budget and a repeated command is recognised. The number of sockets limits the entries of
 * connected participants. A new anonymous id costs only a request, so those of absent ones have a limit (`absent-participants.ts`).
 */
import type { Timers } from "../../clock/timers.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { AbsentParticipants } from "../memory/absent-participants.ts"
import { RateBudgets } from "../memory/rate-budgets.ts"
import { RecentCommands } from "../memory/recent-commands.ts"
import type { GatewayServices } from "../services.ts"

type Connected = ReadonlyArray<{ has(participantId: string): boolean }>

export class ParticipantMemory {
  readonly budgets: RateBudgets
  readonly recent = new RecentCommands()
  readonly #absent: AbsentParticipants
  readonly #timers: Timers
  readonly #eventId: string
  #connected: Connected | undefined

  constructor({ absent, options, timers }: Pick<GatewayServices, "absent" | "options" | "timers">, eventId: string) {
    this.budgets = new RateBudgets(options.budgets, options.staffFactor)
    this.#absent = absent
    this.#timers = timers
    this.#eventId = eventId
  }

  /** `connected`: the participants with a connection to the event's channel, inside and in its waiting room. */
  attach(connected: Connected): void {
    this.#connected = connected
  }

  /** The channel has stopped. */
  detach(connected: Connected): void {
    if (this.#connected === connected) this.#connected = undefined
  }

  /** True when nobody is remembered and no channel has the event. */
  get isUnused(): boolean {
    return this.#connected === undefined && this.budgets.isEmpty && this.recent.isEmpty
  }

  /** Remembers an executed command of a participant, who may have no connection, or none any more. */
  remember(identity: Identity, commandId: string, body: string): void {
    this.recent.remember(identity.participantId, commandId, body, this.#timers.now())
    this.closed({ identity })
  }

  /** Called when the participant has a settled connection. */
  connected({ identity }: Pick<Connection, "identity">): void {
    this.#absent.returned(this.#keyOf(identity.participantId))
  }

  /** Called when a connection closed. If it was the participant's last, their entries count as those of an absent participant. */
  closed({ identity: { participantId, kind } }: Pick<Connection, "identity">): void {
    if (this.#connected?.some((participants) => participants.has(participantId))) return
    if (!this.budgets.has(participantId) && !this.recent.has(participantId)) return
    this.#absent.left(this.#keyOf(participantId), kind === "anonymous", () => {
      this.budgets.forget(participantId)
      this.recent.forget(participantId)
    })
  }

  sweep(now: number): void {
    this.budgets.sweep(now)
    this.recent.sweep(now)
  }

  #keyOf(participantId: string): string {
    return `${this.#eventId} ${participantId}`
  }
}

/**
 * The memories of all events. They belong to no channel, because an HTTP request draws on the same budgets as the participant's sockets
 * even if no socket has opened a channel.
 */
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
