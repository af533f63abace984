/** Many deliveries of one endpoint at once: an example of each type, or again what it was sent. */
import { newId } from "../../model/ids.ts"
import { encodeExample, WEBHOOK_EVENT_TYPES } from "../../model/integrations/webhook-types.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

/** Maximum number of deliveries that one request repeats. */
const REPEATED_AT_ONCE = 1_000

export interface AppendedMany {
  /** Nothing is stored for a disabled endpoint. */
  readonly isActive: boolean
  /** The number of deliveries that are stored. */
  readonly deliveries: number
}

/** Stores an example of each type that the endpoint wants. `undefined` when there is no such endpoint. */
export const appendExamples = async (
  sql: Queryable,
  endpoint: { readonly workspaceId: string; readonly webhookId: string },
  occurredAt: Timestamp,
): Promise<AppendedMany | undefined> => {
  const examples = WEBHOOK_EVENT_TYPES.map((type, n) => {
    const id = newId()
    return { n, id, type, body: encodeExample(type, { id, workspaceId: endpoint.workspaceId, occurredAt }) }
  })
  const [row] = await sql<AppendedMany[]>`
    with endpoint as (
      select id, workspace_id, event_types, status = 'active' as is_active from webhook_endpoints
       where id = ${endpoint.webhookId} for key share
    ), example as (
      select o.* from jsonb_to_recordset(${sql.json(examples)}) as o(n integer, id uuid, type text, body text) join endpoint e
          on e.is_active and (o.type = any (e.event_types) or e.event_types = '{}' and o.type <> 'audit.created')
    ), message as (
      insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
      select example.id, endpoint.workspace_id, null, type, body, ${occurredAt} from example, endpoint returning id
    ), delivery as (
      insert into webhook_deliveries (id, message_id, endpoint_id, event_id)
      select new_id(), message.id, endpoint.id, endpoint.id from message join example using (id), endpoint order by n returning id
    )
    select is_active, (select count(*)::integer from delivery) as deliveries from endpoint`
  return row
}

/**
 * Repeats what the endpoint was sent since a time, or missed while it was disabled: each occurrence once, in its order, under its own id.
 * Pending occurrences are left out. `nextSince` is where to continue, if there is more.
 */
export const appendReplay = async (
  sql: Queryable,
  webhookId: string,
  since: Timestamp,
  readsAudit: boolean,
): Promise<(AppendedMany & { readonly nextSince: Timestamp | null }) | undefined> => {
  const [row] = await sql<(AppendedMany & { nextSince: Timestamp | null })[]>`
    with endpoint as (
      select id, status = 'active' as is_active from webhook_endpoints where id = ${webhookId} for key share
    ), sent as (
      select d.message_id, min(d.seq) as seq, min(d.created_at) as created_at, (array_agg(d.event_id))[1] as event_id
        from webhook_deliveries d join endpoint e on e.id = d.endpoint_id and e.is_active
        join outbox_messages m on m.id = d.message_id
       where d.created_at >= ${since} and m.type <> 'ping' and (${readsAudit}::boolean or m.type <> 'audit.created')
         and not exists (select 1 from webhook_deliveries earlier
                          where earlier.message_id = d.message_id and earlier.endpoint_id = d.endpoint_id and earlier.created_at < ${since})
       group by d.message_id having bool_and(d.status <> 'pending')
       order by min(d.seq) limit ${REPEATED_AT_ONCE + 1}
    ), delivery as (
      insert into webhook_deliveries (id, message_id, endpoint_id, event_id)
      select new_id(), message_id, endpoint.id, event_id from (select * from sent order by seq limit ${REPEATED_AT_ONCE}) s, endpoint
       order by s.seq returning id
    )
    select is_active, (select count(*)::integer from delivery) as deliveries,
           (select created_at from sent order by seq offset ${REPEATED_AT_ONCE} limit 1) as next_since
      from endpoint`
  return row
}
