/** Commands that REST sends to an event's mailbox, where those of the gateway go too, and what their refusals become. */
import { Effect } from "effect"
import type { Answer, Caller, Command, Refused } from "../actors/commands.ts"
import { LiveEvents } from "../actors/live-events.ts"
import { BadRequest, Conflict, type Failure, Forbidden, NotFound } from "../model/errors.ts"
import { newId } from "../model/ids.ts"

const failureOf = ({ code, detail }: Refused): Failure => {
  switch (code) {
    case "bad_request":
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

/** Asks in somebody's name, or for whoever manages the workspace. Repeats are told apart by `Idempotency-Key`, not here. */
export const ask = (eventId: string, command: Command, by: Caller | null): Effect.Effect<Answer, Failure, LiveEvents> =>
  Effect.flatMap(LiveEvents, (live) => {
    const commandId = newId()
    const scope = by?.participantId ?? "rest"
    return live.execute(eventId, { commandId, scope, bodyHash: "", by, at: Date.now(), freshId: newId(), command })
  }).pipe(
    Effect.catchTag("Refused", (refused) =>
      refused.code === "internal_error" ? Effect.die(refused) : Effect.fail(failureOf(refused)),
    ),
  )
