/** The number and age of entries in the outbox, the mail queue and the queue of media, read every ten seconds for the metrics. */
import { Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, type Queryable } from "../database.ts"

const EVERY = "10 seconds"
/** A larger number is reported as this one: counting on would cost more than it is worth. */
const COUNTED = 100_000

export interface Backlog {
  readonly deliveries: number
  readonly deliveriesAge: number
  readonly mails: number
  readonly mailsAge: number
  readonly media: number
  readonly mediaAge: number
}

/** Ages in seconds; 0 when nothing waits. */
export const readBacklog = async (sql: Queryable): Promise<Backlog | undefined> => {
  const [row] = await sql<Backlog[]>`
    with deliveries as (
      (select created_at from webhook_deliveries where status = 'pending' and attempts = 0 limit ${COUNTED}::int)
      union all
      (select created_at from webhook_deliveries where status = 'pending' and attempts > 0 limit ${COUNTED}::int)
    ), mails as (
      select created_at from mails where due_at is not null limit ${COUNTED}::int
    ), media as (
      select created_at from media_jobs where kind <> 'capture' limit ${COUNTED}::int
    )
    select (select count(*)::int from deliveries) as deliveries, (select count(*)::int from mails) as mails,
           (select count(*)::int from media) as media,
           (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from media) as media_age,
           (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from deliveries) as deliveries_age,
           (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from mails) as mails_age`
  return row
}

export const backlogLayer: Layer.Layer<never, never, Database | Telemetry> = Layer.effectDiscard(
  Effect.gen(function* () {
    const database = yield* Database
    const { metrics } = yield* Telemetry
    const look = Effect.tap(database.run(readBacklog), (found) =>
      Effect.sync(() => {
        if (found === undefined) return
        metrics.webhookBacklog.set(found.deliveries)
        metrics.webhookBacklogAge.set(found.deliveriesAge)
        metrics.mailBacklog.set(found.mails)
        metrics.mailBacklogAge.set(found.mailsAge)
        metrics.mediaBacklog.set(found.media)
        metrics.mediaBacklogAge.set(found.mediaAge)
      }),
    )
    yield* Effect.forkScoped(look.pipe(Effect.ignore, Effect.andThen(Effect.sleep(EVERY)), Effect.forever))
  }),
)
