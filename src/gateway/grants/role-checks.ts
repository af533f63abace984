/**
 * Roles given at the event that contradict the workspace's list. The list normally agrees, because one commit writes both, and the event
 * forgets its role when the workspace changes the list (`http/handlers/workspaces/grant-changes.ts`). If the event could not be reached, or
 * if an operator changed the list, the live event is asked to check its role. It is also asked at every check about a role for the time on
 * stage, which may differ: the gateway does not know who is on stage.
 */

import { Effect } from "effect"
import { ownCommand } from "../../actors/commands.ts"
import { TIMER_SCOPE } from "../../actors/runtime/executor.ts"
import type { EventRole } from "../../model/roles.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewayServices } from "../services.ts"

interface Difference {
  readonly given: EventRole
  /** Null: the user is not in the list. */
  readonly stored: EventRole | null
  /** True while the live event has not answered. */
  isAsked: boolean
}

export class RoleChecks {
  readonly #services: GatewayServices
  readonly #eventId: string
  readonly #differences = new WeakMap<Connection, Difference>()

  constructor(services: GatewayServices, eventId: string) {
    this.#services = services
    this.#eventId = eventId
  }

  /**
   * Compares the given role with the list, which has just been read. A commit may lie between the read and the role given here, so a
   * difference counts only if the next read shows it as well.
   */
  look(connection: Connection, given: EventRole | undefined, stored: EventRole | null): void {
    const known = this.#differences.get(connection)
    if (given === undefined || given === stored) {
      this.#differences.delete(connection)
    } else if (known?.given !== given || known.stored !== stored) {
      this.#differences.set(connection, { given, stored, isAsked: false })
    } else if (!known.isAsked) {
      known.isAsked = true
      this.#ask(connection, known)
    }
  }

  #ask({ identity: { participantId: userId } }: Connection, difference: Difference): void {
    const { fork, grants, live, telemetry } = this.#services
    const eventId = this.#eventId
    const command = { type: "role.check", d: { userId, stored: difference.stored } } as const
    const asked = live.execute(eventId, ownCommand(command, TIMER_SCOPE))
    fork(
      Effect.match(asked, {
        onSuccess: ({ result }) => {
          difference.isAsked = false
          // The stored role applies from here on; it is looked up as after an announced change.
          if (result["isForgotten"] === true) grants.publish({ eventId, userId })
        },
        onFailure: (err) => {
          difference.isAsked = false
          telemetry.log.warn({ err, eventId, userId }, "a live event could not be asked to check a role")
        },
      }),
    )
  }
}
