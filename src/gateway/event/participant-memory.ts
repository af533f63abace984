/**
 * The gateway's memory of each participant over all connections: rate budgets and the latest commands. Entries of connected participants
 * are limited by the number of sockets. Entries outlive the last socket, so that a reconnect gets no new budget and a repeated command is
 * recognised. New anonymous ids cost a request each, so the entries of absent participants are limited (`absent-participants.ts`).
 */
import type { Timers } from "../../clock/timers.ts"
import type { Connection } from "../connection/connection.ts"
import type { AbsentParticipants } from "../memory/absent-participants.ts"
import { RateBudgets } from "../memory/rate-budgets.ts"
import { RecentCommands } from "../memory/recent-commands.ts"
import type { GatewayServices } from "../services.ts"

export class ParticipantMemory {
  readonly budgets: RateBudgets
  readonly recent = new RecentCommands()
  readonly #absent: AbsentParticipants
  readonly #timers: Timers
  readonly #eventId: string
  readonly #connected: ReadonlyArray<{ has(participantId: string): boolean }>

  /** `connected`: the participants with a connection, inside and in the waiting room. */
  constructor(
    { absent, options, timers }: Pick<GatewayServices, "absent" | "options" | "timers">,
    eventId: string,
    connected: ReadonlyArray<{ has(participantId: string): boolean }>,
  ) {
    this.budgets = new RateBudgets(options.budgets, options.staffFactor)
    this.#absent = absent
    this.#timers = timers
    this.#eventId = eventId
    this.#connected = connected
  }

  /** Remembers an executed command of the connection, which may have closed meanwhile. */
  remember(connection: Connection, commandId: string, body: string): void {
    this.recent.remember(connection.identity.participantId, commandId, body, this.#timers.now())
    this.closed(connection)
  }

  /** Called when the participant has a settled connection. */
  connected({ identity }: Connection): void {
    this.#absent.returned(this.#keyOf(identity.participantId))
  }

  /** Called when a connection closed. If it was the participant's last, their entries count as those of an absent participant. */
  closed({ identity: { participantId, kind } }: Connection): void {
    if (this.#connected.some((participants) => participants.has(participantId))) return
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
