/** The short codes of events. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { EventStatus } from "../../model/event.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

/** The event's code. `fresh` becomes the code of an event without one; `undefined` when the event is gone, or another event has `fresh`. */
const codeOr = async (sql: Queryable, eventId: string, fresh: string): Promise<string | undefined> => {
  const [row] = await sql<{ joinCode: string }[]>`
    update events set join_code = coalesce(join_code, ${fresh})
     where id = ${eventId} and (join_code is not null or not exists (select from events where join_code = ${fresh}))
    returning join_code`
  return row?.joinCode
}

const TRIES = 5

/** The event's code, created at the first call; `undefined` when the event is gone. */
export const joinCodeOf = (
  eventId: string,
  make: () => string,
): Effect.Effect<string | undefined, Unavailable, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    for (let tries = 0; tries < TRIES; tries++) {
      const code = yield* database.run((sql) => codeOr(sql, eventId, make()))
      if (code !== undefined) return code
    }
    return undefined
  })

interface Joinable {
  readonly id: string
  readonly title: string
  readonly status: EventStatus
  readonly scheduledAt: Timestamp | null
}

/** The event of a code, unless it is a draft or private. */
export const findByJoinCode = (code: string) =>
  Effect.flatMap(Database, (database) =>
    database.run(async (sql) => {
      const [row] = await sql<Joinable[]>`
        select id, title, status, scheduled_at from events
         where join_code = ${code} and status <> 'draft' and visibility <> 'private'
           and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`
      return row
    }),
  )
