-- A database of the build of commit ebf006fb, which was at schema version 37, as pg_dump 15 wrote it while that server ran. Its events: one
-- that has ended after each modality, one that is to come, and one that is live, with its host and two participants in rooms of a breakout.
-- {"madeAt": "2026-11-29T03:30:54.582Z", "email": "ada-8cea6987-a38c-428a-b9bf-0db26ee6d53b@example.com", "password": "correct horse battery", "key": "gck_9m3Nn2u93GgLHKaNnOpJ4u6jhIoBVhvUgPRFCaarOOo", "webhookSecret": "whsec_R8f2bfqWAxA8M6PF8mfwVMEg3NfZ7Xm3Drh6XJymWIY=", "past": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "coming": "01a2255b-0a98-7322-93ca-e13eca990696", "live": "01a2255b-0b42-7724-8da0-4a8de2e07201"}
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', 'public', false);
SET check_function_bodies = false;
SET client_min_messages = warning;
CREATE FUNCTION append_occurrences(occurrences jsonb) RETURNS integer
	LANGUAGE sql
	AS $$
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
		   case when w.is_sent then now() + interval '1 day' end, case when not w.is_sent then now() end
	  from wanted w join message using (id) order by w.n
	returning status
  )
  select count(*)::integer from delivery where status = 'pending'
$$;
CREATE FUNCTION commit_live_event(of_event uuid, of_epoch bigint, from_version bigint, to_version bigint, at_time timestamp with time zone, written jsonb) RETURNS integer
	LANGUAGE plpgsql
	AS $$
declare deliveries integer := 0;
begin
  perform fence_live_event(of_event, of_epoch, from_version, to_version);
  if written ? 'event' then perform update_event(written->'event'); end if;
  if written ? 'dropped' then perform drop_phases(of_event, written->'dropped'); end if;
  if written ? 'moved' then perform move_phases(of_event, written->'moved'); end if;
  if written ? 'settling' then perform upsert_phases(written->'settling'); end if;
  if written ? 'opening' then perform upsert_phases(written->'opening'); end if;
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
  if written ? 'occurrences' then deliveries := append_occurrences(written->'occurrences'); end if;
  if written ? 'presence' then perform write_presence(of_event, written->'presence'); end if;
  if written ? 'captured' then
	insert into media_jobs (kind, event_id, captured) values ('capture', of_event, written->'captured');
  end if;
  if written ? 'deleted' then delete from events where id = of_event; end if;
  return deliveries;
end $$;
CREATE FUNCTION commit_live_events(commits jsonb) RETURNS TABLE(deliveries integer)
	LANGUAGE plpgsql
	SET lock_timeout TO '50ms'
	AS $$
declare c jsonb;
begin
  for c in select value from jsonb_array_elements(commits) loop
	begin
	  deliveries := commit_live_event((c->>'event')::uuid, (c->>'token')::bigint, (c->>'from')::bigint,
									  (c->>'to')::bigint, (c->>'at')::timestamptz, c->'written');
	exception
	  when lock_not_available then
		deliveries := null;
		perform set_config('lock_timeout', '1ms', true);
	  when others then
		deliveries := null;
	end;
	return next;
  end loop;
end $$;
CREATE FUNCTION count_lost_registrations() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  update events e set registered = e.registered - l.n
	from (select event_id, count(*) as n from lost group by event_id) l where e.id = l.event_id;
  return null;
end $$;
CREATE FUNCTION count_new_registrations() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  update events e set registered = e.registered + a.n
	from (select event_id, count(*) as n from added group by event_id) a where e.id = a.event_id;
  return null;
end $$;
CREATE FUNCTION drop_phases(of_event uuid, dropped jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
declare ids uuid[] := array(select jsonb_array_elements_text(dropped)::uuid);
begin
  perform 1 from phases where event_id = of_event and id = any (ids) for update;
  if exists (select from recordings where phase_id = any (ids)) then
	raise exception 'a recording belongs to the phase' using errcode = 'GC003';
  end if;
  delete from phases where event_id = of_event and id = any (ids);
end $$;
CREATE FUNCTION drop_records(of_event uuid, gone jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  delete from live_records l using jsonb_to_recordset(gone) as r(kind text, id text)
   where l.event_id = of_event and l.kind = r.kind and l.id = r.id
$$;
CREATE FUNCTION fence_live_event(of_event uuid, of_epoch bigint, from_version bigint, to_version bigint) RETURNS void
	LANGUAGE plpgsql
	AS $$
begin
  update live_events set version = to_version, version_epoch = of_epoch
   where event_id = of_event and epoch = of_epoch and version = from_version;
  if not found then
	raise exception 'another activation owns this live event' using errcode = 'GC001';
  end if;
end $$;
CREATE FUNCTION give_back_tokens(keys bytea[], step_ms double precision[]) RETURNS void
	LANGUAGE sql
	AS $$
  update rate_buckets b set full_at = b.full_at - make_interval(secs => g.step / 1000)
	from unnest(keys, step_ms) as g(key, step) where b.key = g.key
$$;
CREATE TABLE events (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	type text NOT NULL,
	title text NOT NULL,
	status text NOT NULL,
	visibility text NOT NULL,
	scheduled_at timestamptz(3),
	scheduled_end_at timestamptz(3),
	allow_anonymous_voting boolean NOT NULL,
	allow_anonymous_questions boolean NOT NULL,
	capacity integer,
	registered integer DEFAULT 0 NOT NULL,
	metadata jsonb NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	updated_at timestamptz(3) DEFAULT now() NOT NULL,
	published_at timestamptz(3),
	started_at timestamptz(3),
	ended_at timestamptz(3),
	entries_swept boolean DEFAULT false NOT NULL,
	join_code text,
	reminders boolean DEFAULT true NOT NULL,
	CONSTRAINT events_capacity_check CHECK ((capacity > 0)),
	CONSTRAINT events_join_code_check CHECK ((join_code ~ '^[2-9A-HJ-NP-Z]{6}$'::text)),
	CONSTRAINT events_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'scheduled'::text, 'live'::text, 'ended'::text]))),
	CONSTRAINT events_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'unlisted'::text, 'private'::text])))
);
CREATE FUNCTION insert_events(drafts jsonb) RETURNS SETOF events
	LANGUAGE plpgsql
	AS $$
begin
  return query
  with event as (
	insert into events (id, workspace_id, type, title, status, visibility, scheduled_at, scheduled_end_at,
						allow_anonymous_voting, allow_anonymous_questions, reminders, capacity, metadata)
	select e.id, e.workspace_id, e.type, e.title, e.status, e.visibility, e.scheduled_at, e.scheduled_end_at,
		   e.allow_anonymous_voting, e.allow_anonymous_questions, coalesce(e.reminders, true), e.capacity, e.metadata
	  from jsonb_to_recordset(drafts)
		   as e(id uuid, workspace_id uuid, type text, title text, status text, visibility text, scheduled_at timestamptz,
				scheduled_end_at timestamptz, allow_anonymous_voting boolean, allow_anonymous_questions boolean,
				reminders boolean, capacity integer, metadata jsonb)
	returning *
  ), agenda as (
	insert into phases (id, event_id, position, modality, config, feature_set, status)
	select p.id, e.id, p.position, p.modality, p.config, p.feature_set, 'pending'
	  from jsonb_to_recordset(drafts) as e(id uuid, phases jsonb), jsonb_to_recordset(e.phases)
		   as p(id uuid, position integer, modality text, config jsonb, feature_set text[])
  )
  select * from event;
end $$;
CREATE FUNCTION insert_events_soon(drafts jsonb) RETURNS SETOF events
	LANGUAGE plpgsql
	SET lock_timeout TO '100ms'
	AS $$
begin
  return query select * from insert_events(drafts);
end $$;
CREATE FUNCTION keep_presence(of_event uuid, of_epoch bigint, changed jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
begin
  perform 1 from live_events where event_id = of_event and epoch = of_epoch for share;
  if not found then
	raise exception 'another activation owns this live event' using errcode = 'GC001';
  end if;
  perform write_presence(of_event, changed);
end $$;
CREATE FUNCTION move_phases(of_event uuid, moved jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
begin
  update phases p set position = p.position + 1000 from jsonb_to_recordset(moved) as m(id uuid)
   where p.event_id = of_event and p.id = m.id;
  update phases p set position = m.position from jsonb_to_recordset(moved) as m(id uuid, position integer)
   where p.event_id = of_event and p.id = m.id;
end $$;
CREATE FUNCTION new_id() RETURNS uuid
	LANGUAGE sql
	AS $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
		   placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
		 52, 1), 53, 1), 'hex')::uuid
$$;
CREATE FUNCTION record_broadcast() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  insert into media_jobs (kind, recording_id) select 'record', r.id from recordings r
   where r.broadcast_id = new.id and r.source = 'broadcast' and r.status = 'processing'
  on conflict do nothing;
  return null;
end $$;
CREATE FUNCTION refuse_audit_change() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  raise exception 'audit entries are not changed';
end $$;
CREATE FUNCTION refuse_audit_deletion() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  if exists (select from workspaces where id = old.workspace_id and deleted_at is null) then
	raise exception 'audit entries are not changed';
  end if;
  return old;
end $$;
CREATE FUNCTION refuse_lower_capacity() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  if new.capacity < new.registered then
	raise exception 'more people are registered' using errcode = 'GC002';
  end if;
  return new;
end $$;
CREATE FUNCTION remove_media_bytes() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  insert into media_jobs (kind, storage_key) select 'remove', l.storage_key from lost l where l.storage_key is not null;
  return null;
end $$;
CREATE FUNCTION remove_take_bytes() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  insert into media_jobs (kind, storage_key) select 'remove', l.storage_key from lost l where l.number > 1;
  return null;
end $$;
CREATE FUNCTION take_tokens(keys bytea[], step_ms double precision[], bursts double precision[]) RETURNS TABLE(wait_ms double precision, tokens double precision, full_in_ms double precision)
	LANGUAGE plpgsql
	AS $$
declare
  at timestamptz := clock_timestamp();
  step interval;
  fullness timestamptz;
  is_refused boolean := false;
  n integer;
begin
  for n in 1 .. cardinality(keys) loop
	step := make_interval(secs => step_ms[n] / 1000);
	fullness := null;
	insert into rate_buckets as b (key, full_at) values (keys[n], at + step)
	on conflict (key) do update set full_at = greatest(b.full_at, at) + step
	  where greatest(b.full_at, at) + step <= at + step * bursts[n]
	returning b.full_at into fullness;
	if fullness is null then
	  is_refused := true;
	  select b.full_at into fullness from rate_buckets b where b.key = keys[n];
	  perform give_back_tokens(keys[1 : n - 1], step_ms[1 : n - 1]);
	end if;
	wait_ms := case when is_refused then extract(epoch from fullness - at) * 1000 - step_ms[n] * (bursts[n] - 1) else 0 end;
	full_in_ms := extract(epoch from fullness - at) * 1000;
	tokens := bursts[n] - full_in_ms / step_ms[n];
	exit when is_refused;
  end loop;
  return next;
end $$;
CREATE FUNCTION transcribe_event() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
begin
  insert into media_jobs (kind, event_id) select 'transcribe', new.id
   where exists (select 1 from captions where event_id = new.id)
  on conflict do nothing;
  return null;
