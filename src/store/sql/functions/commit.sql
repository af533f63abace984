-- The commit of a live event as one statement, so that it costs one round trip. At a few hundred commands a second the round trips of
-- BEGIN, five statements and COMMIT took half of the time of a command. Functions are in the order of their calls, except for new_id, which
-- comes first because functions in the language SQL refer to it.

-- A UUIDv7 (RFC 9562 §5.7) on any PostgreSQL: a random UUID with the time written over its first 48 bits, and version 7.
create or replace function new_id() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
           placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
         52, 1), 53, 1), 'hex')::uuid
$$;

-- Writes a batch of commands, which takes the event from `from_version` to `to_version`. `of_epoch` is the fencing
-- token of the activation. Returns the number of webhook deliveries that are to be sent. `written` has these parts, each of which may be absent:
--   chart         the value of the event's statechart; null if it has not changed. A node of the previous release sends none, so that
--                 the next owner reads the chart from the rows
--   event         the event's row
--   dropped       ids of phases that are removed
--   moved         the new positions of stored phases; they come before new phases, which may take a position that becomes free
--   settling      changed phases that are not active
--   opening       the phase that becomes active; it comes after `settling`, because at most one phase may be active
--   activities    the parts that write_activities lists
--   publications  the dispatches, each with the version of its command
--   commands      the answers of the accepted commands
--   restored      ids of removed participants who may come back
--   removed       ids of participants who may not come back
--   silenced      participants who may not speak any more: their addresses for encoders end
--   occurrences   the webhook events
--   presence      participants who are present from now on, or present otherwise, and the ids of those who no longer are
--   captured      the rooms that the media server has to record from now on
--   deleted       present if the event itself is deleted
create or replace function commit_live_event(of_event uuid, of_epoch bigint, from_version bigint, to_version bigint,
                                             at_time timestamptz, written jsonb)
returns integer language plpgsql as $$
declare deliveries integer := 0;
begin
  -- The first statement of every commit: locks the row of the live event, or fails the whole transaction. A batch of commands may raise the
  -- version by more than one.
  update live_events
     set version = to_version, version_epoch = of_epoch,
         chart = case when written->'chart' = 'null' then chart else written->'chart' end
   where event_id = of_event and epoch = of_epoch and version = from_version;
  if not found then
    raise exception 'another activation owns this live event' using errcode = 'GC001';
  end if;
  if written ? 'event' then perform update_event(written->'event'); end if;
  if written ? 'dropped' then perform drop_phases(of_event, written->'dropped'); end if;
  if written ? 'moved' then perform move_phases(of_event, written->'moved'); end if;
  if written ? 'settling' then perform upsert_phases(written->'settling'); end if;
  if written ? 'opening' then
    perform upsert_phases(written->'opening');
    perform call_to_stage(of_event);
  end if;
  if written ? 'activities' then perform write_activities(of_event, written->'activities'); end if;
  if written ? 'publications' then
    insert into publications (event_id, stream, s, version, frame, fact, at)
    select of_event, p.stream, p.s, p.version, p.frame, p.fact, at_time
      from jsonb_to_recordset(written->'publications')
           as p(stream text, s bigint, version bigint, frame text, fact jsonb);
  end if;
  if written ? 'commands' then
    insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
    select of_event, c.scope, c.command_id, c.body_hash, c.reply, at_time
      from jsonb_to_recordset(written->'commands') as c(scope text, command_id text, body_hash text, reply jsonb);
  end if;
  if written ? 'restored' then
    delete from live_removals where event_id = of_event
       and participant_id in (select jsonb_array_elements_text(written->'restored'));
  end if;
  if written ? 'removed' then
    insert into live_removals (event_id, participant_id, at)
    select of_event, participant_id, at_time from jsonb_array_elements_text(written->'removed') as r(participant_id)
    on conflict do nothing;
  end if;
  if written ? 'silenced' then
    update bearer_links set ended_at = now() where event_id = of_event and kind = 'ingest' and ended_at is null
       and participant_id in (select jsonb_array_elements_text(written->'silenced'));
  end if;
  if written ? 'occurrences' then deliveries := append_occurrences(written->'occurrences'); end if;
  if written ? 'presence' then perform write_presence(of_event, written->'presence'); end if;
  if written ? 'captured' then
    insert into media_jobs (kind, event_id, captured) values ('capture', of_event, written->'captured');
  end if;
  if written ? 'deleted' then delete from events where id = of_event; end if;
  return deliveries;
