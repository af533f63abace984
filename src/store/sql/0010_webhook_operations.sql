-- What integrators do with their webhooks: look at deliveries and repeat them, ping, replace a secret, disable an endpoint.

-- A replaced secret signs beside its successor until it lapses. `failing_since` is when an unbroken row of failures began.
alter table webhook_endpoints
  add column previous_secret_sealed bytea,
  add column previous_secret_until timestamptz(3),
  add column failing_since timestamptz(3);

-- A ping belongs to no event; its deliveries carry their endpoint's id in place of the event's, which gives them a lane.
alter table outbox_messages alter column event_id drop not null;

-- `skipped`: not sent, because the endpoint was disabled. `history` has an entry for every answered try, oldest first; it
-- stands in the row, so that an attempt costs no statement and no index of its own.
alter table webhook_deliveries
  add column history jsonb not null default '[]',
  drop constraint webhook_deliveries_status_check,
  add constraint webhook_deliveries_status_check
      check (status in ('pending', 'delivered', 'rejected', 'exhausted', 'skipped'));

-- One index for lists with and without a status, for what waits for a disabled endpoint, and for deleting an endpoint.
drop index webhook_deliveries_endpoint;
create index webhook_deliveries_listed on webhook_deliveries (endpoint_id, status, created_at);

-- A UUIDv7 (RFC 9562 §5.7) on any PostgreSQL: a random one with the time laid over its first 48 bits and version 7.
create function new_id() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
           placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
         52, 1), 53, 1), 'hex')::uuid
$$;

-- As before, and for a disabled endpoint the delivery is stored as skipped. The endpoints are locked against deletion
-- first, because a foreign key that finds one gone would fail the whole commit. Returns the deliveries that are to be sent.
create or replace function append_occurrences(occurrences jsonb) returns integer language sql as $$
  with occurrence as (
    select * from jsonb_to_recordset(occurrences)
           as o(n integer, id uuid, workspace_id uuid, event_id uuid, type text, body text, occurred_at timestamptz)
  ), endpoint as (
    select id, workspace_id, event_types, status from webhook_endpoints
     where workspace_id in (select workspace_id from occurrence) for key share
  ), wanted as (
    select o.*, e.id as endpoint_id, e.status = 'active' as is_sent from occurrence o join endpoint e
        on e.workspace_id = o.workspace_id and (e.event_types = '{}' or o.type = any (e.event_types))
  ), message as (
    insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
    select distinct id, workspace_id, event_id, type, body, occurred_at from wanted
  ), delivery as (
    insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status, next_attempt_at, finished_at)
    select new_id(), id, endpoint_id, event_id, case when is_sent then 'pending' else 'skipped' end,
           case when is_sent then now() end, case when not is_sent then now() end
      from wanted order by n
    returning status
  )
  select count(*)::integer from delivery where status = 'pending'
$$;