end $$;
CREATE FUNCTION transcribe_room_again() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
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
CREATE FUNCTION update_event(e jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  update events set type = e->>'type', title = e->>'title', status = e->>'status', visibility = e->>'visibility',
		 scheduled_at = (e->>'scheduled_at')::timestamptz, scheduled_end_at = (e->>'scheduled_end_at')::timestamptz,
		 allow_anonymous_voting = (e->>'allow_anonymous_voting')::boolean,
		 allow_anonymous_questions = (e->>'allow_anonymous_questions')::boolean,
		 reminders = coalesce((e->>'reminders')::boolean, reminders),
		 capacity = (e->>'capacity')::integer, metadata = e->'metadata', updated_at = (e->>'updated_at')::timestamptz,
		 published_at = (e->>'published_at')::timestamptz, started_at = (e->>'started_at')::timestamptz,
		 ended_at = (e->>'ended_at')::timestamptz
   where id = (e->>'id')::uuid
$$;
CREATE FUNCTION upsert_phases(changed jsonb) RETURNS void
	LANGUAGE sql
	AS $$
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
CREATE FUNCTION write_activities(of_event uuid, written jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
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
CREATE FUNCTION write_broadcasts(of_event uuid, changed jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  insert into broadcasts (id, event_id, phase_id, status, playback_url, started_at)
  select b.id, of_event, b.phase_id, b.status, b.playback_url, b.started_at
	from jsonb_to_recordset(changed)
		 as b(id uuid, phase_id uuid, status text, playback_url text, started_at timestamptz)
  on conflict (phase_id) do update set status = excluded.status, playback_url = excluded.playback_url,
		 started_at = excluded.started_at, updated_at = now()
$$;
CREATE FUNCTION write_captions(of_event uuid, pushed jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  insert into captions (event_id, segment, t0, t1, speaker, lang, text, room_id)
  select of_event, coalesce(c."roomId" || chr(31), '') || c.segment, c.t0, c.t1, c.speaker, c.lang, c.text, c."roomId"
	from jsonb_to_recordset(pushed) as c(segment text, t0 integer, t1 integer, speaker text, lang text, text text, "roomId" text)
  on conflict (event_id, segment) do update set t0 = excluded.t0, t1 = excluded.t1, speaker = excluded.speaker,
		 lang = excluded.lang, text = excluded.text, room_id = excluded.room_id
$$;
CREATE FUNCTION write_chat(of_event uuid, sent jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  insert into chat_messages (id, event_id, target, participant_id, name, role, text, reply_to, at)
  select c.id, of_event, c.target, c.participant_id, c.name, c.role, c.text, c.reply_to, c.at
	from jsonb_to_recordset(sent)
		 as c(id uuid, target text, participant_id text, name text, role text, text text, reply_to uuid, at timestamptz)
$$;
CREATE FUNCTION write_memberships(of_event uuid, given jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
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
CREATE FUNCTION write_presence(of_event uuid, changed jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
begin
  insert into present_participants (event_id, participant_id, present)
  select of_event, p->>'participantId',
		 case when exists (select from erasures x where x.participant_ids @> array[p->>'participantId'])
			  then p || '{"name": "Removed person"}' else p end
	from jsonb_array_elements(changed->'present') as p
  on conflict (event_id, participant_id) do update set present = excluded.present;
  delete from present_participants
   where event_id = of_event and participant_id in (select jsonb_array_elements_text(changed->'absent'));
  if jsonb_array_length(coalesce(changed->'stays', '[]')) > 0 then
	perform write_stays(of_event, changed->'stays');
  end if;
end $$;
CREATE FUNCTION write_questions(of_event uuid, changed jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  insert into questions (id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, pinned, answer,
						 votes, created_at, answered_at, rev, room_id, answer_mode, asker_id)
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
CREATE FUNCTION write_records(of_event uuid, changed jsonb) RETURNS void
	LANGUAGE sql
	AS $$
  insert into live_records (event_id, kind, id, version, body)
  select of_event, r.kind, r.id, r.version, r.body
	from jsonb_to_recordset(changed) as r(kind text, id text, version smallint, body jsonb)
  on conflict (event_id, kind, id) do update set version = excluded.version, body = excluded.body
$$;
CREATE FUNCTION write_stays(of_event uuid, ended jsonb) RETURNS void
	LANGUAGE sql
	AS $_$
  with stay as (
	select s.participant_id, s.user_id, s.name, s.role, s.kind, s.left_at,
		   least(greatest(s.joined_at, e.started_at), s.left_at) as joined_at
	  from (select j->>'participantId' as participant_id, j->>'userId' as user_id, j->>'name' as name, j->>'role' as role,
				   j->>'kind' as kind, (j->>'joinedAt')::timestamptz as joined_at, (j->>'leftAt')::timestamptz as left_at
			  from jsonb_array_elements(ended) as j) s
	  join events e on e.id = of_event
	 where not exists (select from attendances a where a.event_id = of_event and a.participant_id = s.participant_id
						  and a.last_left_at >= s.left_at)
  ), total as (
	select participant_id, (array_agg(user_id order by left_at desc))[1] as user_id, (array_agg(name order by left_at desc))[1] as name,
		   (array_agg(role order by left_at desc))[1] as role, min(kind) as kind, min(joined_at) as joined_at,
		   max(left_at) as left_at, sum(extract(epoch from left_at - joined_at) * 1000) as ms, count(*) as stays
	  from stay group by participant_id
  )
  insert into attendances as a
		 (event_id, participant_id, user_id, name, role, kind, first_joined_at, last_left_at, attended_ms, stays)
  select of_event, t.participant_id, u.id,
		 case when exists (select from erasures x where x.participant_ids @> array[t.participant_id]) then 'Removed person' else t.name end,
		 t.role, t.kind, t.joined_at, t.left_at, t.ms, t.stays
	from total t left join users u on u.id = case when t.user_id ~ '^[0-9a-f-]{36}$' then t.user_id::uuid end
   order by t.participant_id
  on conflict (event_id, participant_id) do update
	 set name = excluded.name, role = excluded.role, last_left_at = excluded.last_left_at,
		 attended_ms = a.attended_ms + excluded.attended_ms, stays = a.stays + excluded.stays
$_$;
CREATE FUNCTION write_votes(changed jsonb) RETURNS void
	LANGUAGE plpgsql
	AS $$
begin
  insert into question_votes (question_id, voter)
  select v.question_id, v.voter from jsonb_to_recordset(changed) as v(question_id uuid, voter text, is_on boolean)
   where v.is_on on conflict do nothing;
  delete from question_votes q using jsonb_to_recordset(changed) as v(question_id uuid, voter text, is_on boolean)
   where not v.is_on and q.question_id = v.question_id and q.voter = v.voter;
end $$;
CREATE TABLE account_emails (
	id uuid NOT NULL,
	account_id uuid NOT NULL,
	email text NOT NULL,
	verified_at timestamptz(3),
	is_primary boolean NOT NULL,
	CONSTRAINT account_emails_email_check CHECK ((email = lower(email)))
);
CREATE TABLE account_identities (
	issuer text NOT NULL,
	subject text NOT NULL,
	account_id uuid NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE account_sessions (
	id uuid NOT NULL,
	token_hash bytea NOT NULL,
	account_id uuid NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	last_seen_at timestamptz(3) DEFAULT now() NOT NULL,
	idle_expires_at timestamptz(3) NOT NULL,
	expires_at timestamptz(3) NOT NULL,
	device text
);
CREATE TABLE account_tokens (
	token_hash bytea NOT NULL,
	purpose text NOT NULL,
	account_id uuid NOT NULL,
	email_id uuid NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	expires_at timestamptz(3) NOT NULL,
	CONSTRAINT account_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['verify_email'::text, 'reset_password'::text])))
);
CREATE TABLE accounts (
	id uuid NOT NULL,
	name text NOT NULL,
	password_hash text,
	credentials_version integer DEFAULT 1 NOT NULL,
	idle_check_at timestamptz(3) DEFAULT (now() + '7 days'::interval),
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE api_keys (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	name text,
	secret_hash bytea NOT NULL,
	prefix text NOT NULL,
	last4 text NOT NULL,
	created_by_key_id uuid,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	last_used_at timestamptz(3),
	expires_at timestamptz(3),
	revoked_at timestamptz(3)
);
CREATE TABLE attendances (
	event_id uuid NOT NULL,
	participant_id text NOT NULL,
	user_id uuid,
	name text NOT NULL,
	role text NOT NULL,
	kind text NOT NULL,
	first_joined_at timestamptz(3) NOT NULL,
	last_left_at timestamptz(3) NOT NULL,
	attended_ms bigint NOT NULL,
	stays integer NOT NULL
);
CREATE TABLE audit_entries (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	action text NOT NULL,
	actor_kind text NOT NULL,
	actor_id uuid NOT NULL,
	target_id text,
	request_id text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	CONSTRAINT audit_entries_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['account'::text, 'key'::text, 'session'::text])))
);
CREATE TABLE broadcast_ingests (
	broadcast_id uuid NOT NULL,
	token_hash bytea NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE broadcasts (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	phase_id uuid NOT NULL,
	status text NOT NULL,
	playback_url text,
	started_at timestamptz(3),
	updated_at timestamptz(3) DEFAULT now() NOT NULL,
	stage_oldest bigint DEFAULT 0 NOT NULL,
	stage_next bigint DEFAULT 0 NOT NULL,
	stage_takes bigint DEFAULT 0 NOT NULL,
	recorder jsonb,
	owner_token integer DEFAULT 0 NOT NULL,
	encoder jsonb,
	encoder_at timestamptz(3),
	CONSTRAINT broadcasts_status_check CHECK ((status = ANY (ARRAY['idle'::text, 'live'::text, 'paused'::text, 'ended'::text])))
);
CREATE TABLE captions (
	event_id uuid NOT NULL,
	segment text NOT NULL,
	t0 integer NOT NULL,
	t1 integer NOT NULL,
	speaker text NOT NULL,
	lang text NOT NULL,
	text text NOT NULL,
	room_id text
);
CREATE TABLE chat_messages (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	target text NOT NULL,
	participant_id text NOT NULL,
	name text NOT NULL,
	role text NOT NULL,
	text text NOT NULL,
	reply_to uuid,
	at timestamptz(3) NOT NULL
);
CREATE TABLE clips (
	id uuid NOT NULL,
	recording_id uuid NOT NULL,
	title text,
	status text NOT NULL,
	start_ms integer NOT NULL,
	end_ms integer NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	inside boolean DEFAULT false NOT NULL,
	storage_key text,
	size_bytes bigint,
	content_type text,
	sha256 bytea,
	actual_start_ms integer,
	actual_end_ms integer,
	failure jsonb,
	CONSTRAINT clips_check CHECK ((end_ms > start_ms)),
	CONSTRAINT clips_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'ready'::text, 'failed'::text])))
);
CREATE TABLE cluster_nodes (
	id integer NOT NULL,
	address text NOT NULL,
	node text NOT NULL,
	runner text NOT NULL,
	registered_at timestamptz(3) DEFAULT now() NOT NULL
);
ALTER TABLE cluster_nodes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
	SEQUENCE NAME cluster_nodes_id_seq
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1
);
CREATE UNLOGGED TABLE disk_probes (
	filler text NOT NULL
);
ALTER TABLE ONLY disk_probes ALTER COLUMN filler SET STORAGE PLAIN;
CREATE TABLE entry_tokens (
	token_hash bytea NOT NULL,
	registration_id uuid NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE erased_guests (
	event_id uuid NOT NULL,
	participant_id text NOT NULL,
	erased_at timestamptz(3) NOT NULL
);
CREATE TABLE erasures (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	participant_ids text[] NOT NULL,
	after_created_at timestamptz(3),
	after_event_id uuid,
	is_last_pass boolean DEFAULT false NOT NULL,
	due_at timestamptz(3) NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	event_ids uuid[]
);
CREATE TABLE event_reminders (
	event_id uuid NOT NULL,
	kind text NOT NULL,
	scheduled_at timestamptz(3) NOT NULL,
	after_email text DEFAULT ''::text NOT NULL,
	done boolean DEFAULT false NOT NULL,
	touched_at timestamptz(3) DEFAULT now() NOT NULL,
	CONSTRAINT event_reminders_kind_check CHECK ((kind = ANY (ARRAY['day'::text, 'minutes'::text])))
);
CREATE TABLE event_summaries (
	event_id uuid NOT NULL,
	text text NOT NULL,
	speakers jsonb,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	source text DEFAULT 'person'::text NOT NULL,
	CONSTRAINT event_summaries_source_check CHECK ((source = ANY (ARRAY['person'::text, 'model'::text])))
);
CREATE TABLE guest_integrations (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	issuer text NOT NULL,
	jwks_url text,
	public_key_pem text,
	public_key_fingerprint text,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	revoked_at timestamptz(3),
	last_verified_at timestamptz(3),
	last_error text,
	CONSTRAINT guest_integrations_check CHECK (((jwks_url IS NULL) <> (public_key_pem IS NULL))),
	CONSTRAINT guest_integrations_check1 CHECK (((public_key_pem IS NULL) = (public_key_fingerprint IS NULL)))
);
CREATE TABLE heartbeats (
	id boolean DEFAULT true NOT NULL,
	at timestamptz(3) NOT NULL,
	CONSTRAINT heartbeats_id_check CHECK (id)
);
CREATE TABLE idempotency_keys (
	principal text NOT NULL,
	method text NOT NULL,
	path text NOT NULL,
	key text NOT NULL,
	body_hash bytea NOT NULL,
	status integer NOT NULL,
	answer_sealed bytea NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE invites (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	event_id uuid,
	kind text NOT NULL,
	email text,
	role text NOT NULL,
	token_hash bytea NOT NULL,
	status text DEFAULT 'pending'::text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	expires_at timestamptz(3) NOT NULL,
	accepted_at timestamptz(3),
	revoked_at timestamptz(3),
	created_by_account_id uuid,
	CONSTRAINT invites_check CHECK (((kind = 'event'::text) = (event_id IS NOT NULL))),
	CONSTRAINT invites_email_check CHECK ((email = lower(email))),
	CONSTRAINT invites_kind_check CHECK ((kind = ANY (ARRAY['workspace'::text, 'event'::text]))),
	CONSTRAINT invites_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'revoked'::text])))
);
CREATE TABLE kept_keys (
	name text NOT NULL,
	sealed bytea NOT NULL,
	CONSTRAINT kept_keys_name_check CHECK ((name = ANY (ARRAY['pseudonyms'::text, 'letter-refusals'::text])))
);
CREATE TABLE letter_refusals (
	workspace_id uuid NOT NULL,
	kind text NOT NULL,
	address_hash bytea NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE live_commands (
	event_id uuid NOT NULL,
	scope text NOT NULL,
	command_id text NOT NULL,
	body_hash text NOT NULL,
	reply jsonb NOT NULL,
	at timestamptz(3) NOT NULL
);
CREATE TABLE live_events (
	event_id uuid NOT NULL,
	epoch bigint NOT NULL,
	node text NOT NULL,
	version bigint DEFAULT 0 NOT NULL,
	version_epoch bigint DEFAULT 0 NOT NULL,
	history uuid NOT NULL
);
CREATE TABLE live_records (
	event_id uuid NOT NULL,
	kind text NOT NULL,
	id text NOT NULL,
	version smallint DEFAULT 1 NOT NULL,
	body jsonb NOT NULL
);
CREATE TABLE live_removals (
	event_id uuid NOT NULL,
	participant_id text NOT NULL,
	at timestamptz(3) NOT NULL
);
CREATE TABLE mails (
	id uuid NOT NULL,
	recipient text NOT NULL,
	subject text NOT NULL,
	content_sealed bytea NOT NULL,
	attempts integer DEFAULT 0 NOT NULL,
	due_at timestamptz(3),
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE media_jobs (
	id bigint NOT NULL,
	kind text NOT NULL,
	recording_id uuid,
	clip_id uuid,
	storage_key text,
	attempts integer DEFAULT 0 NOT NULL,
	due_at timestamptz(3) DEFAULT now() NOT NULL,
	leased_until timestamptz(3),
	last_error text,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	event_id uuid,
	captured jsonb,
	CONSTRAINT media_jobs_kind_check CHECK ((kind = ANY (ARRAY['inspect'::text, 'cut'::text, 'remove'::text, 'record'::text, 'transcribe'::text, 'summarise'::text, 'move'::text, 'capture'::text, 'derive'::text, 'retranscribe'::text])))
);
ALTER TABLE media_jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
	SEQUENCE NAME media_jobs_id_seq
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1
);
CREATE TABLE memberships (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	user_id uuid NOT NULL,
	role text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['workspace_admin'::text, 'host'::text, 'speaker'::text, 'participant'::text, 'viewer'::text])))
);
CREATE TABLE outbox_messages (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	event_id uuid,
	type text NOT NULL,
	body text NOT NULL,
	occurred_at timestamptz(3) NOT NULL
);
CREATE TABLE phases (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	"position" integer NOT NULL,
	modality text NOT NULL,
	config jsonb NOT NULL,
	feature_set text[] NOT NULL,
	status text NOT NULL,
	started_at timestamptz(3),
	ended_at timestamptz(3),
	timer_ends_at timestamptz(3),
	extended_seconds integer DEFAULT 0 NOT NULL,
	rev integer DEFAULT 1 NOT NULL,
	timer_rev integer DEFAULT 0 NOT NULL,
	timer_elapsed boolean DEFAULT false NOT NULL,
	CONSTRAINT phases_modality_check CHECK ((modality = ANY (ARRAY['broadcast'::text, 'meeting'::text, 'breakout'::text, 'rotation'::text]))),
	CONSTRAINT phases_position_check CHECK (("position" >= 0)),
	CONSTRAINT phases_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'ended'::text, 'skipped'::text])))
);
CREATE TABLE present_participants (
	event_id uuid NOT NULL,
	participant_id text NOT NULL,
	present jsonb NOT NULL
);
CREATE TABLE publications (
	event_id uuid NOT NULL,
	stream text NOT NULL,
	s bigint NOT NULL,
	version bigint NOT NULL,
	frame text NOT NULL,
	fact jsonb,
	at timestamptz(3) NOT NULL
);
CREATE TABLE question_votes (
	question_id uuid NOT NULL,
	voter text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE questions (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	phase_id uuid,
	room_id uuid,
	text text NOT NULL,
	status text NOT NULL,
	asker_id text,
	author_user_id uuid,
	author_name text,
	anonymous boolean NOT NULL,
	pinned boolean DEFAULT false NOT NULL,
	answer text,
	answer_mode text,
	votes integer DEFAULT 0 NOT NULL,
	rev integer DEFAULT 1 NOT NULL,
	created_at timestamptz(3) NOT NULL,
	answered_at timestamptz(3),
	CONSTRAINT questions_anonymous_asker CHECK (((NOT anonymous) OR (asker_id IS NULL))),
	CONSTRAINT questions_answer_mode_check CHECK ((answer_mode = ANY (ARRAY['live'::text, 'text'::text]))),
	CONSTRAINT questions_answered CHECK (((status = 'hidden'::text) OR ((status = 'answered'::text) = (answered_at IS NOT NULL)))),
	CONSTRAINT questions_check CHECK (((NOT anonymous) OR ((author_user_id IS NULL) AND (author_name IS NULL)))),
	CONSTRAINT questions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'answered'::text, 'hidden'::text]))),
	CONSTRAINT questions_votes_check CHECK ((votes >= 0))
);
CREATE UNLOGGED TABLE rate_buckets (
	key bytea NOT NULL,
	full_at timestamp with time zone NOT NULL
);
CREATE TABLE recording_derivations (
	id uuid NOT NULL,
	recording_id uuid NOT NULL,
	kind text NOT NULL,
	storage_key text NOT NULL,
	size_bytes bigint NOT NULL,
	content_type text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	CONSTRAINT recording_derivations_kind_check CHECK ((kind = ANY (ARRAY['thumbnail'::text, 'waveform'::text])))
);
CREATE TABLE recording_segments (
	recording_id uuid NOT NULL,
	number integer NOT NULL,
	take integer NOT NULL,
	file_offset bigint NOT NULL,
	bytes integer NOT NULL,
	start_ms integer NOT NULL,
	duration_ms integer NOT NULL,
	is_discontinuous boolean NOT NULL,
	at timestamptz(3) NOT NULL
);
CREATE TABLE recording_takes (
	recording_id uuid NOT NULL,
	number integer NOT NULL,
	identity text NOT NULL,
	init bytea NOT NULL,
	storage_key text NOT NULL
);
CREATE TABLE recordings (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	phase_id uuid,
	kind text NOT NULL,
	title text,
	status text NOT NULL,
	duration_ms integer,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	workspace_id uuid NOT NULL,
	source text DEFAULT 'upload'::text NOT NULL,
	room_id text,
	size_bytes bigint,
	storage_key text,
	uploaded_bytes bigint DEFAULT 0 NOT NULL,
	upload_expires_at timestamptz(3),
	content_type text,
	container text,
	codecs text[],
	width integer,
	height integer,
	sha256 bytea,
	expected_sha256 bytea,
	failure jsonb,
	broadcast_id uuid,
	upload_id text,
	egress_room text,
	egress_id text,
	egress_ended boolean DEFAULT false NOT NULL,
	request_hash text,
	began_at timestamptz(3),
	stage_take bigint,
	stage_first bigint,
	CONSTRAINT recordings_source_check CHECK ((source = ANY (ARRAY['upload'::text, 'livekit'::text, 'broadcast'::text]))),
	CONSTRAINT recordings_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'processing'::text, 'ready'::text, 'failed'::text])))
);
CREATE TABLE registrations (
	id uuid NOT NULL,
	event_id uuid NOT NULL,
	name text NOT NULL,
	email text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	CONSTRAINT registrations_email_check CHECK ((email = lower(email)))
);
CREATE TABLE schema_functions (
	id boolean DEFAULT true NOT NULL,
	hash text NOT NULL,
	applied_at timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT schema_functions_id_check CHECK (id)
);
CREATE TABLE schema_migrations (
	version integer NOT NULL,
	name text NOT NULL,
	applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE sealing_checks (
	id boolean DEFAULT true NOT NULL,
	sealed bytea NOT NULL,
	CONSTRAINT sealing_checks_id_check CHECK (id)
);
CREATE TABLE stream_heads (
	event_id uuid NOT NULL,
	stream text NOT NULL,
	s bigint NOT NULL
);
CREATE TABLE table_note_tokens (
	token_hash bytea NOT NULL,
	event_id uuid NOT NULL,
	room_id text NOT NULL,
	user_id text NOT NULL,
	name text,
	expires_at timestamptz(3) NOT NULL
);
CREATE TABLE table_summaries (
	event_id uuid NOT NULL,
	room_id text NOT NULL,
	content jsonb NOT NULL,
	generated_at timestamptz(3) NOT NULL
);
CREATE TABLE transcript_segments (
	transcript_id uuid NOT NULL,
	n integer NOT NULL,
	t0 integer NOT NULL,
	t1 integer NOT NULL,
	speaker text NOT NULL,
	lang text NOT NULL,
	text text NOT NULL
);
CREATE TABLE transcripts (
	id uuid NOT NULL,
	recording_id uuid,
	status text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	event_id uuid NOT NULL,
	source text DEFAULT 'upload'::text NOT NULL,
	speakers jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT transcripts_source_check CHECK ((source = ANY (ARRAY['upload'::text, 'captions'::text]))),
	CONSTRAINT transcripts_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'ready'::text, 'failed'::text])))
);
CREATE TABLE users (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	external_sub text NOT NULL,
	account_id uuid,
	email text,
	name text,
	picture text,
	session_version integer DEFAULT 0 NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	updated_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE TABLE webhook_deliveries (
	id uuid NOT NULL,
	seq bigint NOT NULL,
	message_id uuid NOT NULL,
	endpoint_id uuid NOT NULL,
	event_id uuid NOT NULL,
	lane smallint GENERATED ALWAYS AS ((get_byte(uuid_send(event_id), 15) & 15)) STORED NOT NULL,
	status text DEFAULT 'pending'::text NOT NULL,
	attempts integer DEFAULT 0 NOT NULL,
	history jsonb DEFAULT '[]'::jsonb NOT NULL,
	next_attempt_at timestamptz(3),
	claimed_by text,
	last_status integer,
	last_error text,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	finished_at timestamptz(3),
	claimed_until timestamptz(3),
	CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'rejected'::text, 'exhausted'::text, 'skipped'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02', fillfactor='70');
ALTER TABLE webhook_deliveries ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
	SEQUENCE NAME webhook_deliveries_seq_seq
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1
);
CREATE TABLE webhook_endpoints (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	url text NOT NULL,
	event_types text[] NOT NULL,
	secret_sealed bytea NOT NULL,
	previous_secret_sealed bytea,
	previous_secret_until timestamptz(3),
	status text DEFAULT 'active'::text NOT NULL,
	disabled_reason text,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	last_success_at timestamptz(3),
	last_failure_at timestamptz(3),
	failing_since timestamptz(3),
	CONSTRAINT webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE TABLE workspace_letters (
	workspace_id uuid NOT NULL,
	day date NOT NULL,
	letters integer NOT NULL
);
CREATE TABLE workspace_members (
	id uuid NOT NULL,
	workspace_id uuid NOT NULL,
	account_id uuid NOT NULL,
	role text NOT NULL,
	joined_at timestamptz(3) DEFAULT now() NOT NULL,
	CONSTRAINT workspace_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE TABLE workspaces (
	id uuid NOT NULL,
	name text NOT NULL,
	slug text NOT NULL,
	created_at timestamptz(3) DEFAULT now() NOT NULL,
	updated_at timestamptz(3) DEFAULT now() NOT NULL,
	founder_account_id uuid,
	deleted_at timestamptz(3)
);
INSERT INTO account_emails VALUES
	('01a2255b-0156-7158-8ace-9db864806d29', '01a2255b-0156-7158-8ace-9b1893953526', 'ada-8cea6987-a38c-428a-b9bf-0db26ee6d53b@example.com', '2026-11-29 03:30:51.096+00', true);
INSERT INTO account_sessions VALUES
	('01a2255b-0187-71fc-8b74-367fab5cb223', '\x859507554b4f690703f92350ce06d88b7515439981ac0b6a93c3af2b913cf383', '01a2255b-0156-7158-8ace-9b1893953526', '2026-11-29 03:30:50.891+00', '2026-11-29 03:30:50.891+00', '2026-12-06 03:30:50.887+00', '2026-12-29 03:30:50.887+00', NULL);
INSERT INTO accounts VALUES
	('01a2255b-0156-7158-8ace-9b1893953526', 'Ada', '$argon2id$v=19$m=8,p=1,t=2$nhpfowYtlByuwTcKFq79Lw$4eI+Ye+9PHV4G1Vw6ikGuajcXE5tupPyVYhRowMS4OU', 1, NULL, '2026-11-29 03:30:50.835+00');
INSERT INTO api_keys VALUES
	('01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'default', '\x7f379d509e6716707a8a8e41664a48a253fb178934c023d0e08f7c885cbdd836', 'gck_9m3N', 'rOOo', NULL, '2026-11-29 03:30:50.999+00', '2026-11-29 03:30:51.148+00', NULL, NULL);
INSERT INTO attendances VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', '01a2255b-04b3-731d-8b17-a04015a75f16', 'Hana', 'host', 'user', '2026-11-29 03:30:51.948+00', '2026-11-29 03:30:52.591+00', 643, 1),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', '01a2255b-05c8-7401-97f7-42923653a86d', 'Ann', 'participant', 'user', '2026-11-29 03:30:52.036+00', '2026-11-29 03:30:52.591+00', 555, 1),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-0608-7090-ae2d-251b6e7e9013', '01a2255b-0608-7090-ae2d-251b6e7e9013', 'Bob', 'participant', 'user', '2026-11-29 03:30:52.077+00', '2026-11-29 03:30:52.591+00', 514, 1);
INSERT INTO audit_entries VALUES
	('01a2255b-020a-77ae-ac51-c3e8236cd0b4', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'workspace.created', 'account', '01a2255b-0156-7158-8ace-9b1893953526', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-01d7-710b-b4f7-a95a35a25d00', '2026-11-29 03:30:51.019+00'),
	('01a2255b-02b3-75a7-9d69-7632c85beb84', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'webhook.created', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0289-7357-8b29-aee543502660', '2026-11-29 03:30:51.187+00'),
	('01a2255b-051f-705a-9803-8db17a273b9c', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'membership.set', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-050f-71ee-a0a7-53c9cd9e6311', '01a2255b-04cd-7084-a6f5-8a608d5a6c9b', '2026-11-29 03:30:51.808+00'),
	('01a2255b-05d5-71c1-8436-8a532619ac74', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'membership.set', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-05d1-7588-92fc-756b57ccd15e', '01a2255b-05cc-7576-b289-f1acc9164810', '2026-11-29 03:30:51.99+00'),
	('01a2255b-0616-71c3-9d53-e8acf6f7e613', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'membership.set', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-060e-7063-b9ca-3cb7cbdbcf32', '01a2255b-060a-72ff-8626-d458fa0f8eca', '2026-11-29 03:30:52.054+00'),
	('01a2255b-0b36-775c-8e79-07588708fd76', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'invite.created', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-0b24-77e6-85bb-172322277c7b', '01a2255b-0b1a-7447-83d0-5ca9cce4ebd7', '2026-11-29 03:30:53.367+00'),
	('01a2255b-0bdb-71ea-a635-b59fe1dad4f0', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'membership.set', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-0bd1-73d1-8f30-6f7a4c535cc2', '01a2255b-0bbe-73d5-9e2a-82b8128c1e02', '2026-11-29 03:30:53.532+00'),
	('01a2255b-0c6e-710a-b9d4-e053e833ea35', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'membership.set', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-0c6a-728e-81ca-1ede18dd82ee', '01a2255b-0c61-75d0-9d38-9cf7b3cb08e0', '2026-11-29 03:30:53.679+00'),
	('01a2255b-0cc6-72a1-a029-5bf069c97641', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'membership.set', 'key', '01a2255b-0200-74bc-a01f-46e162e7402a', '01a2255b-0cc0-7516-b049-e147f39f9b82', '01a2255b-0cb7-701c-b019-9d4831cdaaa5', '2026-11-29 03:30:53.769+00');
INSERT INTO captions VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'a', 1000, 2000, 'Ann', 'en', 'Hello there', NULL);
INSERT INTO chat_messages VALUES
	('01a2255b-0636-7143-8b84-5412e604fbd4', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', '01a2255b-05c8-7401-97f7-42923653a86d', 'Ann', 'viewer', 'Good evening', NULL, '2026-11-29 03:30:52.086+00'),
	('01a2255b-0661-722b-be17-4e49e111f6ee', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'staff', '01a2255b-04b3-731d-8b17-a04015a75f16', 'Hana', 'host', 'All are here', NULL, '2026-11-29 03:30:52.129+00'),
	('01a2255b-076d-7599-8f4a-db2401c0ccce', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'room:a9e9a6ba-519c-56f0-8bac-4956244586d5', '01a2255b-05c8-7401-97f7-42923653a86d', 'Ann', 'participant', 'Here in red', NULL, '2026-11-29 03:30:52.397+00'),
	('01a2255b-0d15-71fc-be48-ead41bd2243d', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', '01a2255b-0c57-7563-be9a-f5bca030585e', 'Ada', 'participant', 'Good evening', NULL, '2026-11-29 03:30:53.845+00'),
	('01a2255b-0d22-72a2-9a0e-9d7e218d6dcd', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'staff', '01a2255b-0bb7-759b-b567-41be267ec765', 'Hana', 'host', 'All are here', NULL, '2026-11-29 03:30:53.858+00'),
	('01a2255b-0e2f-76a5-aac8-0aa8539027c2', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'room:52538d84-ca2c-5f84-9a04-b0c853b02977', '01a2255b-0c57-7563-be9a-f5bca030585e', 'Ada', 'participant', 'Here in red', NULL, '2026-11-29 03:30:54.132+00');
INSERT INTO entry_tokens VALUES
	('\xcda5d52dd450dcdfe4b606eb9a4746e5b722e0308150ab9b45b23eaeff7347c5', '01a2255b-0aec-73ed-aae1-37698d269ae5', '2026-11-29 03:30:53.288+00');
INSERT INTO events VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'webinar', 'Past', 'ended', 'public', NULL, NULL, false, false, 1000, 0, '{}', '2026-11-29 03:30:51.226+00', '2026-11-29 03:30:52.51+00', '2026-11-29 03:30:51.428+00', '2026-11-29 03:30:51.627+00', '2026-11-29 03:30:52.51+00', false, NULL, true),
	('01a2255b-0a98-7322-93ca-e13eca990696', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'webinar', 'Coming', 'scheduled', 'public', '2026-12-09 03:30:53.197+00', NULL, false, false, 10, 1, '{}', '2026-11-29 03:30:53.209+00', '2026-11-29 03:30:53.227+00', '2026-11-29 03:30:53.227+00', NULL, NULL, false, NULL, true),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'webinar', 'Live', 'live', 'public', NULL, NULL, false, false, 1000, 0, '{}', '2026-11-29 03:30:53.379+00', '2026-11-29 03:30:53.473+00', '2026-11-29 03:30:53.404+00', '2026-11-29 03:30:53.473+00', NULL, false, NULL, true);
INSERT INTO invites VALUES
	('01a2255b-0b24-77e6-85bb-172322277c7b', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0a98-7322-93ca-e13eca990696', 'event', 'ida@example.com', 'speaker', '\xe1aa77b8c73b763c40d6c67c0a7985dc0a122798b9ff4482fea1c8cc52b8b3d8', 'pending', '2026-11-29 03:30:53.342+00', '2026-12-06 03:30:53.348+00', NULL, NULL, NULL);
INSERT INTO kept_keys VALUES
	('pseudonyms', '\x01738d14527b36ff7bcb7df97de237524fbf50cad770717bfe3da727666ebb81a560994699eabb9099b21d540836e6e053811acb32c0ef2817d790ca49adc542a55ac756fdb70557'),
	('letter-refusals', '\x01ce31d9a23e785d0297d1f3c417aa21daeaa3159358c977370b3feaebd2ec39490f02e3dba59cba8675ccae19eb48fd6d701b9a65663fd5530b0f25008abf149d118a7e33933935');
INSERT INTO live_commands VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'rest', '01a2255b-0367-77f7-8e52-6819cc12db72', '', '{"result": {"event": {"id": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "status": "scheduled"}}, "version": 1}', '2026-11-29 03:30:51.428+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'rest', '01a2255b-046a-7775-9a53-065497b54ae9', '', '{"result": {"event": {"id": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "status": "live"}}, "version": 2}', '2026-11-29 03:30:51.627+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', 'c0', '0jWiCIH8ceK8j7SguwFA4Mbsi-qpNrDRSlVz4whp08g', '{"result": {"message": {"at": "2026-11-29T03:30:52.086Z", "id": "01a2255b-0636-7143-8b84-5412e604fbd4", "to": "event", "rev": 1, "name": "Ann", "role": "viewer", "text": "Good evening", "roomId": null, "replyTo": null, "participantId": "01a2255b-05c8-7401-97f7-42923653a86d"}}, "version": 3}', '2026-11-29 03:30:52.086+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c0', '9QvxBRJ5Voe7HJsf2Jbuh9sQ9wI0mHbkScGTSXu0reg', '{"result": {"message": {"at": "2026-11-29T03:30:52.129Z", "id": "01a2255b-0661-722b-be17-4e49e111f6ee", "to": "staff", "rev": 1, "name": "Hana", "role": "host", "text": "All are here", "roomId": null, "replyTo": null, "participantId": "01a2255b-04b3-731d-8b17-a04015a75f16"}}, "version": 4}', '2026-11-29 03:30:52.129+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', 'c1', 'e3HDtH0fN0Tx-e8peM8cGHTQEN-ygjSGvMIFwzOtXjg', '{"result": {"question": {"id": "01a2255b-0668-76b4-9b75-846097fc1f7d", "rev": 1, "text": "When do we begin?", "votes": 0, "answer": null, "pinned": false, "roomId": null, "status": "approved", "phaseId": "01a2255b-02d8-7630-92c9-d6bb5601b473", "authorId": "01a2255b-05c8-7401-97f7-42923653a86d", "anonymous": false, "createdAt": "2026-11-29T03:30:52.137Z", "answerMode": null, "answeredAt": null, "authorName": "Ann"}}, "version": 5}', '2026-11-29 03:30:52.137+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c1', 'IGWwi9FO-W8T-lXii4pBVUSUKFX_jIHZ1MTLdB1WSiw', '{"result": {"question": {"id": "01a2255b-0668-76b4-9b75-846097fc1f7d", "rev": 2, "text": "When do we begin?", "votes": 0, "answer": "Now.", "pinned": false, "roomId": null, "status": "answered", "phaseId": "01a2255b-02d8-7630-92c9-d6bb5601b473", "authorId": "01a2255b-05c8-7401-97f7-42923653a86d", "anonymous": false, "createdAt": "2026-11-29T03:30:52.137Z", "answerMode": "text", "answeredAt": "2026-11-29T03:30:52.150Z", "authorName": "Ann"}}, "version": 6}', '2026-11-29 03:30:52.15+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c2', 'LDASbm0balewfYALEQfsJUpdEHSTMEvGq0TbqObugDg', '{"result": {"poll": {"id": "01a2255b-0682-7038-bfcf-195dd9b7a37c", "rev": 1, "kind": "single", "counts": [0, 0], "endsAt": null, "status": "draft", "voters": 0, "options": [{"id": "1", "text": "Yes"}, {"id": "2", "text": "No"}], "results": "live", "closedAt": null, "openedAt": null, "question": "Tea?", "anonymous": false, "createdAt": "2026-11-29T03:30:52.162Z", "published": false, "allowChange": true}}, "version": 7}', '2026-11-29 03:30:52.162+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c3', 'jT6-Kuyv_nHQX96OoCuN9uwEur7n5EQh6_shmsnsfns', '{"result": {"poll": {"id": "01a2255b-0682-7038-bfcf-195dd9b7a37c", "rev": 2, "kind": "single", "counts": [0, 0], "endsAt": null, "status": "open", "voters": 0, "options": [{"id": "1", "text": "Yes"}, {"id": "2", "text": "No"}], "results": "live", "closedAt": null, "openedAt": "2026-11-29T03:30:52.173Z", "question": "Tea?", "anonymous": false, "createdAt": "2026-11-29T03:30:52.162Z", "published": false, "allowChange": true}}, "version": 8}', '2026-11-29 03:30:52.173+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', 'c2', 'RbP6QAfHBb9fK4ArKe2xsTOp2MVwiqD518r8dWNQJrE', '{"result": {"pollId": "01a2255b-0682-7038-bfcf-195dd9b7a37c", "optionIds": ["1"]}, "version": 9}', '2026-11-29 03:30:52.184+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c4', 'YG7nOn70lhgUvHSG5Hep-uBkaa5Jt6JwEhtHGnk_Iks', '{"result": {"event": {"id": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "status": "live"}, "phase": {"id": "01a2255b-02d8-7630-92c9-daf1e0aa658b", "rev": 4, "config": {}, "status": "active", "endedAt": null, "eventId": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "modality": "meeting", "position": 1, "startedAt": "2026-11-29T03:30:52.195Z", "featureSet": ["chat", "qa", "polls", "transcript"], "timerEndsAt": null, "extendedSeconds": 0}}, "version": 10}', '2026-11-29 03:30:52.195+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'rest', '01a2255b-06d2-7434-8245-9673724cfd53', '', '{"result": {"accepted": 1}, "version": 12}', '2026-11-29 03:30:52.242+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c5', 'YG7nOn70lhgUvHSG5Hep-uBkaa5Jt6JwEhtHGnk_Iks', '{"result": {"event": {"id": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "status": "live"}, "phase": {"id": "01a2255b-02d8-7630-92c9-df7894e8c508", "rev": 6, "config": {}, "status": "active", "endedAt": null, "eventId": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "modality": "breakout", "position": 2, "startedAt": "2026-11-29T03:30:52.286Z", "featureSet": ["chat", "qa", "polls", "transcript"], "timerEndsAt": null, "extendedSeconds": 0}}, "version": 13}', '2026-11-29 03:30:52.286+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c6', 'slwSB3OoTyEcyaKl6bTv0TmMg6ZBfEAo_ltm6ToR2ic', '{"result": {"plan": {"at": "2026-11-29T03:30:52.309Z", "id": "01a2255b-0714-71a6-9299-66e5d65d720c", "seed": 6471591, "notes": [{"code": "self_unplaced", "text": "The strategy self seats nobody: people choose their rooms."}], "rooms": [{"name": "Red", "people": []}, {"name": "Blue", "people": []}], "strategy": "self", "unplaced": ["01a2255b-05c8-7401-97f7-42923653a86d", "01a2255b-0608-7090-ae2d-251b6e7e9013"]}}, "version": 14}', '2026-11-29 03:30:52.309+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c7', 'DZhOJ3jboSWiv8rCxMNpCMu89IyuZvFYwOqKmDjxJSk', '{"result": {"rooms": [{"id": "a9e9a6ba-519c-56f0-8bac-4956244586d5", "rev": 1, "name": "Red", "open": true, "count": 0}, {"id": "ebc8c156-4c41-5541-861f-8bb91eeda42e", "rev": 1, "name": "Blue", "open": true, "count": 0}], "breakout": {"id": "ada51a47-3cb1-5073-beb6-1563f4a86896", "rev": 1, "late": "leastLoaded", "endsAt": null, "phaseId": "01a2255b-02d8-7630-92c9-df7894e8c508", "closesAt": null, "openedAt": "2026-11-29T03:30:52.328Z", "strategy": "self"}}, "version": 15}', '2026-11-29 03:30:52.328+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', 'c3', 'FETz1LbW70FcTF7TysJMxQ8zdR4nVJFMdpk_LR64hx8', '{"result": {"room": {"id": "a9e9a6ba-519c-56f0-8bac-4956244586d5", "rev": 2, "name": "Red", "open": true, "count": 1}, "roomId": "a9e9a6ba-519c-56f0-8bac-4956244586d5", "participantId": "01a2255b-05c8-7401-97f7-42923653a86d"}, "version": 16}', '2026-11-29 03:30:52.349+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-0608-7090-ae2d-251b6e7e9013', 'c0', '4r5Zw5t7qPD_J4evpRcLbi3fw35y1CHvnj6HzNcMW2c', '{"result": {"room": {"id": "ebc8c156-4c41-5541-861f-8bb91eeda42e", "rev": 2, "name": "Blue", "open": true, "count": 1}, "roomId": "ebc8c156-4c41-5541-861f-8bb91eeda42e", "participantId": "01a2255b-0608-7090-ae2d-251b6e7e9013"}, "version": 17}', '2026-11-29 03:30:52.378+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', 'c4', '3GIfOBOhwwcpZU-JS5RSQlRYcb2K8rNwPdZLQpYQLLA', '{"result": {"message": {"at": "2026-11-29T03:30:52.397Z", "id": "01a2255b-076d-7599-8f4a-db2401c0ccce", "to": "room", "rev": 1, "name": "Ann", "role": "participant", "text": "Here in red", "roomId": "a9e9a6ba-519c-56f0-8bac-4956244586d5", "replyTo": null, "participantId": "01a2255b-05c8-7401-97f7-42923653a86d"}}, "version": 18}', '2026-11-29 03:30:52.397+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c8', 'YG7nOn70lhgUvHSG5Hep-uBkaa5Jt6JwEhtHGnk_Iks', '{"result": {"event": {"id": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "status": "live"}, "phase": {"id": "01a2255b-02d8-7630-92c9-e22ea74610cc", "rev": 8, "config": {"roundSeconds": 60}, "status": "active", "endedAt": null, "eventId": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "modality": "rotation", "position": 3, "startedAt": "2026-11-29T03:30:52.425Z", "featureSet": ["chat", "qa", "polls", "transcript"], "timerEndsAt": null, "extendedSeconds": 0}}, "version": 19}', '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'c9', 'KHMQIxir7H5mb1T9rSmOpdBOwUZXiS5bZZRXAtc_SHQ', '{"result": {"rotation": {"n": 1, "id": "357c6766-ad16-5177-b49f-8146c249ffe6", "odd": "bye", "rev": 1, "byes": 0, "pairs": 1, "endsAt": "2026-11-29T03:31:52.460Z", "rounds": 1, "status": "round", "phaseId": "01a2255b-02d8-7630-92c9-e22ea74610cc", "startsAt": "2026-11-29T03:30:52.460Z", "groupSize": 2, "remainingMs": null, "breakSeconds": 0, "roundSeconds": 60}}, "version": 20}', '2026-11-29 03:30:52.46+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'rest', '01a2255b-07de-723c-93b1-257ebf7675f4', '', '{"result": {"event": {"id": "01a2255b-02d8-7630-92c9-d3c175fdeeba", "status": "ended"}}, "version": 22}', '2026-11-29 03:30:52.51+00'),
	('01a2255b-0a98-7322-93ca-e13eca990696', 'rest', '01a2255b-0aa9-779e-9d51-115d22b847b8', '', '{"result": {"event": {"id": "01a2255b-0a98-7322-93ca-e13eca990696", "status": "scheduled"}}, "version": 1}', '2026-11-29 03:30:53.227+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'rest', '01a2255b-0b5a-707c-8d38-0c9d8ef8c688', '', '{"result": {"event": {"id": "01a2255b-0b42-7724-8da0-4a8de2e07201", "status": "scheduled"}}, "version": 1}', '2026-11-29 03:30:53.404+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'rest', '01a2255b-0ba0-7494-8883-bc061c0ea43c', '', '{"result": {"event": {"id": "01a2255b-0b42-7724-8da0-4a8de2e07201", "status": "live"}}, "version": 2}', '2026-11-29 03:30:53.473+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', 'c0', '0jWiCIH8ceK8j7SguwFA4Mbsi-qpNrDRSlVz4whp08g', '{"result": {"message": {"at": "2026-11-29T03:30:53.845Z", "id": "01a2255b-0d15-71fc-be48-ead41bd2243d", "to": "event", "rev": 1, "name": "Ada", "role": "participant", "text": "Good evening", "roomId": null, "replyTo": null, "participantId": "01a2255b-0c57-7563-be9a-f5bca030585e"}}, "version": 3}', '2026-11-29 03:30:53.845+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c0', '9QvxBRJ5Voe7HJsf2Jbuh9sQ9wI0mHbkScGTSXu0reg', '{"result": {"message": {"at": "2026-11-29T03:30:53.858Z", "id": "01a2255b-0d22-72a2-9a0e-9d7e218d6dcd", "to": "staff", "rev": 1, "name": "Hana", "role": "host", "text": "All are here", "roomId": null, "replyTo": null, "participantId": "01a2255b-0bb7-759b-b567-41be267ec765"}}, "version": 4}', '2026-11-29 03:30:53.858+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', 'c1', 'e3HDtH0fN0Tx-e8peM8cGHTQEN-ygjSGvMIFwzOtXjg', '{"result": {"question": {"id": "01a2255b-0d27-7766-b107-13bfc8e82588", "rev": 1, "text": "When do we begin?", "votes": 0, "answer": null, "pinned": false, "roomId": null, "status": "approved", "phaseId": "01a2255b-0b42-7724-8da0-4c396521d158", "authorId": "01a2255b-0c57-7563-be9a-f5bca030585e", "anonymous": false, "createdAt": "2026-11-29T03:30:53.868Z", "answerMode": null, "answeredAt": null, "authorName": "Ada"}}, "version": 5}', '2026-11-29 03:30:53.868+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c1', 'vkaKW8Ztpkj2eI78oRubfH92DbnVc3xvycrzit15dFY', '{"result": {"question": {"id": "01a2255b-0d27-7766-b107-13bfc8e82588", "rev": 2, "text": "When do we begin?", "votes": 0, "answer": "Now.", "pinned": false, "roomId": null, "status": "answered", "phaseId": "01a2255b-0b42-7724-8da0-4c396521d158", "authorId": "01a2255b-0c57-7563-be9a-f5bca030585e", "anonymous": false, "createdAt": "2026-11-29T03:30:53.868Z", "answerMode": "text", "answeredAt": "2026-11-29T03:30:53.891Z", "authorName": "Ada"}}, "version": 6}', '2026-11-29 03:30:53.891+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c4', 'YG7nOn70lhgUvHSG5Hep-uBkaa5Jt6JwEhtHGnk_Iks', '{"result": {"event": {"id": "01a2255b-0b42-7724-8da0-4a8de2e07201", "status": "live"}, "phase": {"id": "01a2255b-0b42-7724-8da0-539ddd16c7f3", "rev": 4, "config": {}, "status": "active", "endedAt": null, "eventId": "01a2255b-0b42-7724-8da0-4a8de2e07201", "modality": "breakout", "position": 1, "startedAt": "2026-11-29T03:30:54.031Z", "featureSet": ["chat", "qa", "polls", "transcript"], "timerEndsAt": null, "extendedSeconds": 0}}, "version": 11}', '2026-11-29 03:30:54.031+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c5', 'slwSB3OoTyEcyaKl6bTv0TmMg6ZBfEAo_ltm6ToR2ic', '{"result": {"plan": {"at": "2026-11-29T03:30:54.059Z", "id": "01a2255b-0deb-721c-864e-6e5504e597ea", "seed": 2630920128, "notes": [{"code": "self_unplaced", "text": "The strategy self seats nobody: people choose their rooms."}], "rooms": [{"name": "Red", "people": []}, {"name": "Blue", "people": []}], "strategy": "self", "unplaced": ["01a2255b-0c57-7563-be9a-f5bca030585e", "01a2255b-0cb4-7091-9b58-c1f84582a9fc"]}}, "version": 12}', '2026-11-29 03:30:54.059+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c2', 'LDASbm0balewfYALEQfsJUpdEHSTMEvGq0TbqObugDg', '{"result": {"poll": {"id": "01a2255b-0d6a-7373-b0c1-2ce003d185b3", "rev": 1, "kind": "single", "counts": [0, 0], "endsAt": null, "status": "draft", "voters": 0, "options": [{"id": "1", "text": "Yes"}, {"id": "2", "text": "No"}], "results": "live", "closedAt": null, "openedAt": null, "question": "Tea?", "anonymous": false, "createdAt": "2026-11-29T03:30:53.931Z", "published": false, "allowChange": true}}, "version": 8}', '2026-11-29 03:30:53.931+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c3', 'Wh38DRnednp5Dfi-9w11Y6E_etlTES_ydhxe3QR7Frw', '{"result": {"poll": {"id": "01a2255b-0d6a-7373-b0c1-2ce003d185b3", "rev": 2, "kind": "single", "counts": [0, 0], "endsAt": null, "status": "open", "voters": 0, "options": [{"id": "1", "text": "Yes"}, {"id": "2", "text": "No"}], "results": "live", "closedAt": null, "openedAt": "2026-11-29T03:30:53.977Z", "question": "Tea?", "anonymous": false, "createdAt": "2026-11-29T03:30:53.931Z", "published": false, "allowChange": true}}, "version": 9}', '2026-11-29 03:30:53.977+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', 'c2', 'K6eNA3CdeafGOhHJ_1nx0Xth7nugIX6k5HMsO36zfco', '{"result": {"pollId": "01a2255b-0d6a-7373-b0c1-2ce003d185b3", "optionIds": ["1"]}, "version": 10}', '2026-11-29 03:30:54.019+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'c6', 'zzSPwO3ftd4z93wfysfzXlQp91EFIjIMlPfcQB-4Rzo', '{"result": {"rooms": [{"id": "52538d84-ca2c-5f84-9a04-b0c853b02977", "rev": 1, "name": "Red", "open": true, "count": 0}, {"id": "1d60944e-1057-5635-b1ed-38416e75ecb1", "rev": 1, "name": "Blue", "open": true, "count": 0}], "breakout": {"id": "270357f2-de85-5d21-abe0-36801c6c45ee", "rev": 1, "late": "leastLoaded", "endsAt": null, "phaseId": "01a2255b-0b42-7724-8da0-539ddd16c7f3", "closesAt": null, "openedAt": "2026-11-29T03:30:54.082Z", "strategy": "self"}}, "version": 13}', '2026-11-29 03:30:54.082+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', 'c3', 'VR-jjn9c1lapwqXjhIud2bvtCUicPNR8MoqI650tACA', '{"result": {"room": {"id": "52538d84-ca2c-5f84-9a04-b0c853b02977", "rev": 2, "name": "Red", "open": true, "count": 1}, "roomId": "52538d84-ca2c-5f84-9a04-b0c853b02977", "participantId": "01a2255b-0c57-7563-be9a-f5bca030585e"}, "version": 14}', '2026-11-29 03:30:54.105+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0cb4-7091-9b58-c1f84582a9fc', 'c0', 'yBIqtp9WZEORgjSJCZRYuDK_VMEQBdv8QhmlP-3Q_3I', '{"result": {"room": {"id": "1d60944e-1057-5635-b1ed-38416e75ecb1", "rev": 2, "name": "Blue", "open": true, "count": 1}, "roomId": "1d60944e-1057-5635-b1ed-38416e75ecb1", "participantId": "01a2255b-0cb4-7091-9b58-c1f84582a9fc"}, "version": 15}', '2026-11-29 03:30:54.117+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', 'c4', '3GIfOBOhwwcpZU-JS5RSQlRYcb2K8rNwPdZLQpYQLLA', '{"result": {"message": {"at": "2026-11-29T03:30:54.132Z", "id": "01a2255b-0e2f-76a5-aac8-0aa8539027c2", "to": "room", "rev": 1, "name": "Ada", "role": "participant", "text": "Here in red", "roomId": "52538d84-ca2c-5f84-9a04-b0c853b02977", "replyTo": null, "participantId": "01a2255b-0c57-7563-be9a-f5bca030585e"}}, "version": 16}', '2026-11-29 03:30:54.132+00');
INSERT INTO live_events VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 1, 'vm:1779:01033d', 23, 1, '01a2255b-03a6-72ba-95bb-6c1996fe9b99'),
	('01a2255b-0a98-7322-93ca-e13eca990696', 1, 'vm:1779:01033d', 1, 1, '01a2255b-0aac-7231-9be8-f51604456b67'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 1, 'vm:1779:01033d', 16, 1, '01a2255b-0b5d-74ca-b840-9b4888abb0c4');
INSERT INTO live_records VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'pollVote', '01a2255b-0682-7038-bfcf-195dd9b7a37c 01a2255b-05c8-7401-97f7-42923653a86d', 1, '["1"]'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'pollVote', '01a2255b-0d6a-7373-b0c1-2ce003d185b3 01a2255b-0c57-7563-be9a-f5bca030585e', 1, '["1"]'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'plan', '01a2255b-0714-71a6-9299-66e5d65d720c', 1, '{"at": "2026-11-29T03:30:52.309Z", "id": "01a2255b-0714-71a6-9299-66e5d65d720c", "seed": 6471591, "size": null, "rooms": [{"name": "Red", "people": []}, {"name": "Blue", "people": []}], "strategy": "self", "unplaced": ["01a2255b-05c8-7401-97f7-42923653a86d", "01a2255b-0608-7090-ae2d-251b6e7e9013"]}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'poll', '01a2255b-0d6a-7373-b0c1-2ce003d185b3', 1, '{"id": "01a2255b-0d6a-7373-b0c1-2ce003d185b3", "rev": 2, "kind": "single", "counts": [1, 0], "endsAt": null, "status": "open", "voters": 1, "options": [{"id": "1", "text": "Yes"}, {"id": "2", "text": "No"}], "results": "live", "closedAt": null, "openedAt": "2026-11-29T03:30:53.977Z", "question": "Tea?", "anonymous": false, "createdAt": "2026-11-29T03:30:53.931Z", "published": false, "extendedMs": 0, "allowChange": true}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'plan', '01a2255b-0deb-721c-864e-6e5504e597ea', 1, '{"at": "2026-11-29T03:30:54.059Z", "id": "01a2255b-0deb-721c-864e-6e5504e597ea", "seed": 2630920128, "size": null, "rooms": [{"name": "Red", "people": []}, {"name": "Blue", "people": []}], "strategy": "self", "unplaced": ["01a2255b-0c57-7563-be9a-f5bca030585e", "01a2255b-0cb4-7091-9b58-c1f84582a9fc"]}'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'closedRooms', '-', 1, '[{"at": 1795923052425, "ids": ["a9e9a6ba-519c-56f0-8bac-4956244586d5", "ebc8c156-4c41-5541-861f-8bb91eeda42e"]}]'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'round', '357c6766-ad16-5177-b49f-8146c249ffe6 1', 1, '{"n": 1, "at": "2026-11-29T03:30:52.460Z", "id": "357c6766-ad16-5177-b49f-8146c249ffe6 1", "byes": [], "groups": [["01a2255b-05c8-7401-97f7-42923653a86d", "01a2255b-0608-7090-ae2d-251b6e7e9013"]], "repeats": []}'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'poll', '01a2255b-0682-7038-bfcf-195dd9b7a37c', 1, '{"id": "01a2255b-0682-7038-bfcf-195dd9b7a37c", "rev": 3, "kind": "single", "counts": [1, 0], "endsAt": null, "status": "closed", "voters": 1, "options": [{"id": "1", "text": "Yes"}, {"id": "2", "text": "No"}], "results": "live", "closedAt": "2026-11-29T03:30:52.510Z", "openedAt": "2026-11-29T03:30:52.173Z", "question": "Tea?", "anonymous": false, "createdAt": "2026-11-29T03:30:52.162Z", "published": false, "extendedMs": 0, "allowChange": true}'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'rotation', '-', 1, '{"n": 1, "id": "357c6766-ad16-5177-b49f-8146c249ffe6", "odd": "bye", "rev": 2, "byes": 0, "pairs": 1, "endsAt": null, "paused": null, "rounds": 1, "status": "ended", "phaseId": "01a2255b-02d8-7630-92c9-e22ea74610cc", "seating": {"byes": {}, "turn": 1, "seats": ["01a2255b-0608-7090-ae2d-251b6e7e9013", "01a2255b-05c8-7401-97f7-42923653a86d"], "trios": {}, "missing": []}, "startsAt": null, "groupSize": 2, "extendedMs": 0, "remainingMs": null, "breakSeconds": 0, "roundSeconds": 60}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'breakout', '-', 1, '{"id": "270357f2-de85-5d21-abe0-36801c6c45ee", "rev": 1, "late": "leastLoaded", "size": null, "timed": false, "endsAt": null, "planId": "01a2255b-0deb-721c-864e-6e5504e597ea", "phaseId": "01a2255b-0b42-7724-8da0-539ddd16c7f3", "closesAt": null, "openedAt": "2026-11-29T03:30:54.082Z", "strategy": "self", "timeIsUp": false, "extendedMs": 0}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'room', '52538d84-ca2c-5f84-9a04-b0c853b02977', 1, '{"id": "52538d84-ca2c-5f84-9a04-b0c853b02977", "rev": 2, "name": "Red", "open": true, "count": 1, "place": 0}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'seat', '01a2255b-0c57-7563-be9a-f5bca030585e', 1, '{"away": false, "roomId": "52538d84-ca2c-5f84-9a04-b0c853b02977"}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'room', '1d60944e-1057-5635-b1ed-38416e75ecb1', 1, '{"id": "1d60944e-1057-5635-b1ed-38416e75ecb1", "rev": 2, "name": "Blue", "open": true, "count": 1, "place": 1}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'seat', '01a2255b-0cb4-7091-9b58-c1f84582a9fc', 1, '{"away": false, "roomId": "1d60944e-1057-5635-b1ed-38416e75ecb1"}');
INSERT INTO mails VALUES
	('01a2255b-0182-774d-8812-f80f3f7de109', 'ada-8cea6987-a38c-428a-b9bf-0db26ee6d53b@example.com', 'Confirm your e-mail address', '\x017b794e712056bbae554a9391d810a2380a7f487e88f6289da9fc659119029980d57b244cd687816b3d577e3322f860a6c48f5faf98a0390ff0c59fe12a3f6117bab96998c224ca99297ac0faec88e467ed71f4de85db63000359f392d1e8867366fda64c91b59ab9111e2725a91c923c2810491a4f8b36f9ac43f3bc0d4ebae4884ac2027d12ea6560bbed8ccbb2bde3c9953a67d2fb234648ab8d7e670983646e08bda2eda4099cc3272e0e127caa4272fdecbfe0aa37728a3747d683c28c4fcfa4e37520893c509d32fad4ad23c723d555ea320d8319541f95d25b0875d496984803d012259ba7020a8bddb1a8ab625f1ace5fb4c05f774ab886c2a772a93e0763abd0be27c4acb1a6ecbd081ba274ca48ff88ee89d4d96addc59f1f75ae25c204e6b974a273d9944eca8701c844bf99b1151776f0dd6e84640bb77b66133c0b928d1ffeeda22c2ce18f0ce58bf42db204c4697a99d7754ab0daa89ccc08777ee2ffdb0aa94eb37df83d161ac20de812df5a2441ec3652c9c13c6fa91706b5299ec27bfc701c33adfd6fabf3653fb64e8a8e814f77551dfa3293837b6a28bba4b9225f9d629bf36c5baff0ed76141a730e1722e17b5e0d16053b34adb0106f63d117df84675bdcf778be7d5a3a63df7cd680e00a30aeb18c64c5dc11e6339946007a66a9bd87f4f68ebe60ed4f20b82385454606d87a77e3c40bfbce4cdf86f8a4497d733adff704b2703cb8d8f74ba8d09f98012582f8565fe99529171b4e16d7d7f1f22a5fe6be2f5c3ca9260ca8f8c133dae13a35c57485670a2e9590cb0ae57e8556d41f284495c9d8182e54678bbefd2cd2065e1b0e66faa998191af5c94067e98006e8444ab8c6ae92e2c61052f98a9623e5f8e1ee63c0055ba6f8678a3019b07a41295aea2bbd0073c93793cb88822689839de717c336f231754031a90298a6483821562dcd7ec37261328afb6a8767d2eb5393ce7f906af5643fb2e93858d4362fe556138fc55548a1eb7521820a78e7fc0e3e9a5a53402e83ae25e86db3d7dbb5323fa021dbd0c5fa6cf9d59f402b8e5ad2db77c27c3a067ebe4791ada0dc05998e563dba7001320cdbcf12479a8c83fcc2d467623d584a8a659a4569fb3251c467e12ce9c087b94ce76a6ef3120c2f1073f78c371dab01dee9c3b408daba56840839f618bc3479bdbabd7d7e64c3b7a3c0390dcd1fd6b34fd7181327e79628b25afd8a1f9d7da78188dd257b547c', 0, NULL, '2026-11-29 03:30:50.835+00'),
	('01a2255b-0b00-77ca-acd5-eb1ed323bff8', 'rita@example.com', 'Your place at Coming', '\x0196f75634eadc36b615a71e89c77cd9e0860de36db4bf99ab553761ea3b33f1bc24d927f20e851005cf46c605ab4b3a0a185fe6117a25030b5b89b9b14346a2904ed8e213accd080a4d9a90a6c35490c64b21fb1d63d4c65705cff4c67c3836599b9472c1c7e24a815065fd7d5e74eecb661dd5af7bc88115f2ad4ed2a879a2919f205d44a2d0c87f2e27b2cd65cdded165b1bb80082499d81d67d17d19ebe656233b8427adf7f734ba45f90f89be7862aeba3e5a6ca6b80825b683fc4953a5fb80d1264ca7e70dc2ca930625c0aeb81dfa9936dab57571dd9d04185eaebc44458a31e77863a3b77cb03748f882d1e7892f067b47a4c6e59fc06e644f449dc8cb96dc3609686d7219f6b011e7084b76ad0e6839ae611bf7add2481fb92f57651d22bbcd254ad6fd04a3a6d4ea1f088d5fd7bd2944d9b646ed0a9eedd5d14dbc1f6efee626c341edd714f5763248ed03e0d76cf0b6b71ae5948a088cc0952ad9b48d59e9b17898a9c11bca81888a007f429f1e7c0091164f98dcef0ad357ad7333938819e6392d3c4d1326843bd5f0715bd376088f76e4f366e7553bcbc69087d3c50e25c82c3923b8eeba0684cff7c0dc108e3901974c69782d6cb27ada42c5a08b658b1ffb46334d6237cca4116a696817f34280ea43a31e8779b98c686734f124f0e897bf4c7e76622a5bdea69ac110fabd4e2f0f4d9ee94a984d61cb433e6a070fe69d6b0059700cfe88791df9bfa2d32d7f72217b67fce27266d9b1a90bd54f2b0e87a74a7260e6e7b7d822590fdb33b9b3343203edc11f18df8be5c45ad6280b23c25cadcc4df506648476908ae7185373f99140c5384869d15898ad1c43635dceec63e328288b2c40be9daaae2431d415526cd3d9308f0e74f1ebe44030f8dfd636c3a4a346c4576dd5f53ca50e1be6cc5ce3189a5498a7162bedb4c2f2933a38ced6c748312c7f32381a6866bfd4d90553a784f4e9b6c16c0e83317e14aff15116634c04ce5e2aed4f991b5bb06d8a1a754ebb31e98e4c4f69a26c636a94a1565d06d79608155e706afcfcf51fef1ae48f87f51f5102db9c666bee5a534117042cf0b9dec4e25b25619ba40232204bfd0ebb9cc05af1207dea9f7c5c079e5f299c705da139c41cc4e057b0d2bd0471baf531181809d8692330e9e1e7bbff36c6c5d3ea97732372aaad7c1431186f6665d31e3e8ae846dc29ea7342cfac554c3faae19ff9aa6cb7321dea8da7e28febe8b4d06399ff6506861be461ebde71503db0af951e94fa710a6cbce0dd167d796870a9959969893d56f4f6d48f1bb83413071fe5835a037e8e1d6d353ff5026fde246826b946a8898a1ca447a083308fdde7a1d5c8226760d7fb4522b254328630ceb406cb470f2efd008b51c69b437866901166d5a754e1317a312ba20a460ca09b96b9da1795d1202879e2b00c57941edefd1718d933b337a2da7c39f31113bd8992103dd0c4f1078bd12da4f9ee94f018d8128296bde6978180743ee8caaccb3260b6cea1adf4af2c7ce11844ff0ddda50f59cd7e748a141bf67a4a242a7be8965de0de0cf58faaa0169c69647b1b322280cdff4c49036ae04ada5dd2db000884e1a690c3a7851f42dec438550a1d0ac242', 0, NULL, '2026-11-29 03:30:53.288+00'),
	('01a2255b-0b2e-73c3-bba7-f46a0ce6be45', 'ida@example.com', 'You are invited to Coming', '\x015cfc3abea0df64c202822a5d531e7b3b112e3a2551383fedefb046ec858f457199c9c5d0a3e99f36372d886ee54a7cc4aff6a9487044c103b83f33ab21da0107c27e051f1cd9d6194c2cce9d2862b395248293a827d53959ec8480d4e7632dfdf62dcf24ef133525ba8a9c168921f76fb6d9a4579d0275632f2b879e8edb925e9bef78271ede4f2f2d874faaac7eecf55226125826d48bbef74825217129762a67498104a2e8629762a25005b607f69fcd3c5459bd61f4604f14bcae9e4332450a30ccdf39d9a1fd59b2df80b33a85f40ae1c4efb8a9dd8de083e8881c7047c17243da357a0408f3ea160bc7ea86950f942d68392d001c62f231b2d5d099974bf928a564f529e041f332b87aba3e3f3abd54db010209bce2dcb69cdc596a8c4f2d3f1f091e7a2a5c382448478e58bcd769102af1c8fcb91cb2a18bffc338278e5e4bcb16d624295ec46cf25edbc2278209c9789770d2c7ebf9d95adaa1d8029e40fec047295772d6c0c5f87867ca3d38f4771f3045c7ab70d143fd13771e77c8614d3186150af7243cfd4b9e84eae1fe3649178e0e4ef23fa021d640745966ce3f98e3f14b9b6da3f6d761efed4f4ce10b84c706fca7cea72988285385f4404ade5c104afceb80463b8a4984aef2431c0f6b2f7da63abf249ef49adacffac019e41f7c945d961e6a0915516bcd5fde1366f9c765dd8d92190643f5e1eee616a8db08cad1cb3233d8e92dd110c1c63a891ba1db701b1cef7cc8df6fa97f74c46b48ff285a6ddbaaaccb1b996a45e2db7c362c308ab4354e1652ce9335062ebbbdcb8df79fc440be34f1108617a4c0756bb7c12b5680f27c0b26200d255115ec03b208cf7c5d639cae8c06472c66543f6fdd7554c2e41ef87755585c256737ed0472fbb34130914ca3161646bd958dfb34b1b57b5e3e682f2fa24704d99e9c5224d8cdccb111e6b8fc2910f2ff4a33ed34d26b439f16b26bc8b66e21865b84662573cee505df0fad7578e387ca8131b5658f2dabcc74e9dbcf5fb82617dc41378fcde0037afc2dd670ed12b265f06ea420da5abafd348bbb5c0696507e4a567e47ac3050dda8af3e3c7f3807282932e8c1cb0a57ebddfbfc55cc26e54f45f422d0a4376c252d45dc7bd915f6ebb8967964289953a56b829e00673de20371f1b0d9632751a13fc9358776aabcf7d203b54b2ac601edca3504ab93ecc6e4dd881d68efe4f2e2ab38aec1baebc904910ba9bedcf7c8abf85a358d793624f90e7c620e305276c1988adb4ad77c108c3011278f4698ac5ef38742eb411912fe400ce874960434369c732226787d462f6739d1ea84aaa715ad8fe4f30fe3adc706b0a377911eb1aaa39f3abdd998fab19f043cd51ca4e0249ef75703622391f778bd6c680e664cc6164d06076c885e71e8a3d07201cc47adaa9299a4a0403ab5edadbfaf8f39ab3a83621d1fbff1a748f2f245803699015f645a092f5f984bed96a3498d7f8857d221b0c4e25cde838be598eac446d6affe8330224360442f6405dd97cd3d9ffff7614169bbfcf9fcc9cb6e6381a9a68eaef953927870bf70d69e0e1ab893a7038f5b53eff3503341f06408cbfa046b6e1e3a1d708bea5311d047c2b997c38fe2260e069379c75dfaca11bb9ae27f0e0f2051f68befbf549128b53313c9d99b20037f6732a13908a19b9c7311910292c570274d84ce09a346feda9470ad63dd548ce5060488a5c0e11ec5f9ed363d8585334151f8b61d6861ac43a9d8da55cf6d5ea051e808692e5e88018a6f2854e522e3dc9b4d1ca503ae97d5bb2c18f22167a1eb26e121cb43fd5de5c881d043e76e83a2dad32815f50adc53ec2a0c28db3af81f930599cbb0dba717f38481fd6e79ea57d6b0f83c8e9eff707d41e042d72ba84ca73b22ef9b7ead0fde5e761b57b103dac34b79320c0b85113540473fef28b54b3acfabf7a349c82eae6de0b9494d3cb749e5fb138e5a1a0694966ee86e6fbe68b12fe21897c947aaee089e2adc8226c47bf55f53cf26704d82e32fcf8dc6b6fde4c4d19ff4b79daa141557e2e124a076ce54d7a169b8713ea227b0b74ae3d83b0b58f0235fd9e15f71bb9b3c042ad1c1fdcdf45bca20ad11859baed75d37a398e5790128243548dc9fefaa0816791e6f3502ba83aaa68ecb2be0acf310d4a75fce67a29b83b97fd3', 0, NULL, '2026-11-29 03:30:53.342+00');
INSERT INTO memberships VALUES
	('01a2255b-050f-71ee-a0a7-53c9cd9e6311', '01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-04b3-731d-8b17-a04015a75f16', 'host', '2026-11-29 03:30:51.751+00'),
	('01a2255b-05d1-7588-92fc-756b57ccd15e', '01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-05c8-7401-97f7-42923653a86d', 'participant', '2026-11-29 03:30:51.982+00'),
	('01a2255b-060e-7063-b9ca-3cb7cbdbcf32', '01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-0608-7090-ae2d-251b6e7e9013', 'participant', '2026-11-29 03:30:52.044+00'),
	('01a2255b-0bd1-73d1-8f30-6f7a4c535cc2', '01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', 'host', '2026-11-29 03:30:53.509+00'),
	('01a2255b-0c6a-728e-81ca-1ede18dd82ee', '01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', 'participant', '2026-11-29 03:30:53.667+00'),
	('01a2255b-0cc0-7516-b049-e147f39f9b82', '01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0cb4-7091-9b58-c1f84582a9fc', 'participant', '2026-11-29 03:30:53.758+00');
INSERT INTO outbox_messages VALUES
	('01a2255b-046e-7228-97ce-9c42c3a44595', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event.started', '{"id":"01a2255b-046e-7228-97ce-9c42c3a44595","type":"event.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:51.627Z","startedAt":"2026-11-29T03:30:51.627Z","phaseId":"01a2255b-02d8-7630-92c9-d6bb5601b473"}', '2026-11-29 03:30:51.627+00'),
	('01a2255b-046e-7228-97ce-a14d1388985d', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'phase.started', '{"id":"01a2255b-046e-7228-97ce-a14d1388985d","type":"phase.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:51.627Z","phaseId":"01a2255b-02d8-7630-92c9-d6bb5601b473","position":0,"modality":"broadcast","startedAt":"2026-11-29T03:30:51.627Z","timerEndsAt":null}', '2026-11-29 03:30:51.627+00'),
	('01a2255b-06a6-70de-8171-49321739101b', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'phase.started', '{"id":"01a2255b-06a6-70de-8171-49321739101b","type":"phase.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:52.195Z","phaseId":"01a2255b-02d8-7630-92c9-daf1e0aa658b","position":1,"modality":"meeting","startedAt":"2026-11-29T03:30:52.195Z","timerEndsAt":null}', '2026-11-29 03:30:52.195+00'),
	('01a2255b-05ad-70fe-a3d6-5c845a361f7e', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'participant.joined', '{"id":"01a2255b-05ad-70fe-a3d6-5c845a361f7e","type":"participant.joined","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:51.948Z","participantId":"01a2255b-04b3-731d-8b17-a04015a75f16","userId":"01a2255b-04b3-731d-8b17-a04015a75f16","anonymous":false,"role":"host"}', '2026-11-29 03:30:51.948+00'),
	('01a2255b-0604-7275-8069-e5f2e28caabb', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'participant.joined', '{"id":"01a2255b-0604-7275-8069-e5f2e28caabb","type":"participant.joined","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:52.036Z","participantId":"01a2255b-05c8-7401-97f7-42923653a86d","userId":"01a2255b-05c8-7401-97f7-42923653a86d","anonymous":false,"role":"participant"}', '2026-11-29 03:30:52.036+00'),
	('01a2255b-062d-7178-b9f8-b88c6902b0f3', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'participant.joined', '{"id":"01a2255b-062d-7178-b9f8-b88c6902b0f3","type":"participant.joined","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:52.077Z","participantId":"01a2255b-0608-7090-ae2d-251b6e7e9013","userId":"01a2255b-0608-7090-ae2d-251b6e7e9013","anonymous":false,"role":"participant"}', '2026-11-29 03:30:52.077+00'),
	('01a2255b-06ff-73de-9809-e884edeace6c', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'phase.started', '{"id":"01a2255b-06ff-73de-9809-e884edeace6c","type":"phase.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:52.286Z","phaseId":"01a2255b-02d8-7630-92c9-df7894e8c508","position":2,"modality":"breakout","startedAt":"2026-11-29T03:30:52.286Z","timerEndsAt":null}', '2026-11-29 03:30:52.286+00'),
	('01a2255b-078b-7118-be9f-884d61937761', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'phase.started', '{"id":"01a2255b-078b-7118-be9f-884d61937761","type":"phase.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:52.425Z","phaseId":"01a2255b-02d8-7630-92c9-e22ea74610cc","position":3,"modality":"rotation","startedAt":"2026-11-29T03:30:52.425Z","timerEndsAt":null}', '2026-11-29 03:30:52.425+00'),
	('01a2255b-07e0-76b8-9797-dbb600576b41', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event.ended', '{"id":"01a2255b-07e0-76b8-9797-dbb600576b41","type":"event.ended","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","occurredAt":"2026-11-29T03:30:52.510Z","endedAt":"2026-11-29T03:30:52.510Z","reason":"end"}', '2026-11-29 03:30:52.51+00'),
	('01a2255b-0a67-771b-bc09-cc709eb56b63', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'recording.ready', '{"id":"01a2255b-0a67-771b-bc09-cc709eb56b63","occurredAt":"2026-11-29T03:30:53.159Z","type":"recording.ready","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","assetId":"01a2255b-0883-74cd-a1a8-88efed5191db"}', '2026-11-29 03:30:53.159+00'),
	('01a2255b-0af0-71d4-8671-da18f89242a3', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0a98-7322-93ca-e13eca990696', 'registration.created', '{"id":"01a2255b-0af0-71d4-8671-da18f89242a3","type":"registration.created","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0a98-7322-93ca-e13eca990696","occurredAt":"2026-11-29T03:30:53.287Z","registrationId":"01a2255b-0aec-73ed-aae1-37698d269ae5","participantId":"reg:01a2255b-0aec-73ed-aae1-37698d269ae5","name":"Rita","email":"rita@example.com"}', '2026-11-29 03:30:53.287+00'),
	('01a2255b-0ba2-732f-b3bb-1dafbea1ee81', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'event.started', '{"id":"01a2255b-0ba2-732f-b3bb-1dafbea1ee81","type":"event.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","occurredAt":"2026-11-29T03:30:53.473Z","startedAt":"2026-11-29T03:30:53.473Z","phaseId":"01a2255b-0b42-7724-8da0-4c396521d158"}', '2026-11-29 03:30:53.473+00'),
	('01a2255b-0ba2-732f-b3bb-21e6be7ceb9a', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'phase.started', '{"id":"01a2255b-0ba2-732f-b3bb-21e6be7ceb9a","type":"phase.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","occurredAt":"2026-11-29T03:30:53.473Z","phaseId":"01a2255b-0b42-7724-8da0-4c396521d158","position":0,"modality":"meeting","startedAt":"2026-11-29T03:30:53.473Z","timerEndsAt":null}', '2026-11-29 03:30:53.473+00'),
	('01a2255b-0c4f-7585-aab9-b90baa7a37d1', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'participant.joined', '{"id":"01a2255b-0c4f-7585-aab9-b90baa7a37d1","type":"participant.joined","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","occurredAt":"2026-11-29T03:30:53.647Z","participantId":"01a2255b-0bb7-759b-b567-41be267ec765","userId":"01a2255b-0bb7-759b-b567-41be267ec765","anonymous":false,"role":"host"}', '2026-11-29 03:30:53.647+00'),
	('01a2255b-0cab-7634-8ada-a29c8da38681', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'participant.joined', '{"id":"01a2255b-0cab-7634-8ada-a29c8da38681","type":"participant.joined","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","occurredAt":"2026-11-29T03:30:53.739Z","participantId":"01a2255b-0c57-7563-be9a-f5bca030585e","userId":"01a2255b-0c57-7563-be9a-f5bca030585e","anonymous":false,"role":"participant"}', '2026-11-29 03:30:53.739+00'),
	('01a2255b-0d06-7377-88cb-88de8a1e5dcf', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'participant.joined', '{"id":"01a2255b-0d06-7377-88cb-88de8a1e5dcf","type":"participant.joined","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","occurredAt":"2026-11-29T03:30:53.830Z","participantId":"01a2255b-0cb4-7091-9b58-c1f84582a9fc","userId":"01a2255b-0cb4-7091-9b58-c1f84582a9fc","anonymous":false,"role":"participant"}', '2026-11-29 03:30:53.83+00'),
	('01a2255b-0dd8-724a-be6b-c7b0e44aca5c', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 'phase.started', '{"id":"01a2255b-0dd8-724a-be6b-c7b0e44aca5c","type":"phase.started","workspaceId":"01a2255b-01fc-74cf-a614-e4e2d75ad7d3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","occurredAt":"2026-11-29T03:30:54.031Z","phaseId":"01a2255b-0b42-7724-8da0-539ddd16c7f3","position":1,"modality":"breakout","startedAt":"2026-11-29T03:30:54.031Z","timerEndsAt":null}', '2026-11-29 03:30:54.031+00');
INSERT INTO phases VALUES
	('01a2255b-02d8-7630-92c9-d6bb5601b473', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 0, 'broadcast', '{}', '{chat,qa,polls,transcript}', 'ended', '2026-11-29 03:30:51.627+00', '2026-11-29 03:30:52.195+00', NULL, 0, 3, 0, false),
	('01a2255b-02d8-7630-92c9-daf1e0aa658b', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 1, 'meeting', '{}', '{chat,qa,polls,transcript}', 'ended', '2026-11-29 03:30:52.195+00', '2026-11-29 03:30:52.286+00', NULL, 0, 5, 0, false),
	('01a2255b-02d8-7630-92c9-df7894e8c508', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 2, 'breakout', '{}', '{chat,qa,polls,transcript}', 'ended', '2026-11-29 03:30:52.286+00', '2026-11-29 03:30:52.425+00', NULL, 0, 7, 0, false),
	('01a2255b-02d8-7630-92c9-e22ea74610cc', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 3, 'rotation', '{"roundSeconds": 60}', '{chat,qa,polls,transcript}', 'ended', '2026-11-29 03:30:52.425+00', '2026-11-29 03:30:52.51+00', NULL, 0, 9, 0, false),
	('01a2255b-0a98-7322-93ca-e59989f0e509', '01a2255b-0a98-7322-93ca-e13eca990696', 0, 'broadcast', '{}', '{}', 'pending', NULL, NULL, NULL, 0, 1, 0, false),
	('01a2255b-0b42-7724-8da0-54fcda5b30fb', '01a2255b-0b42-7724-8da0-4a8de2e07201', 2, 'meeting', '{}', '{chat,qa,polls,transcript}', 'pending', NULL, NULL, NULL, 0, 1, 0, false),
	('01a2255b-0b42-7724-8da0-4c396521d158', '01a2255b-0b42-7724-8da0-4a8de2e07201', 0, 'meeting', '{}', '{chat,qa,polls,transcript}', 'ended', '2026-11-29 03:30:53.473+00', '2026-11-29 03:30:54.031+00', NULL, 0, 3, 0, false),
	('01a2255b-0b42-7724-8da0-539ddd16c7f3', '01a2255b-0b42-7724-8da0-4a8de2e07201', 1, 'breakout', '{}', '{chat,qa,polls,transcript}', 'active', '2026-11-29 03:30:54.031+00', NULL, NULL, 0, 4, 0, false);
INSERT INTO present_participants VALUES
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0bb7-759b-b567-41be267ec765', '{"kind": "user", "name": "Hana", "role": "host", "userId": "01a2255b-0bb7-759b-b567-41be267ec765", "walkIn": false, "manages": false, "joinedAt": "2026-11-29T03:30:53.647Z", "participantId": "01a2255b-0bb7-759b-b567-41be267ec765"}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0c57-7563-be9a-f5bca030585e', '{"kind": "user", "name": "Ada", "role": "participant", "userId": "01a2255b-0c57-7563-be9a-f5bca030585e", "walkIn": false, "manages": false, "joinedAt": "2026-11-29T03:30:53.739Z", "participantId": "01a2255b-0c57-7563-be9a-f5bca030585e"}'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0cb4-7091-9b58-c1f84582a9fc', '{"kind": "user", "name": "Ben", "role": "participant", "userId": "01a2255b-0cb4-7091-9b58-c1f84582a9fc", "walkIn": false, "manages": false, "joinedAt": "2026-11-29T03:30:53.830Z", "participantId": "01a2255b-0cb4-7091-9b58-c1f84582a9fc"}');
INSERT INTO publications VALUES
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 1, 1, '{"op":0,"st":"event","s":1,"v":1,"ts":1795923051428,"t":"event.updated","d":{"event":{"id":"01a2255b-02d8-7630-92c9-d3c175fdeeba","title":"Past","status":"scheduled","visibility":"public","startedAt":null,"endedAt":null}}}', NULL, '2026-11-29 03:30:51.428+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 2, 2, '{"op":0,"st":"event","s":2,"v":2,"ts":1795923051627,"t":"event.started","d":{"event":{"id":"01a2255b-02d8-7630-92c9-d3c175fdeeba","title":"Past","status":"live","visibility":"public","startedAt":"2026-11-29T03:30:51.627Z","endedAt":null}}}', NULL, '2026-11-29 03:30:51.627+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 3, 2, '{"op":0,"st":"event","s":3,"v":2,"ts":1795923051627,"t":"phase.started","d":{"phase":{"id":"01a2255b-02d8-7630-92c9-d6bb5601b473","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":0,"modality":"broadcast","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"active","startedAt":"2026-11-29T03:30:51.627Z","endedAt":null,"timerEndsAt":null,"extendedSeconds":0,"rev":2},"timers":[]}}', NULL, '2026-11-29 03:30:51.627+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 4, 3, '{"op":0,"st":"event","s":4,"v":3,"ts":1795923052086,"t":"chat.message","d":{"message":{"id":"01a2255b-0636-7143-8b84-5412e604fbd4","to":"event","roomId":null,"participantId":"01a2255b-05c8-7401-97f7-42923653a86d","name":"Ann","role":"viewer","text":"Good evening","replyTo":null,"at":"2026-11-29T03:30:52.086Z","rev":1}}}', NULL, '2026-11-29 03:30:52.086+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'staff', 1, 4, '{"op":0,"st":"staff","s":1,"v":4,"ts":1795923052129,"t":"chat.message","d":{"message":{"id":"01a2255b-0661-722b-be17-4e49e111f6ee","to":"staff","roomId":null,"participantId":"01a2255b-04b3-731d-8b17-a04015a75f16","name":"Hana","role":"host","text":"All are here","replyTo":null,"at":"2026-11-29T03:30:52.129Z","rev":1}}}', NULL, '2026-11-29 03:30:52.129+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 5, 5, '{"op":0,"st":"event","s":5,"v":5,"ts":1795923052137,"t":"question.created","d":{"question":{"id":"01a2255b-0668-76b4-9b75-846097fc1f7d","phaseId":"01a2255b-02d8-7630-92c9-d6bb5601b473","text":"When do we begin?","status":"approved","authorName":"Ann","anonymous":false,"pinned":false,"votes":0,"createdAt":"2026-11-29T03:30:52.137Z","answer":null,"answeredAt":null,"rev":1,"roomId":null,"answerMode":null,"authorId":"01a2255b-05c8-7401-97f7-42923653a86d"}}}', NULL, '2026-11-29 03:30:52.137+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 6, 6, '{"op":0,"st":"event","s":6,"v":6,"ts":1795923052150,"t":"question.updated","d":{"question":{"id":"01a2255b-0668-76b4-9b75-846097fc1f7d","phaseId":"01a2255b-02d8-7630-92c9-d6bb5601b473","text":"When do we begin?","status":"answered","authorName":"Ann","anonymous":false,"pinned":false,"votes":0,"createdAt":"2026-11-29T03:30:52.137Z","answer":"Now.","answeredAt":"2026-11-29T03:30:52.150Z","rev":2,"roomId":null,"answerMode":"text","authorId":"01a2255b-05c8-7401-97f7-42923653a86d"}}}', NULL, '2026-11-29 03:30:52.15+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'staff', 2, 7, '{"op":0,"st":"staff","s":2,"v":7,"ts":1795923052162,"t":"poll.created","d":{"poll":{"id":"01a2255b-0682-7038-bfcf-195dd9b7a37c","question":"Tea?","kind":"single","options":[{"id":"1","text":"Yes"},{"id":"2","text":"No"}],"anonymous":false,"allowChange":true,"results":"live","status":"draft","published":false,"createdAt":"2026-11-29T03:30:52.162Z","openedAt":null,"closedAt":null,"endsAt":null,"rev":1,"counts":[0,0],"voters":0}}}', NULL, '2026-11-29 03:30:52.162+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 7, 8, '{"op":0,"st":"event","s":7,"v":8,"ts":1795923052173,"t":"poll.opened","d":{"poll":{"id":"01a2255b-0682-7038-bfcf-195dd9b7a37c","question":"Tea?","kind":"single","options":[{"id":"1","text":"Yes"},{"id":"2","text":"No"}],"anonymous":false,"allowChange":true,"results":"live","status":"open","published":false,"createdAt":"2026-11-29T03:30:52.162Z","openedAt":"2026-11-29T03:30:52.173Z","closedAt":null,"endsAt":null,"rev":2,"counts":[0,0],"voters":0}}}', NULL, '2026-11-29 03:30:52.173+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 8, 10, '{"op":0,"st":"event","s":8,"v":10,"ts":1795923052195,"t":"phase.ended","d":{"phaseId":"01a2255b-02d8-7630-92c9-d6bb5601b473","reason":"advance","phase":{"id":"01a2255b-02d8-7630-92c9-d6bb5601b473","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":0,"modality":"broadcast","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"ended","startedAt":"2026-11-29T03:30:51.627Z","endedAt":"2026-11-29T03:30:52.195Z","timerEndsAt":null,"extendedSeconds":0,"rev":3}}}', NULL, '2026-11-29 03:30:52.195+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 9, 10, '{"op":0,"st":"event","s":9,"v":10,"ts":1795923052195,"t":"phase.started","d":{"phase":{"id":"01a2255b-02d8-7630-92c9-daf1e0aa658b","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":1,"modality":"meeting","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"active","startedAt":"2026-11-29T03:30:52.195Z","endedAt":null,"timerEndsAt":null,"extendedSeconds":0,"rev":4},"timers":[]}}', NULL, '2026-11-29 03:30:52.195+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'people', 1, 11, '{"op":0,"st":"people","s":1,"v":11,"ts":1795923052213,"t":"presence.diff","d":{"reset":true,"join":[{"participantId":"01a2255b-04b3-731d-8b17-a04015a75f16","name":"Hana","role":"host","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:51.948Z","kind":"user"},{"participantId":"01a2255b-05c8-7401-97f7-42923653a86d","name":"Ann","role":"participant","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:52.036Z","kind":"user"},{"participantId":"01a2255b-0608-7090-ae2d-251b6e7e9013","name":"Bob","role":"participant","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:52.077Z","kind":"user"}],"left":[],"update":[]}}', NULL, '2026-11-29 03:30:52.213+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'stage', 1, 11, '{"op":0,"st":"stage","s":1,"v":11,"ts":1795923052213,"t":"presence.stage","d":{"reset":true,"join":[{"participantId":"01a2255b-04b3-731d-8b17-a04015a75f16","name":"Hana","role":"host","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:51.948Z","kind":"user"}],"left":[],"update":[]}}', NULL, '2026-11-29 03:30:52.213+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 10, 12, '{"op":0,"st":"event","s":10,"v":12,"ts":1795923052242,"t":"transcript.segment","d":{"segment":"a","final":true,"speaker":"Ann","lang":"en","t0":1000,"t1":2000,"text":"Hello there"}}', NULL, '2026-11-29 03:30:52.242+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 11, 13, '{"op":0,"st":"event","s":11,"v":13,"ts":1795923052286,"t":"phase.ended","d":{"phaseId":"01a2255b-02d8-7630-92c9-daf1e0aa658b","reason":"advance","phase":{"id":"01a2255b-02d8-7630-92c9-daf1e0aa658b","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":1,"modality":"meeting","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"ended","startedAt":"2026-11-29T03:30:52.195Z","endedAt":"2026-11-29T03:30:52.286Z","timerEndsAt":null,"extendedSeconds":0,"rev":5}}}', NULL, '2026-11-29 03:30:52.286+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 12, 13, '{"op":0,"st":"event","s":12,"v":13,"ts":1795923052286,"t":"phase.started","d":{"phase":{"id":"01a2255b-02d8-7630-92c9-df7894e8c508","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":2,"modality":"breakout","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"active","startedAt":"2026-11-29T03:30:52.286Z","endedAt":null,"timerEndsAt":null,"extendedSeconds":0,"rev":6},"timers":[]}}', NULL, '2026-11-29 03:30:52.286+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 14, 16, '{"op":0,"st":"event","s":14,"v":16,"ts":1795923052349,"t":"room.updated","d":{"room":{"id":"a9e9a6ba-519c-56f0-8bac-4956244586d5","name":"Red","count":1,"open":true,"rev":2}}}', NULL, '2026-11-29 03:30:52.349+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 13, 15, '{"op":0,"st":"event","s":13,"v":15,"ts":1795923052328,"t":"breakout.opened","d":{"breakout":{"id":"ada51a47-3cb1-5073-beb6-1563f4a86896","phaseId":"01a2255b-02d8-7630-92c9-df7894e8c508","strategy":"self","late":"leastLoaded","openedAt":"2026-11-29T03:30:52.328Z","endsAt":null,"closesAt":null,"rev":1},"rooms":[{"id":"a9e9a6ba-519c-56f0-8bac-4956244586d5","name":"Red","count":0,"open":true,"rev":1},{"id":"ebc8c156-4c41-5541-861f-8bb91eeda42e","name":"Blue","count":0,"open":true,"rev":1}]}}', NULL, '2026-11-29 03:30:52.328+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'me:01a2255b-05c8-7401-97f7-42923653a86d', 1, 16, '{"op":0,"st":"me","s":1,"v":16,"ts":1795923052349,"t":"assignment.updated","d":{"roomId":"a9e9a6ba-519c-56f0-8bac-4956244586d5","name":"Red","endsAt":null}}', '{"type": "room", "roomId": "a9e9a6ba-519c-56f0-8bac-4956244586d5"}', '2026-11-29 03:30:52.349+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 15, 17, '{"op":0,"st":"event","s":15,"v":17,"ts":1795923052378,"t":"room.updated","d":{"room":{"id":"ebc8c156-4c41-5541-861f-8bb91eeda42e","name":"Blue","count":1,"open":true,"rev":2}}}', NULL, '2026-11-29 03:30:52.378+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'me:01a2255b-0608-7090-ae2d-251b6e7e9013', 1, 17, '{"op":0,"st":"me","s":1,"v":17,"ts":1795923052378,"t":"assignment.updated","d":{"roomId":"ebc8c156-4c41-5541-861f-8bb91eeda42e","name":"Blue","endsAt":null}}', '{"type": "room", "roomId": "ebc8c156-4c41-5541-861f-8bb91eeda42e"}', '2026-11-29 03:30:52.378+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'room:a9e9a6ba-519c-56f0-8bac-4956244586d5', 1, 18, '{"op":0,"st":"room:a9e9a6ba-519c-56f0-8bac-4956244586d5","s":1,"v":18,"ts":1795923052397,"t":"chat.message","d":{"message":{"id":"01a2255b-076d-7599-8f4a-db2401c0ccce","to":"room","roomId":"a9e9a6ba-519c-56f0-8bac-4956244586d5","participantId":"01a2255b-05c8-7401-97f7-42923653a86d","name":"Ann","role":"participant","text":"Here in red","replyTo":null,"at":"2026-11-29T03:30:52.397Z","rev":1}}}', NULL, '2026-11-29 03:30:52.397+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 16, 19, '{"op":0,"st":"event","s":16,"v":19,"ts":1795923052425,"t":"phase.ended","d":{"phaseId":"01a2255b-02d8-7630-92c9-df7894e8c508","reason":"advance","phase":{"id":"01a2255b-02d8-7630-92c9-df7894e8c508","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":2,"modality":"breakout","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"ended","startedAt":"2026-11-29T03:30:52.286Z","endedAt":"2026-11-29T03:30:52.425Z","timerEndsAt":null,"extendedSeconds":0,"rev":7}}}', NULL, '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 17, 19, '{"op":0,"st":"event","s":17,"v":19,"ts":1795923052425,"t":"phase.started","d":{"phase":{"id":"01a2255b-02d8-7630-92c9-e22ea74610cc","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":3,"modality":"rotation","config":{"roundSeconds":60},"featureSet":["chat","qa","polls","transcript"],"status":"active","startedAt":"2026-11-29T03:30:52.425Z","endedAt":null,"timerEndsAt":null,"extendedSeconds":0,"rev":8},"timers":[]}}', NULL, '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 18, 19, '{"op":0,"st":"event","s":18,"v":19,"ts":1795923052425,"t":"breakout.closing","d":{"breakout":{"id":"ada51a47-3cb1-5073-beb6-1563f4a86896","phaseId":"01a2255b-02d8-7630-92c9-df7894e8c508","strategy":"self","late":"leastLoaded","openedAt":"2026-11-29T03:30:52.328Z","endsAt":null,"closesAt":"2026-11-29T03:30:52.425Z","rev":2}}}', NULL, '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'me:01a2255b-05c8-7401-97f7-42923653a86d', 2, 19, '{"op":0,"st":"me","s":2,"v":19,"ts":1795923052425,"t":"assignment.ended","d":{"roomId":"a9e9a6ba-519c-56f0-8bac-4956244586d5","returnAt":"2026-11-29T03:30:52.425Z"}}', NULL, '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'me:01a2255b-0608-7090-ae2d-251b6e7e9013', 2, 19, '{"op":0,"st":"me","s":2,"v":19,"ts":1795923052425,"t":"assignment.ended","d":{"roomId":"ebc8c156-4c41-5541-861f-8bb91eeda42e","returnAt":"2026-11-29T03:30:52.425Z"}}', NULL, '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 19, 19, '{"op":0,"st":"event","s":19,"v":19,"ts":1795923052425,"t":"breakout.closed","d":{"id":"ada51a47-3cb1-5073-beb6-1563f4a86896"}}', NULL, '2026-11-29 03:30:52.425+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 20, 20, '{"op":0,"st":"event","s":20,"v":20,"ts":1795923052460,"t":"rotation.state","d":{"rotation":{"id":"357c6766-ad16-5177-b49f-8146c249ffe6","phaseId":"01a2255b-02d8-7630-92c9-e22ea74610cc","status":"round","roundSeconds":60,"breakSeconds":0,"rounds":1,"groupSize":2,"odd":"bye","n":1,"startsAt":"2026-11-29T03:30:52.460Z","endsAt":"2026-11-29T03:31:52.460Z","remainingMs":null,"pairs":1,"byes":0,"rev":1}}}', NULL, '2026-11-29 03:30:52.46+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 21, 20, '{"op":0,"st":"event","s":21,"v":20,"ts":1795923052460,"t":"timer.updated","d":{"timer":{"id":"357c6766-ad16-5177-b49f-8146c249ffe6","scope":"round","ref":"1","state":"running","startedAt":"2026-11-29T03:30:52.460Z","endsAt":"2026-11-29T03:31:52.460Z","extendedMs":0,"rev":1}}}', NULL, '2026-11-29 03:30:52.46+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'me:01a2255b-05c8-7401-97f7-42923653a86d', 3, 20, '{"op":0,"st":"me","s":3,"v":20,"ts":1795923052460,"t":"rotation.round","d":{"n":1,"startsAt":"2026-11-29T03:30:52.460Z","endsAt":"2026-11-29T03:31:52.460Z","leadMs":0,"roomId":"183d5e38-70d4-5ad4-ab70-35f0261ae946","partners":[{"participantId":"01a2255b-0608-7090-ae2d-251b6e7e9013","name":"Bob"}],"bye":false,"repeat":false}}', '{"type": "room", "roomId": "183d5e38-70d4-5ad4-ab70-35f0261ae946"}', '2026-11-29 03:30:52.46+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'me:01a2255b-0608-7090-ae2d-251b6e7e9013', 3, 20, '{"op":0,"st":"me","s":3,"v":20,"ts":1795923052460,"t":"rotation.round","d":{"n":1,"startsAt":"2026-11-29T03:30:52.460Z","endsAt":"2026-11-29T03:31:52.460Z","leadMs":0,"roomId":"183d5e38-70d4-5ad4-ab70-35f0261ae946","partners":[{"participantId":"01a2255b-05c8-7401-97f7-42923653a86d","name":"Ann"}],"bye":false,"repeat":false}}', '{"type": "room", "roomId": "183d5e38-70d4-5ad4-ab70-35f0261ae946"}', '2026-11-29 03:30:52.46+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'people', 2, 21, '{"op":0,"st":"people","s":2,"v":21,"ts":1795923052485,"t":"presence.diff","d":{"join":[],"left":[],"update":[{"participantId":"01a2255b-05c8-7401-97f7-42923653a86d","name":"Ann","role":"participant","roomId":"183d5e38-70d4-5ad4-ab70-35f0261ae946","hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:52.036Z","kind":"user"},{"participantId":"01a2255b-0608-7090-ae2d-251b6e7e9013","name":"Bob","role":"participant","roomId":"183d5e38-70d4-5ad4-ab70-35f0261ae946","hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:52.077Z","kind":"user"}]}}', NULL, '2026-11-29 03:30:52.485+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'people', 3, 21, '{"op":0,"st":"people","s":3,"v":21,"ts":1795923052485,"t":"presence.diff","d":{"join":[],"left":[],"update":[{"participantId":"01a2255b-05c8-7401-97f7-42923653a86d","name":"Ann","role":"participant","roomId":"183d5e38-70d4-5ad4-ab70-35f0261ae946","hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:52.036Z","kind":"user"},{"participantId":"01a2255b-0608-7090-ae2d-251b6e7e9013","name":"Bob","role":"participant","roomId":"183d5e38-70d4-5ad4-ab70-35f0261ae946","hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:52.077Z","kind":"user"}]}}', NULL, '2026-11-29 03:30:52.485+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 22, 22, '{"op":0,"st":"event","s":22,"v":22,"ts":1795923052510,"t":"phase.ended","d":{"phaseId":"01a2255b-02d8-7630-92c9-e22ea74610cc","reason":"end","phase":{"id":"01a2255b-02d8-7630-92c9-e22ea74610cc","eventId":"01a2255b-02d8-7630-92c9-d3c175fdeeba","position":3,"modality":"rotation","config":{"roundSeconds":60},"featureSet":["chat","qa","polls","transcript"],"status":"ended","startedAt":"2026-11-29T03:30:52.425Z","endedAt":"2026-11-29T03:30:52.510Z","timerEndsAt":null,"extendedSeconds":0,"rev":9}}}', NULL, '2026-11-29 03:30:52.51+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 23, 22, '{"op":0,"st":"event","s":23,"v":22,"ts":1795923052510,"t":"event.ended","d":{"event":{"id":"01a2255b-02d8-7630-92c9-d3c175fdeeba","title":"Past","status":"ended","visibility":"public","startedAt":"2026-11-29T03:30:51.627Z","endedAt":"2026-11-29T03:30:52.510Z"},"endedAt":"2026-11-29T03:30:52.510Z","reason":"end","phases":[]}}', NULL, '2026-11-29 03:30:52.51+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 24, 22, '{"op":0,"st":"event","s":24,"v":22,"ts":1795923052510,"t":"poll.closed","d":{"poll":{"id":"01a2255b-0682-7038-bfcf-195dd9b7a37c","question":"Tea?","kind":"single","options":[{"id":"1","text":"Yes"},{"id":"2","text":"No"}],"anonymous":false,"allowChange":true,"results":"live","status":"closed","published":false,"createdAt":"2026-11-29T03:30:52.162Z","openedAt":"2026-11-29T03:30:52.173Z","closedAt":"2026-11-29T03:30:52.510Z","endsAt":null,"rev":3,"counts":[1,0],"voters":1}}}', NULL, '2026-11-29 03:30:52.51+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 25, 22, '{"op":0,"st":"event","s":25,"v":22,"ts":1795923052510,"t":"rotation.state","d":{"rotation":{"id":"357c6766-ad16-5177-b49f-8146c249ffe6","phaseId":"01a2255b-02d8-7630-92c9-e22ea74610cc","status":"ended","roundSeconds":60,"breakSeconds":0,"rounds":1,"groupSize":2,"odd":"bye","n":1,"startsAt":null,"endsAt":null,"remainingMs":null,"pairs":1,"byes":0,"rev":2}}}', NULL, '2026-11-29 03:30:52.51+00'),
	('01a2255b-02d8-7630-92c9-d3c175fdeeba', 'event', 26, 22, '{"op":0,"st":"event","s":26,"v":22,"ts":1795923052510,"t":"timer.updated","d":{"timer":{"id":"357c6766-ad16-5177-b49f-8146c249ffe6","scope":"round","ref":"1","state":"cancelled","startedAt":"2026-11-29T03:30:52.460Z","endsAt":"2026-11-29T03:31:52.460Z","extendedMs":0,"rev":2}}}', NULL, '2026-11-29 03:30:52.51+00'),
	('01a2255b-0a98-7322-93ca-e13eca990696', 'event', 1, 1, '{"op":0,"st":"event","s":1,"v":1,"ts":1795923053227,"t":"event.updated","d":{"event":{"id":"01a2255b-0a98-7322-93ca-e13eca990696","title":"Coming","status":"scheduled","visibility":"public","startedAt":null,"endedAt":null}}}', NULL, '2026-11-29 03:30:53.227+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 1, 1, '{"op":0,"st":"event","s":1,"v":1,"ts":1795923053404,"t":"event.updated","d":{"event":{"id":"01a2255b-0b42-7724-8da0-4a8de2e07201","title":"Live","status":"scheduled","visibility":"public","startedAt":null,"endedAt":null}}}', NULL, '2026-11-29 03:30:53.404+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 2, 2, '{"op":0,"st":"event","s":2,"v":2,"ts":1795923053473,"t":"event.started","d":{"event":{"id":"01a2255b-0b42-7724-8da0-4a8de2e07201","title":"Live","status":"live","visibility":"public","startedAt":"2026-11-29T03:30:53.473Z","endedAt":null}}}', NULL, '2026-11-29 03:30:53.473+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 3, 2, '{"op":0,"st":"event","s":3,"v":2,"ts":1795923053473,"t":"phase.started","d":{"phase":{"id":"01a2255b-0b42-7724-8da0-4c396521d158","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","position":0,"modality":"meeting","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"active","startedAt":"2026-11-29T03:30:53.473Z","endedAt":null,"timerEndsAt":null,"extendedSeconds":0,"rev":2},"timers":[]}}', NULL, '2026-11-29 03:30:53.473+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 4, 3, '{"op":0,"st":"event","s":4,"v":3,"ts":1795923053845,"t":"chat.message","d":{"message":{"id":"01a2255b-0d15-71fc-be48-ead41bd2243d","to":"event","roomId":null,"participantId":"01a2255b-0c57-7563-be9a-f5bca030585e","name":"Ada","role":"participant","text":"Good evening","replyTo":null,"at":"2026-11-29T03:30:53.845Z","rev":1}}}', NULL, '2026-11-29 03:30:53.845+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'staff', 1, 4, '{"op":0,"st":"staff","s":1,"v":4,"ts":1795923053858,"t":"chat.message","d":{"message":{"id":"01a2255b-0d22-72a2-9a0e-9d7e218d6dcd","to":"staff","roomId":null,"participantId":"01a2255b-0bb7-759b-b567-41be267ec765","name":"Hana","role":"host","text":"All are here","replyTo":null,"at":"2026-11-29T03:30:53.858Z","rev":1}}}', NULL, '2026-11-29 03:30:53.858+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 5, 5, '{"op":0,"st":"event","s":5,"v":5,"ts":1795923053868,"t":"question.created","d":{"question":{"id":"01a2255b-0d27-7766-b107-13bfc8e82588","phaseId":"01a2255b-0b42-7724-8da0-4c396521d158","text":"When do we begin?","status":"approved","authorName":"Ada","anonymous":false,"pinned":false,"votes":0,"createdAt":"2026-11-29T03:30:53.868Z","answer":null,"answeredAt":null,"rev":1,"roomId":null,"answerMode":null,"authorId":"01a2255b-0c57-7563-be9a-f5bca030585e"}}}', NULL, '2026-11-29 03:30:53.868+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 6, 6, '{"op":0,"st":"event","s":6,"v":6,"ts":1795923053891,"t":"question.updated","d":{"question":{"id":"01a2255b-0d27-7766-b107-13bfc8e82588","phaseId":"01a2255b-0b42-7724-8da0-4c396521d158","text":"When do we begin?","status":"answered","authorName":"Ada","anonymous":false,"pinned":false,"votes":0,"createdAt":"2026-11-29T03:30:53.868Z","answer":"Now.","answeredAt":"2026-11-29T03:30:53.891Z","rev":2,"roomId":null,"answerMode":"text","authorId":"01a2255b-0c57-7563-be9a-f5bca030585e"}}}', NULL, '2026-11-29 03:30:53.891+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'people', 1, 7, '{"op":0,"st":"people","s":1,"v":7,"ts":1795923053919,"t":"presence.diff","d":{"reset":true,"join":[{"participantId":"01a2255b-0bb7-759b-b567-41be267ec765","name":"Hana","role":"host","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:53.647Z","kind":"user"},{"participantId":"01a2255b-0c57-7563-be9a-f5bca030585e","name":"Ada","role":"participant","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:53.739Z","kind":"user"},{"participantId":"01a2255b-0cb4-7091-9b58-c1f84582a9fc","name":"Ben","role":"participant","roomId":null,"hand":false,"muted":false,"joinedAt":"2026-11-29T03:30:53.830Z","kind":"user"}],"left":[],"update":[]}}', NULL, '2026-11-29 03:30:53.919+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 8, 11, '{"op":0,"st":"event","s":8,"v":11,"ts":1795923054031,"t":"phase.ended","d":{"phaseId":"01a2255b-0b42-7724-8da0-4c396521d158","reason":"advance","phase":{"id":"01a2255b-0b42-7724-8da0-4c396521d158","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","position":0,"modality":"meeting","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"ended","startedAt":"2026-11-29T03:30:53.473Z","endedAt":"2026-11-29T03:30:54.031Z","timerEndsAt":null,"extendedSeconds":0,"rev":3}}}', NULL, '2026-11-29 03:30:54.031+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 9, 11, '{"op":0,"st":"event","s":9,"v":11,"ts":1795923054031,"t":"phase.started","d":{"phase":{"id":"01a2255b-0b42-7724-8da0-539ddd16c7f3","eventId":"01a2255b-0b42-7724-8da0-4a8de2e07201","position":1,"modality":"breakout","config":{},"featureSet":["chat","qa","polls","transcript"],"status":"active","startedAt":"2026-11-29T03:30:54.031Z","endedAt":null,"timerEndsAt":null,"extendedSeconds":0,"rev":4},"timers":[]}}', NULL, '2026-11-29 03:30:54.031+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'staff', 2, 8, '{"op":0,"st":"staff","s":2,"v":8,"ts":1795923053931,"t":"poll.created","d":{"poll":{"id":"01a2255b-0d6a-7373-b0c1-2ce003d185b3","question":"Tea?","kind":"single","options":[{"id":"1","text":"Yes"},{"id":"2","text":"No"}],"anonymous":false,"allowChange":true,"results":"live","status":"draft","published":false,"createdAt":"2026-11-29T03:30:53.931Z","openedAt":null,"closedAt":null,"endsAt":null,"rev":1,"counts":[0,0],"voters":0}}}', NULL, '2026-11-29 03:30:53.931+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 7, 9, '{"op":0,"st":"event","s":7,"v":9,"ts":1795923053977,"t":"poll.opened","d":{"poll":{"id":"01a2255b-0d6a-7373-b0c1-2ce003d185b3","question":"Tea?","kind":"single","options":[{"id":"1","text":"Yes"},{"id":"2","text":"No"}],"anonymous":false,"allowChange":true,"results":"live","status":"open","published":false,"createdAt":"2026-11-29T03:30:53.931Z","openedAt":"2026-11-29T03:30:53.977Z","closedAt":null,"endsAt":null,"rev":2,"counts":[0,0],"voters":0}}}', NULL, '2026-11-29 03:30:53.977+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 10, 13, '{"op":0,"st":"event","s":10,"v":13,"ts":1795923054082,"t":"breakout.opened","d":{"breakout":{"id":"270357f2-de85-5d21-abe0-36801c6c45ee","phaseId":"01a2255b-0b42-7724-8da0-539ddd16c7f3","strategy":"self","late":"leastLoaded","openedAt":"2026-11-29T03:30:54.082Z","endsAt":null,"closesAt":null,"rev":1},"rooms":[{"id":"52538d84-ca2c-5f84-9a04-b0c853b02977","name":"Red","count":0,"open":true,"rev":1},{"id":"1d60944e-1057-5635-b1ed-38416e75ecb1","name":"Blue","count":0,"open":true,"rev":1}]}}', NULL, '2026-11-29 03:30:54.082+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 11, 14, '{"op":0,"st":"event","s":11,"v":14,"ts":1795923054105,"t":"room.updated","d":{"room":{"id":"52538d84-ca2c-5f84-9a04-b0c853b02977","name":"Red","count":1,"open":true,"rev":2}}}', NULL, '2026-11-29 03:30:54.105+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'me:01a2255b-0c57-7563-be9a-f5bca030585e', 1, 14, '{"op":0,"st":"me","s":1,"v":14,"ts":1795923054105,"t":"assignment.updated","d":{"roomId":"52538d84-ca2c-5f84-9a04-b0c853b02977","name":"Red","endsAt":null}}', '{"type": "room", "roomId": "52538d84-ca2c-5f84-9a04-b0c853b02977"}', '2026-11-29 03:30:54.105+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'event', 12, 15, '{"op":0,"st":"event","s":12,"v":15,"ts":1795923054117,"t":"room.updated","d":{"room":{"id":"1d60944e-1057-5635-b1ed-38416e75ecb1","name":"Blue","count":1,"open":true,"rev":2}}}', NULL, '2026-11-29 03:30:54.117+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'me:01a2255b-0cb4-7091-9b58-c1f84582a9fc', 1, 15, '{"op":0,"st":"me","s":1,"v":15,"ts":1795923054117,"t":"assignment.updated","d":{"roomId":"1d60944e-1057-5635-b1ed-38416e75ecb1","name":"Blue","endsAt":null}}', '{"type": "room", "roomId": "1d60944e-1057-5635-b1ed-38416e75ecb1"}', '2026-11-29 03:30:54.117+00'),
	('01a2255b-0b42-7724-8da0-4a8de2e07201', 'room:52538d84-ca2c-5f84-9a04-b0c853b02977', 1, 16, '{"op":0,"st":"room:52538d84-ca2c-5f84-9a04-b0c853b02977","s":1,"v":16,"ts":1795923054132,"t":"chat.message","d":{"message":{"id":"01a2255b-0e2f-76a5-aac8-0aa8539027c2","to":"room","roomId":"52538d84-ca2c-5f84-9a04-b0c853b02977","participantId":"01a2255b-0c57-7563-be9a-f5bca030585e","name":"Ada","role":"participant","text":"Here in red","replyTo":null,"at":"2026-11-29T03:30:54.132Z","rev":1}}}', NULL, '2026-11-29 03:30:54.132+00');
INSERT INTO questions VALUES
	('01a2255b-0668-76b4-9b75-846097fc1f7d', '01a2255b-02d8-7630-92c9-d3c175fdeeba', '01a2255b-02d8-7630-92c9-d6bb5601b473', NULL, 'When do we begin?', 'answered', '01a2255b-05c8-7401-97f7-42923653a86d', '01a2255b-05c8-7401-97f7-42923653a86d', 'Ann', false, false, 'Now.', 'text', 0, 2, '2026-11-29 03:30:52.137+00', '2026-11-29 03:30:52.15+00'),
	('01a2255b-0d27-7766-b107-13bfc8e82588', '01a2255b-0b42-7724-8da0-4a8de2e07201', '01a2255b-0b42-7724-8da0-4c396521d158', NULL, 'When do we begin?', 'answered', '01a2255b-0c57-7563-be9a-f5bca030585e', '01a2255b-0c57-7563-be9a-f5bca030585e', 'Ada', false, false, 'Now.', 'text', 0, 2, '2026-11-29 03:30:53.868+00', '2026-11-29 03:30:53.891+00');
INSERT INTO recordings VALUES
	('01a2255b-0883-74cd-a1a8-88efed5191db', '01a2255b-02d8-7630-92c9-d3c175fdeeba', NULL, 'upload', 'The evening', 'ready', 1000, '2026-11-29 03:30:52.672+00', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'upload', NULL, 16044, '01a2255b-01fc-74cf-a614-e4e2d75ad7d3/db/01a2255b-0883-74cd-a1a8-88efed5191db', 16044, NULL, 'audio/wav', 'WAVE', '{pcm-s16}', NULL, NULL, '\x03bdffca899373ff48458ba2c658718abf3e83544a9989e873e05cb990e230b9', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL);
INSERT INTO registrations VALUES
	('01a2255b-0aec-73ed-aae1-37698d269ae5', '01a2255b-0a98-7322-93ca-e13eca990696', 'Rita', 'rita@example.com', '2026-11-29 03:30:53.288+00');
INSERT INTO schema_functions VALUES
	(true, '1c8a49c3f8b5e01aa0f52830082b22d57833059deba1cc9b7deef322af968dd7', '2026-11-29 03:30:37.066854+00');
INSERT INTO schema_migrations VALUES
	(1, 'accounts', '2026-11-29 03:30:36.327321+00'),
	(2, 'workspaces', '2026-11-29 03:30:36.388096+00'),
	(3, 'events', '2026-11-29 03:30:36.442319+00'),
	(4, 'recordings', '2026-11-29 03:30:36.513413+00'),
	(5, 'live_events', '2026-11-29 03:30:36.547355+00'),
	(6, 'webhooks', '2026-11-29 03:30:36.631039+00'),
	(7, 'mail', '2026-11-29 03:30:36.668104+00'),
	(8, 'server', '2026-11-29 03:30:36.693555+00'),
	(9, 'creators', '2026-11-29 03:30:36.714161+00'),
	(10, 'media', '2026-11-29 03:30:36.72503+00'),
	(11, 'broadcasts', '2026-11-29 03:30:36.763773+00'),
	(12, 'captions', '2026-11-29 03:30:36.793519+00'),
	(13, 'uploads', '2026-11-29 03:30:36.821164+00'),
	(14, 'captures', '2026-11-29 03:30:36.834208+00'),
	(15, 'derivations', '2026-11-29 03:30:36.852632+00'),
	(16, 'stage_broadcasts', '2026-11-29 03:30:36.868859+00'),
	(17, 'keyed_recordings', '2026-11-29 03:30:36.889072+00'),
	(18, 'transcript_speakers', '2026-11-29 03:30:36.897238+00'),
	(19, 'room_captions', '2026-11-29 03:30:36.90881+00'),
	(20, 'stage_numbers', '2026-11-29 03:30:36.911342+00'),
	(21, 'late_captions', '2026-11-29 03:30:36.914325+00'),
	(22, 'cluster_nodes', '2026-11-29 03:30:36.918664+00'),
	(23, 'present_participants', '2026-11-29 03:30:36.930171+00'),
	(24, 'rate_buckets', '2026-11-29 03:30:36.944188+00'),
	(25, 'recorder_reports', '2026-11-29 03:30:36.954085+00'),
	(26, 'broadcast_owners', '2026-11-29 03:30:36.964698+00'),
	(27, 'webhook_leases', '2026-11-29 03:30:36.970951+00'),
	(28, 'questions_by_status', '2026-11-29 03:30:36.973874+00'),
	(29, 'kept_keys', '2026-11-29 03:30:36.98129+00'),
	(30, 'attendances', '2026-11-29 03:30:36.995251+00'),
	(31, 'join_codes', '2026-11-29 03:30:37.007894+00'),
	(32, 'event_reminders', '2026-11-29 03:30:37.016495+00'),
	(33, 'erasures', '2026-11-29 03:30:37.031426+00'),
	(34, 'deleted_workspaces', '2026-11-29 03:30:37.042602+00'),
	(35, 'phase_references', '2026-11-29 03:30:37.046168+00'),
	(36, 'erased_guests', '2026-11-29 03:30:37.055279+00'),
	(37, 'session_devices', '2026-11-29 03:30:37.062968+00');
INSERT INTO sealing_checks VALUES
	(true, '\x01c6fb33daa011648da7695cdd903a101d8fa1d9545c2518e8b6adbfc4ea3dc8f334c6b7ed13063cec1f');
INSERT INTO transcript_segments VALUES
	('01a2255b-083a-70db-89d4-ddbc0c1fbbaa', 1, 1000, 2000, 'Ann', 'en', 'Hello there');
INSERT INTO transcripts VALUES
	('01a2255b-083a-70db-89d4-ddbc0c1fbbaa', NULL, 'ready', '2026-11-29 03:30:52.569+00', '01a2255b-02d8-7630-92c9-d3c175fdeeba', 'captions', '[{"name": "Ann", "words": 2, "seconds": 1}]');
INSERT INTO users VALUES
	('01a2255b-04b3-731d-8b17-a04015a75f16', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'bc1ef3b2-8ba2-4f99-9c57-ec5a9997f18d', NULL, NULL, 'Hana', NULL, 0, '2026-11-29 03:30:51.703+00', '2026-11-29 03:30:51.703+00'),
	('01a2255b-05c8-7401-97f7-42923653a86d', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '9878e373-7c68-4389-be05-440e2e38e674', NULL, NULL, 'Ann', NULL, 0, '2026-11-29 03:30:51.977+00', '2026-11-29 03:30:51.977+00'),
	('01a2255b-0608-7090-ae2d-251b6e7e9013', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '8a4292a9-151c-4d7d-9677-1dae404440fd', NULL, NULL, 'Bob', NULL, 0, '2026-11-29 03:30:52.041+00', '2026-11-29 03:30:52.041+00'),
	('01a2255b-0bb7-759b-b567-41be267ec765', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '04658a55-fa7d-4f84-84fc-447aaca610d2', NULL, NULL, 'Hana', NULL, 0, '2026-11-29 03:30:53.496+00', '2026-11-29 03:30:53.496+00'),
	('01a2255b-0c57-7563-be9a-f5bca030585e', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'b1911c85-2c9e-46bb-b3b5-39f62d8d656a', NULL, NULL, 'Ada', NULL, 0, '2026-11-29 03:30:53.659+00', '2026-11-29 03:30:53.659+00'),
	('01a2255b-0cb4-7091-9b58-c1f84582a9fc', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '23bcd54f-a8ba-4504-aa23-35171dfbf78e', NULL, NULL, 'Ben', NULL, 0, '2026-11-29 03:30:53.749+00', '2026-11-29 03:30:53.749+00');
INSERT INTO webhook_deliveries OVERRIDING SYSTEM VALUE VALUES
	('01a2255b-0d65-7ad8-8f06-19a5f92892c7', 14, '01a2255b-0c4f-7585-aab9-b90baa7a37d1', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0b42-7724-8da0-4a8de2e07201', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.948Z", "durationMs": 5, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.921+00', '2026-11-29 03:30:53.957+00', NULL),
	('01a2255b-048f-71f1-aad6-dacf448496fc', 1, '01a2255b-046e-7228-97ce-9c42c3a44595', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:51.689Z", "durationMs": 53, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:51.632+00', '2026-11-29 03:30:51.743+00', NULL),
	('01a2255b-048f-7865-8cfc-4716b7447ca5', 2, '01a2255b-046e-7228-97ce-a14d1388985d', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:51.752Z", "durationMs": 5, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:51.632+00', '2026-11-29 03:30:51.759+00', NULL),
	('01a2255b-0a6a-76a4-9a0e-2609ed7bcaa4', 10, '01a2255b-0a67-771b-bc09-cc709eb56b63', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.169Z", "durationMs": 4, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.155+00', '2026-11-29 03:30:53.175+00', NULL),
	('01a2255b-06ab-7efe-9a58-81b8b68347b2', 3, '01a2255b-06a6-70de-8171-49321739101b', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.230Z", "durationMs": 6, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.199+00', '2026-11-29 03:30:52.237+00', NULL),
	('01a2255b-0d66-7417-acd4-afb275394e68', 15, '01a2255b-0cab-7634-8ada-a29c8da38681', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0b42-7724-8da0-4a8de2e07201', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.953Z", "durationMs": 13, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.921+00', '2026-11-29 03:30:53.984+00', NULL),
	('01a2255b-0af3-7341-8aa0-a40e596e0818', 11, '01a2255b-0af0-71d4-8671-da18f89242a3', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0a98-7322-93ca-e13eca990696', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.332Z", "durationMs": 10, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.288+00', '2026-11-29 03:30:53.344+00', NULL),
	('01a2255b-06bc-7859-a912-34aa764c62da', 4, '01a2255b-05ad-70fe-a3d6-5c845a361f7e', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.248Z", "durationMs": 2, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.216+00', '2026-11-29 03:30:52.252+00', NULL),
	('01a2255b-06bd-7773-a911-c4b813051703', 5, '01a2255b-0604-7275-8069-e5f2e28caabb', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.250Z", "durationMs": 2, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.216+00', '2026-11-29 03:30:52.26+00', NULL),
	('01a2255b-06bd-737b-a458-9c437a960ae0', 6, '01a2255b-062d-7178-b9f8-b88c6902b0f3', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.252Z", "durationMs": 1, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.216+00', '2026-11-29 03:30:52.26+00', NULL),
	('01a2255b-070a-7233-812d-3ed450170433', 7, '01a2255b-06ff-73de-9809-e884edeace6c', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.343Z", "durationMs": 18, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.29+00', '2026-11-29 03:30:52.363+00', NULL),
	('01a2255b-0791-7c1d-9cc4-f0d045d30043', 8, '01a2255b-078b-7118-be9f-884d61937761', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.445Z", "durationMs": 34, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.429+00', '2026-11-29 03:30:52.481+00', NULL),
	('01a2255b-0d66-7ab1-8bee-cab6cce56d3c', 16, '01a2255b-0d06-7377-88cb-88de8a1e5dcf', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0b42-7724-8da0-4a8de2e07201', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.986Z", "durationMs": 14, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.921+00', '2026-11-29 03:30:54.012+00', NULL),
	('01a2255b-07ec-7c81-bfe2-1e9b6eb5a48b', 9, '01a2255b-07e0-76b8-9797-dbb600576b41', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-02d8-7630-92c9-d3c175fdeeba', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:52.535Z", "durationMs": 27, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:52.514+00', '2026-11-29 03:30:52.566+00', NULL),
	('01a2255b-0baa-7dcf-ae82-b58b36491232', 12, '01a2255b-0ba2-732f-b3bb-1dafbea1ee81', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0b42-7724-8da0-4a8de2e07201', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.497Z", "durationMs": 6, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.475+00', '2026-11-29 03:30:53.505+00', NULL),
	('01a2255b-0baa-7ea9-8189-24179f2b2864', 13, '01a2255b-0ba2-732f-b3bb-21e6be7ceb9a', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0b42-7724-8da0-4a8de2e07201', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:53.503Z", "durationMs": 2, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:53.475+00', '2026-11-29 03:30:53.51+00', NULL),
	('01a2255b-0ddf-757e-897d-ad70f4b4ebdf', 17, '01a2255b-0dd8-724a-be6b-c7b0e44aca5c', '01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-0b42-7724-8da0-4a8de2e07201', DEFAULT, 'delivered', 1, '[{"error": null, "outcome": "delivered", "startedAt": "2026-11-29T03:30:54.054Z", "durationMs": 14, "statusCode": 200}]', NULL, NULL, 200, NULL, '2026-11-29 03:30:54.044+00', '2026-11-29 03:30:54.075+00', NULL);
INSERT INTO webhook_endpoints VALUES
	('01a2255b-029f-7798-9a42-0ff7801f7b58', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'http://127.0.0.1:9/', '{event.started,event.ended,phase.started,recording.ready,registration.created,participant.joined}', '\x018f39b31c3e65b5b85818a8ae6ba80c71f20e1a542a3e82d90d104d01b049800a85ef3f11ef0048aa14d051784eac0297b5c82e7ecf0063705f3933fbc58ded6b890443b280fbc8a8a8af39ed03db', NULL, NULL, 'active', NULL, '2026-11-29 03:30:51.171+00', '2026-11-29 03:30:54.075+00', NULL, NULL);
INSERT INTO workspace_letters VALUES
	('01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '2026-11-29', 1);
INSERT INTO workspace_members VALUES
	('01a2255b-016e-7221-a733-7a659fd65296', '01a2255b-016e-7221-a733-77e5da14a380', '01a2255b-0156-7158-8ace-9b1893953526', 'owner', '2026-11-29 03:30:50.835+00'),
	('01a2255b-01fd-70a0-9a9d-6f8c17ac415a', '01a2255b-01fc-74cf-a614-e4e2d75ad7d3', '01a2255b-0156-7158-8ace-9b1893953526', 'owner', '2026-11-29 03:30:50.999+00');
INSERT INTO workspaces VALUES
	('01a2255b-016e-7221-a733-77e5da14a380', 'Ada''s workspace', 'ada', '2026-11-29 03:30:50.835+00', '2026-11-29 03:30:50.835+00', '01a2255b-0156-7158-8ace-9b1893953526', NULL),
	('01a2255b-01fc-74cf-a614-e4e2d75ad7d3', 'Acme', 'acme', '2026-11-29 03:30:50.999+00', '2026-11-29 03:30:50.999+00', '01a2255b-0156-7158-8ace-9b1893953526', NULL);
SELECT pg_catalog.setval('cluster_nodes_id_seq', 1, false);
SELECT pg_catalog.setval('media_jobs_id_seq', 2, true);
SELECT pg_catalog.setval('webhook_deliveries_seq_seq', 17, true);
ALTER TABLE account_emails ADD CONSTRAINT account_emails_email_key UNIQUE (email);
ALTER TABLE account_emails ADD CONSTRAINT account_emails_pkey PRIMARY KEY (id);
ALTER TABLE account_identities ADD CONSTRAINT account_identities_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE account_sessions ADD CONSTRAINT account_sessions_pkey PRIMARY KEY (id);
ALTER TABLE account_sessions ADD CONSTRAINT account_sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE account_tokens ADD CONSTRAINT account_tokens_pkey PRIMARY KEY (token_hash);
ALTER TABLE accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE attendances ADD CONSTRAINT attendances_pkey PRIMARY KEY (event_id, participant_id);
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);
ALTER TABLE broadcast_ingests ADD CONSTRAINT broadcast_ingests_pkey PRIMARY KEY (broadcast_id);
ALTER TABLE broadcast_ingests ADD CONSTRAINT broadcast_ingests_token_hash_key UNIQUE (token_hash);
ALTER TABLE broadcasts ADD CONSTRAINT broadcasts_phase_id_key UNIQUE (phase_id);
ALTER TABLE broadcasts ADD CONSTRAINT broadcasts_pkey PRIMARY KEY (id);
ALTER TABLE captions ADD CONSTRAINT captions_pkey PRIMARY KEY (event_id, segment);
ALTER TABLE chat_messages ADD CONSTRAINT chat_messages_pkey PRIMARY KEY (id);
ALTER TABLE clips ADD CONSTRAINT clips_pkey PRIMARY KEY (id);
ALTER TABLE cluster_nodes ADD CONSTRAINT cluster_nodes_address_key UNIQUE (address);
ALTER TABLE cluster_nodes ADD CONSTRAINT cluster_nodes_pkey PRIMARY KEY (id);
ALTER TABLE entry_tokens ADD CONSTRAINT entry_tokens_pkey PRIMARY KEY (token_hash);
ALTER TABLE erased_guests ADD CONSTRAINT erased_guests_pkey PRIMARY KEY (event_id, participant_id);
ALTER TABLE erasures ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);
ALTER TABLE event_reminders ADD CONSTRAINT event_reminders_pkey PRIMARY KEY (event_id, kind, scheduled_at);
ALTER TABLE event_summaries ADD CONSTRAINT event_summaries_pkey PRIMARY KEY (event_id);
ALTER TABLE events ADD CONSTRAINT events_join_code_key UNIQUE (join_code);
ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE guest_integrations ADD CONSTRAINT guest_integrations_one_active EXCLUDE USING hash (((((workspace_id)::text || ' '::text) || issuer)) WITH =) WHERE ((revoked_at IS NULL));
ALTER TABLE guest_integrations ADD CONSTRAINT guest_integrations_pkey PRIMARY KEY (id);
ALTER TABLE heartbeats ADD CONSTRAINT heartbeats_pkey PRIMARY KEY (id);
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (principal, method, path, key);
ALTER TABLE invites ADD CONSTRAINT invites_pkey PRIMARY KEY (id);
ALTER TABLE invites ADD CONSTRAINT invites_token_hash_key UNIQUE (token_hash);
ALTER TABLE kept_keys ADD CONSTRAINT kept_keys_pkey PRIMARY KEY (name);
ALTER TABLE letter_refusals ADD CONSTRAINT letter_refusals_pkey PRIMARY KEY (workspace_id, kind, address_hash);
ALTER TABLE live_commands ADD CONSTRAINT live_commands_pkey PRIMARY KEY (event_id, scope, command_id);
ALTER TABLE live_events ADD CONSTRAINT live_events_pkey PRIMARY KEY (event_id);
ALTER TABLE live_records ADD CONSTRAINT live_records_pkey PRIMARY KEY (event_id, kind, id);
ALTER TABLE live_removals ADD CONSTRAINT live_removals_pkey PRIMARY KEY (event_id, participant_id);
ALTER TABLE mails ADD CONSTRAINT mails_pkey PRIMARY KEY (id);
ALTER TABLE media_jobs ADD CONSTRAINT media_jobs_pkey PRIMARY KEY (id);
ALTER TABLE memberships ADD CONSTRAINT memberships_event_id_user_id_key UNIQUE (event_id, user_id);
ALTER TABLE memberships ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);
ALTER TABLE outbox_messages ADD CONSTRAINT outbox_messages_pkey PRIMARY KEY (id);
ALTER TABLE phases ADD CONSTRAINT phases_event_id_position_key UNIQUE (event_id, "position");
ALTER TABLE phases ADD CONSTRAINT phases_pkey PRIMARY KEY (id);
ALTER TABLE present_participants ADD CONSTRAINT present_participants_pkey PRIMARY KEY (event_id, participant_id);
ALTER TABLE publications ADD CONSTRAINT publications_pkey PRIMARY KEY (event_id, stream, s);
ALTER TABLE question_votes ADD CONSTRAINT question_votes_pkey PRIMARY KEY (question_id, voter);
ALTER TABLE questions ADD CONSTRAINT questions_pkey PRIMARY KEY (id);
ALTER TABLE rate_buckets ADD CONSTRAINT rate_buckets_pkey PRIMARY KEY (key);
ALTER TABLE recording_derivations ADD CONSTRAINT recording_derivations_pkey PRIMARY KEY (id);
ALTER TABLE recording_derivations ADD CONSTRAINT recording_derivations_recording_id_kind_key UNIQUE (recording_id, kind);
ALTER TABLE recording_segments ADD CONSTRAINT recording_segments_pkey PRIMARY KEY (recording_id, number);
ALTER TABLE recording_takes ADD CONSTRAINT recording_takes_pkey PRIMARY KEY (recording_id, number);
ALTER TABLE recordings ADD CONSTRAINT recordings_egress_id_key UNIQUE (egress_id);
ALTER TABLE recordings ADD CONSTRAINT recordings_pkey PRIMARY KEY (id);
ALTER TABLE registrations ADD CONSTRAINT registrations_event_id_email_key UNIQUE (event_id, email);
ALTER TABLE registrations ADD CONSTRAINT registrations_pkey PRIMARY KEY (id);
ALTER TABLE schema_functions ADD CONSTRAINT schema_functions_pkey PRIMARY KEY (id);
ALTER TABLE schema_migrations ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE sealing_checks ADD CONSTRAINT sealing_checks_pkey PRIMARY KEY (id);
ALTER TABLE stream_heads ADD CONSTRAINT stream_heads_pkey PRIMARY KEY (event_id, stream);
ALTER TABLE table_note_tokens ADD CONSTRAINT table_note_tokens_pkey PRIMARY KEY (token_hash);
ALTER TABLE table_summaries ADD CONSTRAINT table_summaries_pkey PRIMARY KEY (event_id, room_id);
ALTER TABLE transcript_segments ADD CONSTRAINT transcript_segments_pkey PRIMARY KEY (transcript_id, n);
ALTER TABLE transcripts ADD CONSTRAINT transcripts_pkey PRIMARY KEY (id);
ALTER TABLE transcripts ADD CONSTRAINT transcripts_recording_id_key UNIQUE (recording_id);
ALTER TABLE users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE users ADD CONSTRAINT users_workspace_id_external_sub_key UNIQUE (workspace_id, external_sub);
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);
ALTER TABLE workspace_letters ADD CONSTRAINT workspace_letters_pkey PRIMARY KEY (workspace_id);
ALTER TABLE workspace_members ADD CONSTRAINT workspace_members_account_id_workspace_id_key UNIQUE (account_id, workspace_id);
ALTER TABLE workspace_members ADD CONSTRAINT workspace_members_pkey PRIMARY KEY (id);
ALTER TABLE workspaces ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
ALTER TABLE workspaces ADD CONSTRAINT workspaces_slug_key UNIQUE (slug);
CREATE INDEX account_emails_account ON account_emails (account_id);
CREATE UNIQUE INDEX account_emails_one_primary ON account_emails (account_id) WHERE is_primary;
CREATE INDEX account_identities_account ON account_identities (account_id);
CREATE INDEX account_sessions_account ON account_sessions (account_id);
CREATE INDEX account_sessions_expiry ON account_sessions (expires_at);
CREATE INDEX account_tokens_account ON account_tokens (account_id);
CREATE INDEX account_tokens_email ON account_tokens (email_id);
CREATE INDEX account_tokens_expiry ON account_tokens (expires_at);
CREATE INDEX accounts_idle_check ON accounts (idle_check_at) WHERE (idle_check_at IS NOT NULL);
CREATE INDEX api_keys_created_by ON api_keys (created_by_key_id) WHERE (created_by_key_id IS NOT NULL);
CREATE INDEX api_keys_workspace ON api_keys (workspace_id, created_at DESC, id DESC);
CREATE INDEX attendances_user ON attendances (user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX audit_entries_page ON audit_entries (workspace_id, created_at DESC, id DESC);
CREATE INDEX broadcasts_encoders ON broadcasts (id) WHERE ((encoder IS NOT NULL) AND (status <> 'ended'::text));
CREATE INDEX broadcasts_event ON broadcasts (event_id);
CREATE INDEX broadcasts_recorder ON broadcasts (id) WHERE (recorder IS NOT NULL);
CREATE INDEX captions_time ON captions (event_id, t0);
CREATE INDEX chat_messages_guests ON chat_messages (event_id, participant_id) WHERE (participant_id ~~ 'guest:%'::text);
CREATE INDEX chat_messages_newest ON chat_messages (event_id, target, at DESC, id DESC);
CREATE INDEX clips_recording ON clips (recording_id, created_at);
CREATE INDEX entry_tokens_registration ON entry_tokens (registration_id);
CREATE INDEX erased_guests_at ON erased_guests (erased_at);
CREATE INDEX erasures_due ON erasures (due_at);
CREATE INDEX erasures_people ON erasures USING gin (participant_ids);
CREATE INDEX erasures_workspace ON erasures (workspace_id);
CREATE INDEX event_reminders_time ON event_reminders (scheduled_at);
CREATE INDEX event_reminders_turn ON event_reminders (kind, touched_at) WHERE (NOT done);
CREATE INDEX events_entries_unswept ON events (ended_at) WHERE ((ended_at IS NOT NULL) AND (NOT entries_swept));
CREATE INDEX events_live ON events (id) WHERE (status = 'live'::text);
CREATE INDEX events_page ON events (workspace_id, created_at DESC, id DESC);
CREATE INDEX events_to_remind ON events (scheduled_at) WHERE ((status = 'scheduled'::text) AND reminders);
CREATE INDEX guest_integrations_active ON guest_integrations (workspace_id, created_at DESC, id DESC) WHERE (revoked_at IS NULL);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
CREATE INDEX invites_created_by ON invites (created_by_account_id) WHERE (created_by_account_id IS NOT NULL);
CREATE INDEX invites_event ON invites (event_id);
CREATE UNIQUE INDEX invites_one_pending ON invites (workspace_id, COALESCE(event_id, workspace_id), email) WHERE ((status = 'pending'::text) AND (email IS NOT NULL));
CREATE INDEX invites_workspace ON invites (workspace_id, created_at DESC, id DESC);
CREATE INDEX live_commands_at_keyed ON live_commands (at) WHERE (scope ~~ 'key:%'::text);
CREATE INDEX live_commands_at_unkeyed ON live_commands (at) WHERE (scope !~~ 'key:%'::text);
CREATE INDEX mails_due ON mails (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX mails_kept ON mails (created_at) WHERE (due_at IS NULL);
CREATE INDEX mails_recipient ON mails (recipient, created_at DESC);
CREATE INDEX media_jobs_captures ON media_jobs (event_id, id) WHERE (kind = 'capture'::text);
CREATE UNIQUE INDEX media_jobs_clip ON media_jobs (clip_id, kind) WHERE (clip_id IS NOT NULL);
CREATE INDEX media_jobs_due ON media_jobs (due_at, id);
CREATE UNIQUE INDEX media_jobs_event ON media_jobs (event_id, kind) WHERE ((event_id IS NOT NULL) AND (kind <> 'capture'::text));
CREATE UNIQUE INDEX media_jobs_recording ON media_jobs (recording_id, kind) WHERE (recording_id IS NOT NULL);
CREATE INDEX memberships_page ON memberships (event_id, created_at DESC, id DESC);
CREATE INDEX memberships_user ON memberships (user_id);
CREATE INDEX outbox_messages_occurred ON outbox_messages (occurred_at);
CREATE INDEX outbox_messages_of_registrations ON outbox_messages (event_id) WHERE (type = ANY (ARRAY['registration.created'::text, 'registration.cancelled'::text]));
CREATE UNIQUE INDEX phases_one_active ON phases (event_id) WHERE (status = 'active'::text);
CREATE INDEX publications_at ON publications (at);
CREATE INDEX questions_author ON questions (author_user_id) WHERE (author_user_id IS NOT NULL);
CREATE INDEX questions_by_status ON questions (event_id, status, ((- votes)), created_at, id);
CREATE INDEX questions_guests ON questions (event_id, asker_id) WHERE (asker_id ~~ 'guest:%'::text);
CREATE INDEX questions_phase ON questions (phase_id) WHERE (phase_id IS NOT NULL);
CREATE INDEX rate_buckets_full_at ON rate_buckets (full_at);
CREATE INDEX recordings_captured ON recordings (event_id) WHERE ((source = 'livekit'::text) AND (status = 'processing'::text));
CREATE INDEX recordings_created ON recordings (created_at) WHERE (status = ANY (ARRAY['ready'::text, 'failed'::text]));
CREATE INDEX recordings_event ON recordings (event_id, created_at DESC, id DESC);
CREATE INDEX recordings_expiring ON recordings (upload_expires_at) WHERE (status = 'uploading'::text);
CREATE INDEX recordings_phase ON recordings (phase_id) WHERE (phase_id IS NOT NULL);
CREATE UNIQUE INDEX recordings_pushed ON recordings (broadcast_id) WHERE (source = 'broadcast'::text);
CREATE UNIQUE INDEX recordings_requests ON recordings (request_hash) WHERE (status = 'uploading'::text);
CREATE INDEX recordings_staged ON recordings (broadcast_id, id) WHERE (source = 'livekit'::text);
CREATE INDEX recordings_workspace ON recordings (workspace_id);
CREATE INDEX table_note_tokens_expiry ON table_note_tokens (expires_at);
CREATE INDEX table_note_tokens_recipient ON table_note_tokens (event_id, room_id, user_id);
CREATE INDEX transcript_segments_words ON transcript_segments USING gin (to_tsvector('simple'::regconfig, text));
CREATE INDEX transcripts_event ON transcripts (event_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX transcripts_of_events ON transcripts (event_id) WHERE (recording_id IS NULL);
CREATE INDEX users_account ON users (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX users_page ON users (workspace_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_first ON webhook_deliveries (endpoint_id, lane, seq) WHERE ((status = 'pending'::text) AND (attempts = 0));
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (endpoint_id, status, created_at);
CREATE INDEX webhook_deliveries_message ON webhook_deliveries (message_id);
CREATE INDEX webhook_deliveries_retry ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE ((status = 'pending'::text) AND (attempts > 0));
CREATE INDEX webhook_endpoints_page ON webhook_endpoints (workspace_id, created_at DESC, id DESC);
CREATE INDEX workspace_members_workspace ON workspace_members (workspace_id);
CREATE INDEX workspaces_deleted ON workspaces (id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX workspaces_founder ON workspaces (founder_account_id) WHERE (founder_account_id IS NOT NULL);
CREATE TRIGGER audit_entries_are_kept BEFORE UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_audit_deletion();
CREATE TRIGGER broadcasts_ended AFTER UPDATE OF status ON broadcasts FOR EACH ROW WHEN (((new.status = 'ended'::text) AND (old.status <> 'ended'::text))) EXECUTE FUNCTION record_broadcast();
CREATE TRIGGER captions_added AFTER INSERT ON captions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcribe_room_again();
CREATE TRIGGER captions_corrected AFTER UPDATE ON captions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcribe_room_again();
CREATE TRIGGER captions_replaced AFTER UPDATE ON captions REFERENCING OLD TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcribe_room_again();
CREATE TRIGGER clips_deleted AFTER DELETE ON clips REFERENCING OLD TABLE AS lost FOR EACH STATEMENT EXECUTE FUNCTION remove_media_bytes();
CREATE TRIGGER events_capacity BEFORE UPDATE OF capacity ON events FOR EACH ROW WHEN ((new.capacity IS DISTINCT FROM old.capacity)) EXECUTE FUNCTION refuse_lower_capacity();
CREATE TRIGGER events_ended AFTER UPDATE OF status ON events FOR EACH ROW WHEN (((new.status = 'ended'::text) AND (old.status <> 'ended'::text))) EXECUTE FUNCTION transcribe_event();
CREATE TRIGGER recording_derivations_deleted AFTER DELETE ON recording_derivations REFERENCING OLD TABLE AS lost FOR EACH STATEMENT EXECUTE FUNCTION remove_media_bytes();
CREATE TRIGGER recording_takes_deleted AFTER DELETE ON recording_takes REFERENCING OLD TABLE AS lost FOR EACH STATEMENT EXECUTE FUNCTION remove_take_bytes();
CREATE TRIGGER recordings_deleted AFTER DELETE ON recordings REFERENCING OLD TABLE AS lost FOR EACH STATEMENT EXECUTE FUNCTION remove_media_bytes();
CREATE TRIGGER registrations_added AFTER INSERT ON registrations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new_registrations();
CREATE TRIGGER registrations_lost AFTER DELETE ON registrations REFERENCING OLD TABLE AS lost FOR EACH STATEMENT EXECUTE FUNCTION count_lost_registrations();
ALTER TABLE account_emails ADD CONSTRAINT account_emails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE account_identities ADD CONSTRAINT account_identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE account_sessions ADD CONSTRAINT account_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE account_tokens ADD CONSTRAINT account_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE account_tokens ADD CONSTRAINT account_tokens_email_id_fkey FOREIGN KEY (email_id) REFERENCES account_emails(id) ON DELETE CASCADE;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_created_by_key_id_fkey FOREIGN KEY (created_by_key_id) REFERENCES api_keys(id) ON DELETE SET NULL;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE attendances ADD CONSTRAINT attendances_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE attendances ADD CONSTRAINT attendances_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE broadcast_ingests ADD CONSTRAINT broadcast_ingests_broadcast_id_fkey FOREIGN KEY (broadcast_id) REFERENCES broadcasts(id) ON DELETE CASCADE;
ALTER TABLE broadcasts ADD CONSTRAINT broadcasts_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE broadcasts ADD CONSTRAINT broadcasts_phase_id_fkey FOREIGN KEY (phase_id) REFERENCES phases(id) ON DELETE CASCADE;
ALTER TABLE captions ADD CONSTRAINT captions_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE chat_messages ADD CONSTRAINT chat_messages_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE clips ADD CONSTRAINT clips_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
ALTER TABLE entry_tokens ADD CONSTRAINT entry_tokens_registration_id_fkey FOREIGN KEY (registration_id) REFERENCES registrations(id) ON DELETE CASCADE;
ALTER TABLE erased_guests ADD CONSTRAINT erased_guests_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE erasures ADD CONSTRAINT erasures_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE event_reminders ADD CONSTRAINT event_reminders_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE event_summaries ADD CONSTRAINT event_summaries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE events ADD CONSTRAINT events_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE guest_integrations ADD CONSTRAINT guest_integrations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE invites ADD CONSTRAINT invites_created_by_account_id_fkey FOREIGN KEY (created_by_account_id) REFERENCES accounts(id) ON DELETE SET NULL;
ALTER TABLE invites ADD CONSTRAINT invites_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE invites ADD CONSTRAINT invites_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE letter_refusals ADD CONSTRAINT letter_refusals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE live_commands ADD CONSTRAINT live_commands_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE live_events ADD CONSTRAINT live_events_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE live_records ADD CONSTRAINT live_records_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE live_removals ADD CONSTRAINT live_removals_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE media_jobs ADD CONSTRAINT media_jobs_clip_id_fkey FOREIGN KEY (clip_id) REFERENCES clips(id) ON DELETE CASCADE;
ALTER TABLE media_jobs ADD CONSTRAINT media_jobs_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE media_jobs ADD CONSTRAINT media_jobs_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
ALTER TABLE memberships ADD CONSTRAINT memberships_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE memberships ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE phases ADD CONSTRAINT phases_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE present_participants ADD CONSTRAINT present_participants_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE publications ADD CONSTRAINT publications_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE question_votes ADD CONSTRAINT question_votes_question_id_fkey FOREIGN KEY (question_id) REFERENCES questions(id) ON DELETE CASCADE;
ALTER TABLE questions ADD CONSTRAINT questions_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE questions ADD CONSTRAINT questions_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE questions ADD CONSTRAINT questions_phase_id_fkey FOREIGN KEY (phase_id) REFERENCES phases(id) ON DELETE SET NULL;
ALTER TABLE recording_derivations ADD CONSTRAINT recording_derivations_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
ALTER TABLE recording_segments ADD CONSTRAINT recording_segments_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
ALTER TABLE recording_takes ADD CONSTRAINT recording_takes_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
ALTER TABLE recordings ADD CONSTRAINT recordings_broadcast_id_fkey FOREIGN KEY (broadcast_id) REFERENCES broadcasts(id) ON DELETE SET NULL;
ALTER TABLE recordings ADD CONSTRAINT recordings_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE recordings ADD CONSTRAINT recordings_phase_id_fkey FOREIGN KEY (phase_id) REFERENCES phases(id) ON DELETE SET NULL;
ALTER TABLE recordings ADD CONSTRAINT recordings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE registrations ADD CONSTRAINT registrations_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE stream_heads ADD CONSTRAINT stream_heads_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE table_note_tokens ADD CONSTRAINT table_note_tokens_event_id_room_id_fkey FOREIGN KEY (event_id, room_id) REFERENCES table_summaries(event_id, room_id) ON DELETE CASCADE;
ALTER TABLE table_summaries ADD CONSTRAINT table_summaries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE transcript_segments ADD CONSTRAINT transcript_segments_transcript_id_fkey FOREIGN KEY (transcript_id) REFERENCES transcripts(id) ON DELETE CASCADE;
ALTER TABLE transcripts ADD CONSTRAINT transcripts_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;
ALTER TABLE transcripts ADD CONSTRAINT transcripts_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES recordings(id) ON DELETE CASCADE;
ALTER TABLE users ADD CONSTRAINT users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL;
ALTER TABLE users ADD CONSTRAINT users_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE;
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_message_id_fkey FOREIGN KEY (message_id) REFERENCES outbox_messages(id) ON DELETE CASCADE;
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE workspace_letters ADD CONSTRAINT workspace_letters_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE workspace_members ADD CONSTRAINT workspace_members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE workspace_members ADD CONSTRAINT workspace_members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE workspaces ADD CONSTRAINT workspaces_founder_account_id_fkey FOREIGN KEY (founder_account_id) REFERENCES accounts(id) ON DELETE SET NULL;
