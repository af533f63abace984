-- Stores events with their phases: all or none. A statement in a function is planned once for each session.
create or replace function insert_events(drafts jsonb) returns setof events language plpgsql as $$
-- Columns that drafts lack, including a column that nodes of the previous release do not send.
declare fresh events := jsonb_populate_record(null::events, jsonb_build_object(
  'registered', 0, 'waiting', 0, 'entries_swept', false, 'history', 'brief', 'calendar_sequence', 0, 'created_at', now(), 'updated_at', now()));
begin
  return query
  with event as (
    insert into events
    select e.* from jsonb_array_elements(drafts) as d(draft), jsonb_populate_record(fresh, d.draft) as e
    returning *
  ), agenda as (
    insert into phases (id, event_id, position, modality, config, feature_set, status)
    select p.id, e.id, p.position, p.modality, p.config, p.feature_set, 'pending'
      from jsonb_to_recordset(drafts) as e(id uuid, phases jsonb), jsonb_to_recordset(e.phases)
           as p(id uuid, position integer, modality text, config jsonb, feature_set text[])
  )
  select * from event;
end $$;

-- Stores events of several workspaces. One of the workspaces may be locked, for example because it is being deleted: the others do not wait
-- for it, and the caller stores each event separately.
create or replace function insert_events_soon(drafts jsonb) returns setof events language plpgsql set lock_timeout = '100ms' as $$
begin
  return query select * from insert_events(drafts);
end $$;
