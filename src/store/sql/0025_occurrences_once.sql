-- As before, but an occurrence whose id is stored already is left as it is, with its deliveries. A commit may have happened
-- although its outcome stayed unknown; presence then tells the same comings and goings again, under the same ids.
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
    select distinct id, workspace_id, event_id, type, body, occurred_at from wanted order by id
    on conflict (id) do nothing returning id
  ), delivery as (
    insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status, next_attempt_at, finished_at)
    select new_id(), w.id, w.endpoint_id, w.event_id, case when w.is_sent then 'pending' else 'skipped' end,
           case when w.is_sent then now() end, case when not w.is_sent then now() end
      from wanted w join message using (id) order by w.n
    returning status
  )
  select count(*)::integer from delivery where status = 'pending'
$$;
