/** Giving a place at an event free, or a place in its waiting list, by an organiser or by its person. */
import { Clock, Effect } from "effect"
import { NotFound } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { registeredAs } from "../../../model/participants.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database } from "../../../store/database.ts"
import { deleteRegistration, findRegistrationById } from "../../../store/events/registrations.ts"
import { isDecidedOn } from "../../../store/live/live-events.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { appendRegistrationOccurrences } from "../../../store/webhooks/registration-occurrences.ts"
import { ask } from "./live-commands.ts"

/** Fails with `NotFound` when the registration does not exist, or no longer exists. */
export const freePlace = (
  event: Pick<Event, "id" | "workspaceId" | "status">,
  registrationId: string,
  by: "organiser" | "person",
) =>
  Effect.gen(function* () {
    const database = yield* Database
    const isThere = yield* database.run((sql) => findRegistrationById(sql, event.id, registrationId))
    if (isThere === undefined) return yield* NotFound.of("registration")
    const staysOut = yield* database.run((sql) => query(() => isDecidedOn(sql, event.id, registeredAs(registrationId))))
    // Removed from the event first and then from the list: a repeat after a fault does both again.
    if (isThere.state === "approved" && (event.status === "scheduled" || event.status === "live")) {
      const remove = { type: "participant.remove", d: { id: registeredAs(registrationId), block: true } } as const
      yield* ask(event.id, remove, null).pipe(Effect.catchTag("Conflict", () => Effect.void))
    }
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    yield* database.transaction((sql) =>
      Effect.gen(function* () {
        const gone = yield* query(() =>
          deleteRegistration(sql, event.id, { id: registrationId, staysOut, byPerson: by === "person" }),
        )
        // Only one of several concurrent cancellations deletes the registration; the others get 404 and no audit entry.
        if (gone === undefined) return yield* NotFound.of("registration")
        yield* query(() => appendRegistrationOccurrences(sql, "cancelled", event, [gone], now))
      }),
    )
    yield* afterCommit(Effect.sync((yield* OutboxSignal).notify))
  })
