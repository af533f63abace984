-- The triggers, each after its function. Triggers are applied with the functions, because a table is created before the functions that name
-- it, and a trigger after its function.

-- Maintains events.registered, the number of the event's places that are taken or offered, and events.waiting.
create or replace function has_place(state text) returns boolean language sql immutable as $$ select state in ('approved', 'offered') $$;
create or replace function count_new_registrations() returns trigger language plpgsql as $$
begin
  update events e set registered = e.registered + a.places, waiting = e.waiting + a.waiting
    from (select event_id, count(*) filter (where has_place(state)) as places, count(*) filter (where state = 'waiting') as waiting
            from added group by event_id) a where e.id = a.event_id;
  return null;
end $$;
create or replace trigger registrations_added after insert on registrations referencing new table as added
  for each statement execute function count_new_registrations();

-- The deletion of an event deletes its registrations after the event's row is gone. The update then changes no row.
create or replace function count_lost_registrations() returns trigger language plpgsql as $$
begin
  update events e set registered = e.registered - l.places, waiting = e.waiting - l.waiting
    from (select event_id, count(*) filter (where has_place(state)) as places, count(*) filter (where state = 'waiting') as waiting
            from lost group by event_id) l where e.id = l.event_id;
  return null;
end $$;
create or replace trigger registrations_lost after delete on registrations referencing old table as lost
  for each statement execute function count_lost_registrations();

create or replace function count_moved_registrations() returns trigger language plpgsql as $$
begin
  update events e set registered = e.registered + m.places, waiting = e.waiting + m.waiting
    from (select event_id, sum(places) as places, sum(waiting) as waiting
            from (select event_id, has_place(state)::integer as places, (state = 'waiting')::integer as waiting from added
                  union all select event_id, -has_place(state)::integer, -(state = 'waiting')::integer from lost) as moves
           group by event_id) m
   where e.id = m.event_id and (m.places <> 0 or m.waiting <> 0);
  return null;
end $$;
create or replace trigger registrations_moved after update on registrations referencing old table as lost new table as added
  for each statement execute function count_moved_registrations();

-- A role changed or removed on an event ends older invites to it. An invite that is being accepted at this moment is kept.
create or replace function end_older_invites() returns trigger language plpgsql as $$
begin
  update invites i set status = 'revoked', revoked_at = now()
   where i.id in (select o.id from invites o
                   where o.event_id = old.event_id and o.status = 'pending'
                     and o.email in (select addresses_of(old.event_id, old.user_id::text)) for update skip locked);
  return null;
end $$;
create or replace trigger memberships_changed after update of role on memberships
  for each row when (old.role is distinct from new.role) execute function end_older_invites();
create or replace trigger memberships_taken after delete on memberships
  for each row execute function end_older_invites();

-- Registered people keep their seats. A registration locks the event's row, so the number is exact under concurrency.
create or replace function refuse_lower_capacity() returns trigger language plpgsql as $$
begin
  if new.capacity < new.registered then
    raise exception 'more people are registered' using errcode = 'GC002';
  end if;
  return new;
end $$;
create or replace trigger events_capacity before update of capacity on events
  for each row when (new.capacity is distinct from old.capacity) execute function refuse_lower_capacity();

-- Audit entries are never changed, and are deleted only with their workspace: by the cascade from it, which runs inside a trigger, or by
-- the sweep of a deleted workspace.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are not changed';
end $$;
create or replace trigger audit_entries_are_kept before update on audit_entries
  for each row execute function refuse_audit_change();
create or replace function refuse_audit_deletion() returns trigger language plpgsql as $$
begin
  if exists (select from workspaces where id = old.workspace_id and deleted_at is null) then
    raise exception 'audit entries are not changed';
  end if;
  return old;
end $$;
create or replace trigger audit_entries_are_not_deleted before delete on audit_entries
  for each row when (pg_trigger_depth() = 0) execute function refuse_audit_deletion();

-- A job removes the bytes of a deleted recording or clip: its row may go with its event or workspace, without a request of its own.
create or replace function remove_media_bytes() returns trigger language plpgsql as $$
begin
  insert into media_jobs (kind, storage_key) select 'remove', l.storage_key from lost l where l.storage_key is not null;
  return null;
end $$;
create or replace trigger recordings_deleted after delete on recordings referencing old table as lost
  for each statement execute function remove_media_bytes();
create or replace trigger clips_deleted after delete on clips referencing old table as lost
  for each statement execute function remove_media_bytes();
create or replace trigger recording_derivations_deleted after delete on recording_derivations referencing old table as lost
  for each statement execute function remove_media_bytes();
-- The first file of a broadcast's recording is the recording's own.
create or replace function remove_take_bytes() returns trigger language plpgsql as $$
begin
  insert into media_jobs (kind, storage_key) select 'remove', l.storage_key from lost l where l.number > 1;
  return null;
