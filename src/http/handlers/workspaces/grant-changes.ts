/** Notifies live events of changed roles, and open sockets of changed grants. */
import { Effect, Fiber, Schedule } from "effect"
import { LiveEvents } from "../../../actors/live-events.ts"
import { type GrantChange, GrantChanges, publishing } from "../../../identity/grant-changes.ts"
import { newId } from "../../../model/ids.ts"
import { afterCommit } from "../../../store/database.ts"

const AGAIN = Schedule.spaced("1 second")
/**
 * An event that cannot be reached for so long has left memory, and compares its roles with the list when it is activated again.
 */
const TRIES = 120
const AT_ONCE = 8
/** The caller is answered by then, also when some events have not been notified. */
const ANSWER_AFTER = "1 second"

/** Open sockets with a matching grant are checked once the caller's work is committed. */
export const recheckSockets = (change: GrantChange): Effect.Effect<void, never, GrantChanges> =>
  afterCommit(publishing(change))

/**
 * The stored roles of users on events have changed: roles that the live events gave them no longer count, and their sockets are
 * checked. An event that cannot be reached is notified again for two minutes; its sockets are checked in any case.
 */
export const announceRoles = (
  changes: ReadonlyArray<{ readonly eventId: string; readonly userId: string }>,
): Effect.Effect<void, never, GrantChanges | LiveEvents> =>
  afterCommit(
    Effect.gen(function* () {
      const live = yield* LiveEvents
      const { publish } = yield* GrantChanges
      const forget = ({ eventId, userId }: (typeof changes)[number]) =>
        live
          .execute(eventId, {
            commandId: newId(),
            scope: "rest",
            bodyHash: "",
            by: null,
            at: Date.now(),
            freshId: newId(),
            command: { type: "role.forget", d: { userId } },
          })
          .pipe(
            Effect.retry({ while: (failure) => failure._tag === "Unavailable", schedule: AGAIN, times: TRIES }),
            Effect.ignore,
            Effect.andThen(Effect.sync(() => publish({ eventId, userId }))),
          )
      for (const change of changes) publish(change)
      const all = yield* Effect.forkDetach(Effect.forEach(changes, forget, { concurrency: AT_ONCE, discard: true }))
      yield* Effect.timeoutOption(Fiber.await(all), ANSWER_AFTER)
    }),
  )
