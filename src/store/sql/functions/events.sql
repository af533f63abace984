-- Stores events with their phases: all or none. A statement in a function is planned once for each session.
create or replace function insert_events(drafts jsonb) returns setof events language plpgsql as $$
begin
  return query
  with event as (
    insert into events (id, workspace_id, type, title, status, visibility, scheduled_at, scheduled_end_at,
                        allow_anonymous_voting, allow_anonymous_questions, reminders, host_absence, capacity, metadata)
    select e.id, e.workspace_id, e.type, e.title, e.status, e.visibility, e.scheduled_at, e.scheduled_end_at,
           e.allow_anonymous_voting, e.allow_anonymous_questions, coalesce(e.reminders, true),
           coalesce(e.host_absence, '{"measure": "nothing", "afterSeconds": 60}'), e.capacity, e.metadata
      from jsonb_to_recordset(drafts)
           as e(id uuid, workspace_id uuid, type text, title text, status text, visibility text, scheduled_at timestamptz,
                scheduled_end_at timestamptz, allow_anonymous_voting boolean, allow_anonymous_questions boolean,
                reminders boolean, host_absence jsonb, capacity integer, metadata jsonb)
    returning *
  ), agenda as (
    insert into phases (id, event_id, position, modality, config, feature_set, status)
    select p.id, e.id, p.position, p.modality, p.config, p.feature_set, 'pending'
      from jsonb_to_recordset(drafts) as e(id uuid, phases jsonb), jsonb_to_recordset(e.phases)
           as p(id uuid, position integer, modality text, config jsonb, feature_set text[])
  )
  select * from event;
end $$;

-- The same for events of several workspaces. One of them may be locked, for example because it is being deleted: the others do not wait
-- for that, and the caller stores each alone.
create or replace function insert_events_soon(drafts jsonb) returns setof events language plpgsql set lock_timeout = '100ms' as $$
begin
  return query select * from insert_events(drafts);
end $$;