end $$;
create or replace trigger recording_takes_deleted after delete on recording_takes referencing old table as lost
  for each statement execute function remove_take_bytes();

-- A broadcast's recording is completed when the broadcast ends.
create or replace function record_broadcast() returns trigger language plpgsql as $$
begin
  insert into media_jobs (kind, recording_id) select 'record', r.id from recordings r
   where r.broadcast_id = new.id and r.source = 'broadcast' and r.status = 'processing'
  on conflict do nothing;
  return null;
end $$;
create or replace trigger broadcasts_ended after update of status on broadcasts
  for each row when (new.status = 'ended' and old.status <> 'ended') execute function record_broadcast();

-- Live captions become the event's transcript when it ends.
create or replace function transcribe_event() returns trigger language plpgsql as $$
begin
  insert into media_jobs (kind, event_id) select 'transcribe', new.id
   where exists (select 1 from captions where event_id = new.id)
  on conflict do nothing;
  return null;
end $$;
create or replace trigger events_ended after update of status on events
  for each row when (new.status = 'ended' and old.status <> 'ended') execute function transcribe_event();

-- A recording with a transcript shows no work on one. A node of the previous release, which does not know of it, writes transcripts too.
create or replace function end_transcription() returns trigger language plpgsql as $$
begin
  update recordings set transcription = null where id = new.recording_id and transcription is not null;
  return null;
end $$;
create or replace trigger transcripts_added after insert on transcripts
  for each row when (new.recording_id is not null) execute function end_transcription();

-- Captions that arrive, or are corrected, after the recording of their room has ended: its transcript, if there is one by then, is
-- rewritten. The job is locked until the captions are committed, so that it cannot end without having seen them.
create or replace function transcribe_room_again() returns trigger language plpgsql as $$
begin
  insert into media_jobs (kind, recording_id, due_at)
  select distinct 'retranscribe', r.id, now() + interval '5 seconds'
    from added a join events e on e.id = a.event_id
    join recordings r on r.event_id = a.event_id and r.room_id is not distinct from a.room_id
   where r.status in ('processing', 'ready')
     and (r.source = 'livekit' and r.egress_ended
          and e.started_at + a.t1 * interval '1 millisecond' > r.began_at
          and (r.duration_ms is null
               or e.started_at + a.t0 * interval '1 millisecond' < r.began_at + r.duration_ms * interval '1 millisecond')
       or r.source = 'broadcast'
          and exists (select 1 from broadcasts b where b.id = r.broadcast_id and b.status = 'ended')
          and e.started_at + a.t1 * interval '1 millisecond' > r.created_at
          and e.started_at + a.t0 * interval '1 millisecond' < (
            select s.at + s.duration_ms * interval '1 millisecond' from recording_segments s
             where s.recording_id = r.id and s.bytes > 0 order by s.number desc limit 1))
  on conflict (recording_id, kind) where recording_id is not null do update set due_at = media_jobs.due_at;
  return null;
end $$;
create or replace trigger captions_added after insert on captions referencing new table as added
  for each statement execute function transcribe_room_again();
create or replace trigger captions_corrected after update on captions referencing new table as added
  for each statement execute function transcribe_room_again();
-- Checks the previous position of a corrected caption: it may be in another recording now, or in none.
create or replace trigger captions_replaced after update on captions referencing old table as added
  for each statement execute function transcribe_room_again();

-- Workspace of a job, for the turns of workspaces. The row that the job is for may come in the same statement, which a trigger sees.
create or replace function set_job_workspace() returns trigger language plpgsql as $$
begin
  new.workspace_id := coalesce(
    (select r.workspace_id from recordings r where r.id = new.recording_id),
    (select r.workspace_id from clips c join recordings r on r.id = c.recording_id where c.id = new.clip_id),
    (select e.workspace_id from events e where e.id = new.event_id),
    new.workspace_id);
  return new;
end $$;
create or replace trigger media_jobs_workspace before insert on media_jobs
  for each row execute function set_job_workspace();

-- SEQUENCE of an event in calendars grows with each change that a calendar shows, and never falls.
create or replace function count_calendar_change() returns trigger language plpgsql as $$
begin
  new.calendar_sequence := old.calendar_sequence + 1;
  new.calendar_changed_at := greatest(clock_timestamp(), old.calendar_changed_at + interval '1 millisecond');
  return new;
end $$;
create or replace trigger events_calendar before update of title, scheduled_at, scheduled_end_at, cancelled_at, description, location, time_zone, metadata on events
  for each row when ((new.title, new.scheduled_at, new.scheduled_end_at, new.cancelled_at, new.description, new.location, new.time_zone,
                      new.metadata->>'description')
    is distinct from (old.title, old.scheduled_at, old.scheduled_end_at, old.cancelled_at, old.description, old.location, old.time_zone,
                      old.metadata->>'description'))
  execute function count_calendar_change();

