/** The lock under which registrations of an event change, while it takes any. */
import { Effect } from "effect"
import { Conflict, NotFound } from "../../../model/errors.ts"
import type { Queryable } from "../../../store/database.ts"
import { lockCapacity } from "../../../store/events/registrations.ts"
import { query } from "../../../store/query.ts"

/** Locks the event's row. Fails with `Conflict` for an ended or cancelled event and with `NotFound` for a deleted one. */
export const lockOpenEvent = (sql: Queryable, eventId: string) =>
  Effect.gen(function* () {
    const limits = yield* query(() => lockCapacity(sql, eventId))
    if (limits === undefined) return yield* NotFound.of("event")
    if (limits.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
    if (limits.isCancelled) return yield* new Conflict({ detail: "The event is cancelled." })
    return limits
  })

export const DECLINED = new Conflict({ detail: "The organisers declined the registration." })
