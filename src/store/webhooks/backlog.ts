/**
 * Backlog metrics: the number of entries in the outbox, the mail queue and the media queue, and how late their attempts are, read every ten
 * seconds. A failing endpoint does not count as lateness, because its own receiver causes it; it is counted separately.
 */
import { Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, type Queryable } from "../database.ts"

const EVERY = "10 seconds"
/** Maximum number that is counted exactly: counting on would cost more than it is worth. */
const COUNTED = 100_000

interface Backlog {
  readonly deliveries: number
  readonly deliveriesOverdue: number
  readonly mails: number
  readonly mailsOverdue: number
  readonly media: number
  readonly mediaOverdue: number
  /** Active endpoints whose last attempt failed. */
  readonly failingEndpoints: number
}

/** Seconds since the oldest attempt was due; 0 when none is due. */
export const readBacklog = async (sql: Queryable): Promise<Backlog | undefined> => {
  const [row] = await sql<Backlog[]>`
    with deliveries as (
      (select endpoint_id, created_at as due_at from webhook_deliveries where status = 'pending' and attempts = 0 limit ${COUNTED}::int)
      union all
      (select endpoint_id, next_attempt_at from webhook_deliveries where status = 'pending' and attempts > 0 limit ${COUNTED}::int)
    ), mails as (
      select due_at from mails where due_at is not null limit ${COUNTED}::int
    ), media as (
      select due_at from media_jobs where kind <> 'capture' limit ${COUNTED}::int
    )
    select (select count(*)::int from deliveries) as deliveries, (select count(*)::int from mails) as mails,
           (select count(*)::int from media) as media,
           (select greatest(0, extract(epoch from now() - min(due_at)))::float8 from media) as media_overdue,
           (select greatest(0, extract(epoch from now() - min(due_at)))::float8 from mails) as mails_overdue,
           (select greatest(0, extract(epoch from now() - min(d.due_at)))::float8
              from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
             where e.status = 'active' and e.failing_since is null) as deliveries_overdue,
           (select count(*)::int from webhook_endpoints where status = 'active' and failing_since is not null) as failing_endpoints`
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
        metrics.webhookOverdue.set(found.deliveriesOverdue)
        metrics.mailBacklog.set(found.mails)
        metrics.mailOverdue.set(found.mailsOverdue)
        metrics.mediaBacklog.set(found.media)
        metrics.mediaOverdue.set(found.mediaOverdue)
        metrics.webhookEndpointsFailing.set(found.failingEndpoints)
      }),
    )
    yield* Effect.forkScoped(look.pipe(Effect.ignore, Effect.andThen(Effect.sleep(EVERY)), Effect.forever))
  }),
)