end $$;

-- Commits several events in one transaction. Each has a subtransaction, so that a refused one undoes nothing of the others: its row is null
-- then. A commit that finds a row locked by another transaction is refused soon, so that it does not delay the others; the caller sends it
-- again separately.
create or replace function commit_live_events(commits jsonb)
returns table (deliveries integer) language plpgsql set lock_timeout = '50ms' as $$
declare c jsonb;
begin
  for c in select value from jsonb_array_elements(commits) loop
    begin
      deliveries := commit_live_event((c->>'event')::uuid, (c->>'token')::bigint, (c->>'from')::bigint,
                                      (c->>'to')::bigint, (c->>'at')::timestamptz, c->'written');
    exception
      when lock_not_available then
        deliveries := null;
        -- One transaction may have locked rows of many events, and the waits would add up. The setting ends with the function.
        perform set_config('lock_timeout', '1ms', true);
      when others then
        deliveries := null;
    end;
    return next;
  end loop;
end $$;

-- Current stage role of a participant with this stored role; null when they are not on stage. A speaker speaks only on the stage of a
-- broadcast.
create or replace function stage_role_of(of_event uuid, stored text) returns text language sql stable as $$
  select stored where stored in ('workspace_admin', 'host')
      or stored = 'speaker' and exists (select from phases where event_id = of_event and status = 'active' and modality = 'broadcast')
$$;

-- Called when a broadcast phase has begun: speakers who are already present are on stage.
create or replace function call_to_stage(of_event uuid) returns void language sql as $$
  update present_participants set stage_role = 'speaker'
   where event_id = of_event and present->>'role' = 'speaker' and stage_role is distinct from 'speaker'
     and stage_role_of(of_event, 'speaker') is not null
$$;

create or replace function write_presence(of_event uuid, changed jsonb) returns void language plpgsql as $$
begin
  insert into present_participants as known (event_id, participant_id, present, stage_role)
  select of_event, p->>'participantId',
         -- The event keeps the name until the person, whose data was erased, has left.
         case when exists (select from erasures x where x.participant_ids @> array[p->>'participantId'])
              then p || '{"name": "Removed person"}' else p end,
         stage_role_of(of_event, p->>'role')
    from jsonb_array_elements(changed->'present') as p
  on conflict (event_id, participant_id) do update
     set present = excluded.present, stage_role = coalesce(excluded.stage_role, known.stage_role);
  if jsonb_array_length(coalesce(changed->'stays', '[]')) > 0 then
    perform write_stays(of_event, changed->'stays');
  end if;
  delete from present_participants
   where event_id = of_event and participant_id in (select jsonb_array_elements_text(changed->'absent'));
end $$;

-- Adds ended stays to the attendance of their participants. A commit of unknown outcome may have happened, and presence then reports the
-- same stays again: stays that ended no later than the last known one are known. A user may have been deleted since they came. People who
-- waited for the start count as present from the start on. A departure may be reported after the person's data was erased and then has no
-- name. A stay that began within `sameWithinMs` continues the previous one, unless that ended by the command `leave`.
create or replace function write_stays(of_event uuid, ended jsonb) returns void language sql as $$
  with stay as (
    select s.participant_id, s.user_id, s.name, s.role, s.kind, s.left_at,
           least(greatest(s.joined_at, e.started_at), s.left_at) as joined_at, s.same_within, s.for_good
      from (select j->>'participantId' as participant_id, j->>'userId' as user_id, j->>'name' as name, j->>'role' as role,
                   j->>'kind' as kind, (j->>'joinedAt')::timestamptz as joined_at, (j->>'leftAt')::timestamptz as left_at,
                   make_interval(secs => coalesce((j->>'sameWithinMs')::float8, 0) / 1000) as same_within,
                   coalesce((j->>'isForGood')::boolean, false) as for_good
              from jsonb_array_elements(ended) as j) s
      join events e on e.id = of_event
     where not exists (select from attendances a where a.event_id = of_event and a.participant_id = s.participant_id
                          and a.last_left_at >= s.left_at)
  ), counted as (
    select s.*, coalesce(s.joined_at > coalesce(lag(s.left_at) over before, a.last_left_at) + case
             when coalesce(lag(s.for_good) over before, a.left_for_good) then interval '0' else s.same_within end, true) as is_another
      from stay s left join attendances a on a.event_id = of_event and a.participant_id = s.participant_id
    window before as (partition by s.participant_id order by s.left_at)
  ), total as (
    select participant_id, (array_agg(user_id order by left_at desc))[1] as user_id, (array_agg(name order by left_at desc))[1] as name,
           (array_agg(role order by left_at desc))[1] as role, min(kind) as kind, min(joined_at) as joined_at,
           max(left_at) as left_at, (array_agg(for_good order by left_at desc))[1] as for_good, sum(extract(epoch from left_at - joined_at) * 1000) as ms, count(*) filter (where is_another) as stays
      from counted group by participant_id
  )
  insert into attendances as a
         (event_id, participant_id, user_id, name, role, kind, first_joined_at, last_left_at, left_for_good, attended_ms, stays, stage_role)
  select of_event, t.participant_id, u.id,
         case when exists (select from erasures x where x.participant_ids @> array[t.participant_id]) then 'Removed person' else t.name end,
         t.role, t.kind, t.joined_at, t.left_at, t.for_good, t.ms, t.stays,
         coalesce(p.stage_role, stage_role_of(of_event, t.role))
    from total t left join users u on u.id = case when t.user_id ~ '^[0-9a-f-]{36}$' then t.user_id::uuid end
    left join present_participants p on p.event_id = of_event and p.participant_id = t.participant_id
   order by t.participant_id
  on conflict (event_id, participant_id) do update
     set name = excluded.name, role = excluded.role, last_left_at = excluded.last_left_at,
         left_for_good = excluded.left_for_good, attended_ms = a.attended_ms + excluded.attended_ms, stays = a.stays + excluded.stays,
         stage_role = coalesce(excluded.stage_role, a.stage_role)
