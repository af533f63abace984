/** Commands that REST, like the gateway, sends to an event's mailbox, and the REST failures for their refusals. */
import { Effect } from "effect"
import type { Answer, Caller, Command, Refused } from "../../../actors/commands.ts"
import { LiveEvents } from "../../../actors/live-events.ts"
import { ID_USED_BEFORE } from "../../../actors/runtime/executor.ts"
import { BadRequest, Conflict, type Failure, Forbidden, IdempotencyKeyReused, NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { keyedScope } from "../../../model/live/command-scopes.ts"
import { isInTransaction } from "../../../store/database.ts"
import { DryRun } from "../../requests/call.ts"
import { CommandKey } from "../../requests/command-key.ts"

const failureOf = ({ code, detail, field }: Refused): Failure => {
  switch (code) {
    case "bad_request":
    case "role_not_on_event":
      return field === undefined
        ? new BadRequest({ detail })
        : BadRequest.ofField(field, detail.slice(`${field}: `.length))
    case "not_found":
      return new NotFound({ detail })
    case "forbidden":
    case "muted":
      return new Forbidden({ detail })
    default:
      return new Conflict({ detail })
  }
}

/**
 * Sends a command in a participant's name, or for a manager of the workspace (`by` null). Under an `Idempotency-Key` a repeat has the same
 * command id, so the live event runs it once. A request sends each event a single command, because a second one would count as a repeat.
 */
export const ask = (eventId: string, command: Command, by: Caller | null): Effect.Effect<Answer, Failure, LiveEvents> =>
  Effect.gen(function* () {
    // The live event commits on a connection of its own, which could not be had if all connections waited like this.
    if (yield* isInTransaction) return yield* Effect.die(new Error("a live event is asked within a transaction"))
    const live = yield* LiveEvents
    const key = yield* CommandKey
    const caller = by?.participantId ?? "rest"
    const known =
      key === undefined
        ? { scope: caller, commandId: newId(), bodyHash: "" }
        : { scope: keyedScope(caller), commandId: key.commandId, bodyHash: key.bodyHash }
    return yield* live[(yield* DryRun) ? "rehearse" : "execute"](eventId, { ...known, by, freshId: newId(), command })
  }).pipe(
    Effect.catchTag("Refused", (refused) => {
      if (refused.code === "internal_error") return Effect.die(refused)
      // Generated ids are always new unless they derive from a key.
      return Effect.fail(refused.detail === ID_USED_BEFORE ? new IdempotencyKeyReused() : failureOf(refused))
    }),
  )
