/** Notifies live events of changed roles, and open sockets of changed grants. */
import { Effect, Fiber, Option, Schedule } from "effect"
import { ownCommand, type Refused } from "../../../actors/commands.ts"
import { LiveEvents } from "../../../actors/live-events.ts"
import { type ForgottenRole, type GrantChange, GrantChanges, publishing } from "../../../identity/grant-changes.ts"
import type { NotFound, Unavailable } from "../../../model/errors.ts"
import { afterCommit } from "../../../store/database.ts"
import type { Departure } from "../../../store/workspaces/members.ts"
import { Telemetry } from "../../../telemetry/telemetry.ts"

const AGAIN = Schedule.spaced("1 second")
/** Attempts over two minutes. A full mailbox and an unreachable database count alike. */
const TRIES = 120
const AT_ONCE = 8
/** Sockets are checked after this time, even when some events have not been notified. */
const CHECK_AFTER = "1 second"

/** After the caller's work is committed, checks open sockets with a matching grant; the caller waits for it. */
export const recheckSockets = (change: GrantChange): Effect.Effect<void, never, GrantChanges> =>
  afterCommit(publishing([change]))

/**
 * Announces changed stored roles of users on events: roles given by the live events no longer count, and their sockets are checked. The
 * caller waits for both. An event that cannot be reached is notified again for two minutes; its sockets are checked in any case. After that
 * the gateway repairs the rest: when a check of open sockets finds another role on the list, the event checks its own
 * (`gateway/grants/role-checks.ts`). An event that left memory compares all its roles with the list when it is activated.
 */
export const announceRoles = (
  changes: ReadonlyArray<{ readonly eventId: string; readonly userId: string }>,
): Effect.Effect<void, never, GrantChanges | LiveEvents | Telemetry> =>
  afterCommit(
    Effect.gen(function* () {
      const live = yield* LiveEvents
      const { publish } = yield* GrantChanges
      const { log } = yield* Telemetry
      const forgotten: ForgottenRole[] = []
      /** An event that does not exist has no roles to forget. */
      const missed = (failure: Refused | NotFound | Unavailable, who: (typeof changes)[number]): void => {
        if (failure._tag !== "NotFound")
          log.error({ ...who, err: failure }, "a live event was not told of a changed role")
      }
      const forget = ({ eventId, userId }: (typeof changes)[number]) =>
        live.execute(eventId, ownCommand({ type: "role.forget", d: { userId } })).pipe(
          Effect.retry({ while: (failure) => failure._tag === "Unavailable", schedule: AGAIN, times: TRIES }),
          Effect.match({
            onSuccess: ({ version }) => void forgotten.push({ eventId, userId, version }),
            onFailure: (failure) => missed(failure, { eventId, userId }),
          }),
          Effect.andThen(Effect.sync(() => publish({ eventId, userId }))),
        )
      const all = yield* Effect.forkDetach(Effect.forEach(changes, forget, { concurrency: AT_ONCE, discard: true }))
      const isDone = Option.isSome(yield* Effect.timeoutOption(Fiber.await(all), CHECK_AFTER))
      yield* publishing(isDone ? [] : changes, forgotten)
    }),
  )

/** Notifies sockets and live events that a member has left or was removed. */
export const announceDeparture =
  (workspaceId: string) =>
  ({ accountId, userId, eventIds }: Departure) =>
    Effect.andThen(
      recheckSockets({ workspaceId, accountId }),
      announceRoles(userId === null ? [] : eventIds.map((eventId) => ({ eventId, userId }))),
    )