$$;

-- Stores changes that are announced to nobody, so they make no version.
create or replace function keep_presence(of_event uuid, of_epoch bigint, changed jsonb) returns void language plpgsql as $$
begin
  perform 1 from live_events where event_id = of_event and epoch = of_epoch for share;
  if not found then
    raise exception 'another activation owns this live event' using errcode = 'GC001';
  end if;
  perform write_presence(of_event, changed);
end $$;

-- Writes the given columns of the event. Its parts are planned each time, because few commits change the event itself.
create or replace function update_event(e jsonb) returns void language plpgsql as $$
declare columns text := (select string_agg(quote_ident(name), ', ') from jsonb_object_keys(e) as name
                          where name not in ('id', 'workspace_id', 'created_at'));
begin
  execute format('update events old set (%1$s) = (select %1$s from jsonb_populate_record(old, $1)) where id = $2', columns)
    using e, (e->>'id')::uuid;
end $$;

-- A recording belongs to its phase for good. A recording begun meanwhile waits for the lock, and finds no phase.
create or replace function drop_phases(of_event uuid, dropped jsonb) returns void language plpgsql as $$
declare ids uuid[] := array(select jsonb_array_elements_text(dropped)::uuid);
begin
  perform 1 from phases where event_id = of_event and id = any (ids) for update;
  if exists (select from recordings where phase_id = any (ids)) then
    raise exception 'a recording belongs to the phase' using errcode = 'GC003';
  end if;
  delete from phases where event_id = of_event and id = any (ids);
end $$;

-- Positions must be unique in each row that an update writes, and not only at its end, so the phases move via positions that no agenda has.
create or replace function move_phases(of_event uuid, moved jsonb) returns void language plpgsql as $$
begin
  update phases p set position = p.position + 1000 from jsonb_to_recordset(moved) as m(id uuid)
   where p.event_id = of_event and p.id = m.id;
  update phases p set position = m.position from jsonb_to_recordset(moved) as m(id uuid, position integer)
   where p.event_id = of_event and p.id = m.id;
end $$;

-- Inserts new phases and rewrites changed ones.
create or replace function upsert_phases(changed jsonb) returns void language sql as $$
  insert into phases (id, event_id, position, modality, config, feature_set, status, started_at, ended_at,
                      timer_ends_at, extended_seconds, rev, timer_rev, timer_elapsed)
  select * from jsonb_to_recordset(changed)
         as p(id uuid, event_id uuid, position integer, modality text, config jsonb, feature_set text[], status text,
              started_at timestamptz, ended_at timestamptz, timer_ends_at timestamptz, extended_seconds integer,
              rev integer, timer_rev integer, timer_elapsed boolean)
  on conflict (id) do update set config = excluded.config, feature_set = excluded.feature_set,
         status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
         timer_ends_at = excluded.timer_ends_at, extended_seconds = excluded.extended_seconds,
         rev = excluded.rev, timer_rev = excluded.timer_rev, timer_elapsed = excluded.timer_elapsed
