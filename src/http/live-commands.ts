/** Commands that REST sends to an event's mailbox, where those of the gateway go too, and what their refusals become. */
import { Context, Effect } from "effect"
import type { Answer, Caller, Command, Refused } from "../actors/commands.ts"
import { ID_USED_BEFORE } from "../actors/commit/execution.ts"
import { LiveEvents } from "../actors/live-events.ts"
import { keyedScope } from "../model/command-scopes.ts"
import { BadRequest, Conflict, type Failure, Forbidden, IdempotencyKeyReused, NotFound } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import { isInTransaction } from "../store/database.ts"

const failureOf = ({ code, detail }: Refused): Failure => {
  switch (code) {
    case "bad_request":
    case "role_not_on_event":
      return new BadRequest({ detail })
    case "not_found":
      return new NotFound({ detail })
    case "forbidden":
    case "muted":
      return new Forbidden({ detail })
    default:
      return new Conflict({ detail })
  }
}

/** The id under which the request's command is known to the live event, and what it must match: see `idempotency.ts`. */
export const CommandKey = Context.Reference<{ readonly commandId: string; readonly bodyHash: string } | undefined>(
  "gathercue/CommandKey",
  { defaultValue: () => undefined },
)

/**
 * Asks in somebody's name, or for whoever manages the workspace. Under an `Idempotency-Key` a repeat comes with the same
 * command id, so that the live event does it once. A request asks once: its second command would be taken for a repeat.
 */
export const ask = (eventId: string, command: Command, by: Caller | null): Effect.Effect<Answer, Failure, LiveEvents> =>
  Effect.gen(function* () {
    // The live event commits on a connection of its own: with all of them waiting like this nobody would get one.
    if (yield* isInTransaction) return yield* Effect.die(new Error("a live event is asked within a transaction"))
    const live = yield* LiveEvents
    const key = yield* CommandKey
    const caller = by?.participantId ?? "rest"
    const known =
      key === undefined ? { scope: caller, commandId: newId(), bodyHash: "" } : { scope: keyedScope(caller), ...key }
    return yield* live.execute(eventId, { ...known, by, at: Date.now(), freshId: newId(), command })
  }).pipe(
    Effect.catchTag("Refused", (refused) => {
      if (refused.code === "internal_error") return Effect.die(refused)
      // Ids of ours are new each time, unless they derive from a key.
      return Effect.fail(refused.detail === ID_USED_BEFORE ? new IdempotencyKeyReused() : failureOf(refused))
    }),
  )