-- Notes that the readers of a published event are to be told of its change (see event_notices). The lock of the newest notice waits for the
-- end of a step, which tells its readers of the event as it was.
create or replace function note_event_change() returns trigger language plpgsql as $$
declare
  reader text;
  newest event_notices;
begin
  foreach reader in array array['registered', 'added', 'invited'] loop
    select * into newest from event_notices where event_id = new.id and audience = reader order by number desc limit 1 for update;
    if not found or newest.after_email <> '' then
      insert into event_notices (workspace_id, event_id, audience, known_title, known_at, known_end_at, known_cancelled, known_sequence,
                                 since, changed_at, until_email)
      values (new.workspace_id, new.id, reader, old.title, old.scheduled_at, old.scheduled_end_at, old.cancelled_at is not null,
              old.calendar_sequence, new.calendar_changed_at, new.calendar_changed_at, newest.after_email);
    end if;
  end loop;
  update event_notices set changed_at = new.calendar_changed_at where event_id = new.id;
  return null;
end $$;
create or replace trigger events_changed after update of title, scheduled_at, scheduled_end_at, cancelled_at on events
  for each row when (new.published_at is not null and old.status = 'scheduled' and new.status = 'scheduled'
    and (new.title, new.scheduled_at, new.scheduled_end_at, new.cancelled_at is null)
      is distinct from (old.title, old.scheduled_at, old.scheduled_end_at, old.cancelled_at is null))
  execute function note_event_change();

-- The people who are invited to an event: whose invite waits, or who accepted it and still have a role. Those whose registration is in one
-- of the states are told as registered people.
create or replace function invited_but(of_event uuid, after_email text, until_email text, states text[])
returns table (email text, name text, created_at timestamptz) language sql stable as $$
  select i.email, max(u.name), min(i.created_at)
    from invites i left join users u on u.account_id = i.accepted_by_account_id and u.workspace_id = i.workspace_id
   where i.event_id = of_event and i.email > after_email and (until_email is null or i.email <= until_email)
     and (i.status = 'pending' and i.expires_at > now()
          or i.status = 'accepted' and exists (select from memberships m where m.event_id = of_event and m.user_id = u.id))
     and not exists (select from registrations r where r.event_id = of_event and r.email = i.email and r.state = any (states))
   group by i.email
$$;

-- The invited people who are told of a cancellation, of its end, or of a deletion: registered people without a place are told of these too.
create or replace function invited_to(of_event uuid, after_email text, until_email text)
returns table (email text, name text, created_at timestamptz) language sql stable as $$
  select i.email, i.name, i.created_at
    from invited_but(of_event, after_email, until_email, array['approved', 'pending', 'waiting', 'offered']) as i
$$;

create or replace function delete_notice_readers() returns trigger language plpgsql as $$
begin
  delete from notice_readers where notice in (select number from lost where gone);
  return null;
end $$;
create or replace trigger notices_deleted after delete on event_notices referencing old table as lost
  for each statement execute function delete_notice_readers();

-- Notes that the readers of a published event that was not held are to be told of its deletion, as of a cancellation: those who do not know
-- that it was cancelled. A workspace that is deleted tells nobody.
create or replace function note_event_deletion() returns trigger language plpgsql as $$
declare
  reader text;
  newest event_notices;
  added bigint;
begin
  foreach reader in array array['registered', 'added', 'invited'] loop
    select * into newest from event_notices where event_id = old.id and audience = reader order by number desc limit 1 for update;
    continue when old.cancelled_at is not null and not found
               or coalesce(old.scheduled_end_at, old.scheduled_at) < now() - interval '1 day'
               or not exists (select from workspaces where id = old.workspace_id and deleted_at is null);
    insert into event_notices (workspace_id, event_id, audience, gone, reason, time_zone, language, known_title, known_at, known_end_at,
                               known_cancelled, known_sequence, since, changed_at)
    values (old.workspace_id, old.id, reader, true, old.cancel_reason, old.time_zone, old.language, old.title, old.scheduled_at,
            old.scheduled_end_at, false, old.calendar_sequence, clock_timestamp(), clock_timestamp())
    returning number into added;
    if reader in ('registered', 'added') then
      insert into notice_readers (notice, email, name, has_place)
      select added, r.email, r.name, r.state = 'approved' from registrations r
       where r.event_id = old.id and r.state not in ('declined', 'expired') and r.by_workspace = (reader = 'added')
         and (old.cancelled_at is null or r.email > newest.after_email);
    else
      insert into notice_readers (notice, email, name)
      select added, i.email, i.name
        from invited_to(old.id, case when old.cancelled_at is null then '' else newest.after_email end, null) as i;
    end if;
  end loop;
  delete from event_notices where event_id = old.id and not gone;
  return old;
end $$;
create or replace trigger events_deleted before delete on events
  for each row when (old.status = 'scheduled') execute function note_event_deletion();