$$;

-- Writes all changes that commands made to the activities. Every part may be absent.
create or replace function write_activities(of_event uuid, written jsonb) returns void language plpgsql as $$
begin
  if written ? 'questions' then perform write_questions(of_event, written->'questions'); end if;
  if written ? 'votes' then perform write_votes(written->'votes'); end if;
  if written ? 'withdrawn' then
    delete from questions q using jsonb_array_elements_text(written->'withdrawn') as w(id) where q.id = w.id::uuid;
  end if;
  if written ? 'chat' then perform write_chat(of_event, written->'chat'); end if;
  if written ? 'unsent' then
    delete from chat_messages c using jsonb_array_elements_text(written->'unsent') as u(id) where c.id = u.id::uuid;
  end if;
  if written ? 'broadcasts' then perform write_broadcasts(of_event, written->'broadcasts'); end if;
  if written ? 'captions' then perform write_captions(of_event, written->'captions'); end if;
  if written ? 'memberships' then perform write_memberships(of_event, written->'memberships'); end if;
  if written ? 'records' then perform write_records(of_event, written->'records'); end if;
  if written ? 'gone' then perform drop_records(of_event, written->'gone'); end if;
end $$;

create or replace function write_questions(of_event uuid, changed jsonb) returns void language sql as $$
  insert into questions (id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, pinned, answer,
                         votes, created_at, answered_at, rev, room_id, answer_mode, asker_id)
  -- The author's user may have been deleted since the question was read: `u.id` is null then.
  select q.id, of_event, q.phase_id, q.text, q.status, u.id, q.author_name, q.anonymous, q.pinned, q.answer,
         q.votes, q.created_at, q.answered_at, q.rev, q.room_id, q.answer_mode, q.asker_id
    from jsonb_to_recordset(changed)
         as q(id uuid, phase_id uuid, text text, status text, author_user_id uuid, author_name text, anonymous boolean,
              pinned boolean, answer text, votes integer, created_at timestamptz, answered_at timestamptz, rev integer,
              room_id uuid, answer_mode text, asker_id text)
    left join users u on u.id = q.author_user_id
  on conflict (id) do update set status = excluded.status, pinned = excluded.pinned, answer = excluded.answer,
         votes = excluded.votes, answered_at = excluded.answered_at, rev = excluded.rev,
         answer_mode = excluded.answer_mode
$$;

create or replace function write_votes(changed jsonb) returns void language plpgsql as $$
begin
  insert into question_votes (question_id, voter)
  select v.question_id, v.voter from jsonb_to_recordset(changed) as v(question_id uuid, voter text, is_on boolean)
   where v.is_on on conflict do nothing;
  delete from question_votes q using jsonb_to_recordset(changed) as v(question_id uuid, voter text, is_on boolean)
   where not v.is_on and q.question_id = v.question_id and q.voter = v.voter;
end $$;

create or replace function write_chat(of_event uuid, sent jsonb) returns void language sql as $$
  insert into chat_messages (id, event_id, target, participant_id, name, role, text, reply_to, at)
  select c.id, of_event, c.target, c.participant_id, c.name, c.role, c.text, c.reply_to, c.at
    from jsonb_to_recordset(sent)
         as c(id uuid, target text, participant_id text, name text, role text, text text, reply_to uuid, at timestamptz)
$$;

create or replace function write_broadcasts(of_event uuid, changed jsonb) returns void language sql as $$
  insert into broadcasts (id, event_id, phase_id, status, playback_url, started_at)
  select b.id, of_event, b.phase_id, b.status, b.playback_url, b.started_at
    from jsonb_to_recordset(changed)
         as b(id uuid, phase_id uuid, status text, playback_url text, started_at timestamptz)
  on conflict (phase_id) do update set status = excluded.status, playback_url = excluded.playback_url,
         started_at = excluded.started_at, updated_at = now()
$$;

