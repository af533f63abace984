-- What a live event keeps besides its agenda. Questions, votes, chat and broadcasts have tables of their own, because others
-- read them; all the rest is found by kind and id, by its actor alone. Who changes any of it holds the event's fence.

create table live_records (
  event_id uuid not null references events on delete cascade,
  kind text not null,
  id text not null,
  body jsonb not null,
  primary key (event_id, kind, id)
);

create table chat_messages (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  -- `event`, `staff`, or `room:` and the room's id.
  target text not null,
  participant_id text not null,
  name text not null,
  role text not null,
  text text not null,
  reply_to uuid,
  at timestamptz(3) not null
);
create index chat_messages_newest on chat_messages (event_id, target, at desc, id desc);

alter table questions
  add column rev integer not null default 1,
  add column room_id uuid,
  add column answer_mode text check (answer_mode in ('live', 'text')),
  -- A participant id; null for who asked anonymously.
  add column asker_id text,
  add constraint questions_anonymous_asker check (not anonymous or asker_id is null);

-- The event's actor counts the votes and writes the tally with them.
drop function set_vote(uuid, text, boolean);

-- A batch of commands is one commit, which may be several versions on.
drop function fence_live_event(uuid, bigint, bigint);
create function fence_live_event(of_event uuid, of_epoch bigint, from_version bigint, to_version bigint)
returns void language plpgsql as $$
begin
  update live_events set version = to_version, version_epoch = of_epoch
   where event_id = of_event and epoch = of_epoch and version = from_version;
  if not found then
    raise exception 'another activation owns this live event' using errcode = 'GC001';
  end if;
end $$;

create function write_questions(of_event uuid, changed jsonb) returns void language sql as $$
  insert into questions (id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, pinned, answer,
                         votes, created_at, answered_at, rev, room_id, answer_mode, asker_id)
  -- The author's account may have been deleted since the question was read.
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

create function write_votes(changed jsonb) returns void language plpgsql as $$
begin
  insert into question_votes (question_id, voter)
  select v.question_id, v.voter from jsonb_to_recordset(changed) as v(question_id uuid, voter text, is_on boolean)
   where v.is_on on conflict do nothing;
  delete from question_votes q using jsonb_to_recordset(changed) as v(question_id uuid, voter text, is_on boolean)
   where not v.is_on and q.question_id = v.question_id and q.voter = v.voter;
end $$;

create function write_chat(of_event uuid, sent jsonb) returns void language sql as $$
  insert into chat_messages (id, event_id, target, participant_id, name, role, text, reply_to, at)
  select c.id, of_event, c.target, c.participant_id, c.name, c.role, c.text, c.reply_to, c.at
    from jsonb_to_recordset(sent)
         as c(id uuid, target text, participant_id text, name text, role text, text text, reply_to uuid, at timestamptz)
$$;

create function write_broadcasts(of_event uuid, changed jsonb) returns void language sql as $$
  insert into broadcasts (id, event_id, phase_id, status, playback_url, started_at)
  select b.id, of_event, b.phase_id, b.status, b.playback_url, b.started_at
    from jsonb_to_recordset(changed)
         as b(id uuid, phase_id uuid, status text, playback_url text, started_at timestamptz)
  on conflict (phase_id) do update set status = excluded.status, playback_url = excluded.playback_url,
         started_at = excluded.started_at, updated_at = now()
$$;

create function write_memberships(of_event uuid, given jsonb) returns void language sql as $$
  insert into memberships (id, event_id, user_id, role)
  select new_id(), of_event, u.id, m.role
    from jsonb_to_recordset(given) as m(user_id uuid, role text) join users u on u.id = m.user_id
  on conflict (event_id, user_id) do update set role = excluded.role
$$;

create function write_records(of_event uuid, changed jsonb) returns void language sql as $$
  insert into live_records (event_id, kind, id, body)
  select of_event, r.kind, r.id, r.body from jsonb_to_recordset(changed) as r(kind text, id text, body jsonb)
  on conflict (event_id, kind, id) do update set body = excluded.body
$$;

create function drop_records(of_event uuid, gone jsonb) returns void language sql as $$
  delete from live_records l using jsonb_to_recordset(gone) as r(kind text, id text)
   where l.event_id = of_event and l.kind = r.kind and l.id = r.id
$$;

-- All that commands changed of the activities; every part may be absent.
create function write_activities(of_event uuid, written jsonb) returns void language plpgsql as $$
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
  if written ? 'memberships' then perform write_memberships(of_event, written->'memberships'); end if;
  if written ? 'records' then perform write_records(of_event, written->'records'); end if;
  if written ? 'gone' then perform drop_records(of_event, written->'gone'); end if;
end $$;

-- As before, for a batch: `commands` are its accepted commands, publications say which version they came with. Returns the
-- deliveries stored.
drop function commit_live_event(uuid, bigint, bigint, timestamptz, jsonb);
create function commit_live_event(of_event uuid, of_epoch bigint, from_version bigint, to_version bigint,
                                  at_time timestamptz, written jsonb)
returns integer language plpgsql as $$
declare deliveries integer := 0;
begin
  perform fence_live_event(of_event, of_epoch, from_version, to_version);
  if written ? 'event' then perform update_event(written->'event'); end if;
  if written ? 'settling' then perform upsert_phases(written->'settling'); end if;
  if written ? 'opening' then perform upsert_phases(written->'opening'); end if;
  if written ? 'activities' then perform write_activities(of_event, written->'activities'); end if;
  if written ? 'publications' then
    insert into publications (event_id, stream, s, version, frame, at)
    select of_event, p.stream, p.s, p.version, p.frame, at_time
      from jsonb_to_recordset(written->'publications') as p(stream text, s bigint, version bigint, frame text);
  end if;
  if written ? 'commands' then
    insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
    select of_event, c.scope, c.command_id, c.body_hash, c.reply, at_time
      from jsonb_to_recordset(written->'commands') as c(scope text, command_id text, body_hash text, reply jsonb);
  end if;
  if written ? 'removed' then
    insert into live_removals (event_id, participant_id, at)
    select of_event, participant_id, at_time from jsonb_array_elements_text(written->'removed') as r(participant_id)
    on conflict do nothing;
  end if;
  if written ? 'occurrences' then deliveries := append_occurrences(written->'occurrences'); end if;
  if written ? 'deleted' then delete from events where id = of_event; end if;
  return deliveries;
end $$;