-- A later text of the same segment replaces the earlier one. Each room has its own ids, as in `model/live/live-values.ts`.
create or replace function write_captions(of_event uuid, pushed jsonb) returns void language sql as $$
  insert into captions (event_id, segment, t0, t1, speaker, lang, text, room_id)
  select of_event, coalesce(c."roomId" || chr(31), '') || c.segment, c.t0, c.t1, c.speaker, c.lang, c.text, c."roomId"
    from jsonb_to_recordset(pushed) as c(segment text, t0 integer, t1 integer, speaker text, lang text, text text, "roomId" text)
  on conflict (event_id, segment) do update set t0 = excluded.t0, t1 = excluded.t1, speaker = excluded.speaker,
         lang = excluded.lang, text = excluded.text, room_id = excluded.room_id
$$;

-- A role given by a live event reaches the list only while its user may enter the workspace. The removal of a member locks the user's row
-- and then deletes its roles. It comes wholly before or after: the lock waits for it, and a separate statement reads its result.
create or replace function write_memberships(of_event uuid, given jsonb) returns void language plpgsql as $$
begin
  perform 1 from users u join jsonb_to_recordset(given) as m(user_id uuid) on u.id = m.user_id order by u.id for share of u;
  insert into memberships (id, event_id, user_id, role)
  select new_id(), of_event, u.id, m.role
    from jsonb_to_recordset(given) as m(user_id uuid, role text) join users u on u.id = m.user_id
   where u.account_id is null
      or exists (select 1 from workspace_members w where w.workspace_id = u.workspace_id and w.account_id = u.account_id)
      or exists (select 1 from memberships other where other.user_id = u.id)
  on conflict (event_id, user_id) do update set role = excluded.role;
end $$;

create or replace function write_records(of_event uuid, changed jsonb) returns void language sql as $$
  insert into live_records (event_id, kind, id, version, body)
  select of_event, r.kind, r.id, r.version, r.body
    from jsonb_to_recordset(changed) as r(kind text, id text, version smallint, body jsonb)
  on conflict (event_id, kind, id) do update set version = excluded.version, body = excluded.body
$$;

create or replace function drop_records(of_event uuid, gone jsonb) returns void language sql as $$
  delete from live_records l using jsonb_to_recordset(gone) as r(kind text, id text)
   where l.event_id = of_event and l.kind = r.kind and l.id = r.id
$$;

-- Stores webhook events, and one delivery of each for every endpoint of the workspace that wants its type. Returns the number of
-- deliveries that are to be sent. A webhook event that no endpoint wants is stored only if the workspace reads a feed; the audit log
-- is not part of the feed. The delivery for a disabled endpoint is stored as skipped. A webhook event whose id is stored already is left as it is, with its deliveries. A commit of unknown
-- outcome may have happened, and presence then reports the same arrivals and departures again, under the same ids. The endpoints
-- are locked against deletion first, because a foreign key to a deleted endpoint would fail the whole commit.
create or replace function append_occurrences(occurrences jsonb) returns integer language sql as $$
  with occurrence as (
    select * from jsonb_to_recordset(occurrences)
           as o(n integer, id uuid, workspace_id uuid, event_id uuid, type text, body text, occurred_at timestamptz)
  ), endpoint as (
    select id, workspace_id, event_types, event_id, status from webhook_endpoints
     where workspace_id in (select workspace_id from occurrence) for key share
  ), wanted as (
    select o.*, e.id as endpoint_id, e.status = 'active' as is_sent from occurrence o join endpoint e
        on e.workspace_id = o.workspace_id
       -- The audit log is sent only to endpoints that name its type.
       and (o.type = any (e.event_types) or e.event_types = '{}' and o.type <> 'audit.created')
       and (e.event_id is null or e.event_id = o.event_id)
  ), fed as (
    select workspace_id from occurrence_feeds where workspace_id in (select workspace_id from occurrence)
  ), numbered as materialized (
    select o.*, case when o.type <> 'audit.created' and o.workspace_id in (select workspace_id from fed)
                     then nextval('occurrence_numbers') end as seq
      from (select * from occurrence order by n) o
  ), message as (
    insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at, seq)
    select id, workspace_id, event_id, type, body, occurred_at, seq
      from numbered where seq is not null or id in (select id from wanted) order by id
    on conflict (id) do nothing returning id
  ), delivery as (
    insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status, finished_at)
    -- Messages that belong to no event share the lane of their workspace.
    select new_id(), w.id, w.endpoint_id, coalesce(w.event_id, w.workspace_id), case when w.is_sent then 'pending' else 'skipped' end,
           case when not w.is_sent then now() end
      from wanted w join message using (id) order by w.n
    returning status
  )
  select count(*)::integer from delivery where status = 'pending'
$$;
