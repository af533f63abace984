-- The state of live events. The actor of an event changes it through commit_live_event (functions/commit.sql), under the event's
-- fence. Sweeps delete old rows.

-- One row for each event whose actor has been active. `epoch` is the fencing token: an activation raises it. A commit carries the
-- fencing token of its activation, and changes nothing when another one has become the current one.
create table live_events (
  event_id uuid primary key references events on delete cascade,
  epoch bigint not null,
  node text not null,
  version bigint not null default 0,
  -- The fencing token whose commit made this version. An activation learns from it whether a commit of unknown outcome was its own.
  version_epoch bigint not null default 0,
  -- Identifies the unbroken sequence of the event's publications. Clients receive it as the epoch.
  history uuid not null
);

-- Answers of accepted commands. A repeated command id gets the stored answer and is not run again.
create table live_commands (
  event_id uuid not null references events on delete cascade,
  scope text not null,
  command_id text not null,
  body_hash text not null,
  reply jsonb not null,
  at timestamptz(3) not null,
  primary key (event_id, scope, command_id)
);
-- Answers of commands under an Idempotency-Key (scope "key:…") are kept for a day, as the key is. Other answers are kept for
-- minutes. Each kind has its own index, so that the sweep of one kind does not read entries of the other.
create index live_commands_at_unkeyed on live_commands (at) where scope not like 'key:%';
create index live_commands_at_keyed on live_commands (at) where scope like 'key:%';

-- Committed dispatches in the exact text that sockets receive. A publication is kept for as long as a client can be sent it
-- again, and then deleted.
create table publications (
  event_id uuid not null references events on delete cascade,
  stream text not null,
  s bigint not null,
  version bigint not null,
  frame text not null,
  -- The part of a publication that gateways act on (model/live/publication-fact.ts), beside the text that clients get.
  fact jsonb,
  at timestamptz(3) not null,
  primary key (event_id, stream, s)
);
create index publications_at on publications (at);

-- The last number of each stream whose publications have been deleted. The sweep that deletes publications writes it. The head
-- of a stream is the greater of this number and the number of the newest publication, so a commit writes nothing here. Rows stay
-- for as long as their event, because a number never names two dispatches, also not at an event that has ended.
create table stream_heads (
  event_id uuid not null references events on delete cascade,
  stream text not null,
  s bigint not null,
  primary key (event_id, stream)
);

-- The participants whose arrival was announced and whose departure was not: written in the transaction that announces them. The
-- next activation waits for them, after an orderly stop and after a crash alike, so that each stay has one joined and one left.
create table present_participants (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  -- As actors/presence/presence.ts has it.
  present jsonb not null,
  primary key (event_id, participant_id)
);

-- The people who were at an event: a row for each participant, written when they leave. People who are present are in
-- present_participants; a report takes both together.
create table attendances (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  -- Of the workspace's user; the row stays when the user is deleted.
  user_id uuid references users on delete set null,
  name text not null,
  role text not null,
  kind text not null,
  first_joined_at timestamptz(3) not null,
  last_left_at timestamptz(3) not null,
  -- All stays together, and their number. A reconnect within the grace is the same stay.
  attended_ms bigint not null,
  stays integer not null,
  primary key (event_id, participant_id)
);
create index attendances_user on attendances (user_id) where user_id is not null;

-- Participants whom a host removed. A removal holds until a host restores the participant.
create table live_removals (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  at timestamptz(3) not null,
  primary key (event_id, participant_id)
);

-- Guests whose sessions of before their erasure do not count any more. A session is not stored, and lasts for two hours.
create table erased_guests (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  erased_at timestamptz(3) not null,
  primary key (event_id, participant_id)
);
create index erased_guests_at on erased_guests (erased_at);

-- The records that a live event keeps besides its agenda. Only the event's actor reads them, by kind and id. Questions, votes,
-- chat and broadcasts have tables of their own, because other parts of the server read them.
create table live_records (
  event_id uuid not null references events on delete cascade,
  kind text not null,
  id text not null,
  -- The body is read by the schema of its kind and this version (model/live/live-records.ts).
  version smallint not null default 1,
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
-- What a guest wrote is looked for at many events. Only the rows of guests are in this index, so that it costs others nothing.
create index chat_messages_guests on chat_messages (event_id, participant_id) where participant_id like 'guest:%';

-- Questions of an event's audience. `votes` is the number of the question's rows in question_votes. The event's actor counts the
-- votes and writes the number with them, so that a list sorted by votes reads one index.
create table questions (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  phase_id uuid references phases on delete set null,
  room_id uuid,
  text text not null,
  status text not null check (status in ('pending', 'approved', 'answered', 'hidden')),
  -- A participant id. Null for an anonymous question.
  asker_id text,
  author_user_id uuid references users on delete set null,
  author_name text,
  anonymous boolean not null,
  pinned boolean not null default false,
  answer text,
  answer_mode text check (answer_mode in ('live', 'text')),
  votes integer not null default 0 check (votes >= 0),
  rev integer not null default 1,
  created_at timestamptz(3) not null,
  answered_at timestamptz(3),
  -- The author of an anonymous question is not stored.
  check (not anonymous or (author_user_id is null and author_name is null)),
  constraint questions_anonymous_asker check (not anonymous or asker_id is null),
  -- A hidden question keeps its answer and the time of it, and has both again when it is shown again.
  constraint questions_answered check (status = 'hidden' or (status = 'answered') = (answered_at is not null))
);
-- Moderators ask for the questions that wait: few among very many. Each status has a stretch of the index of its own, as deliveries
-- of webhooks have; a list of all takes the first of each.
create index questions_by_status on questions (event_id, status, (-votes), created_at, id);
-- Deleting a user clears `author_user_id`, and removing a phase `phase_id`. Without the indexes each deletion reads the whole table.
create index questions_author on questions (author_user_id) where author_user_id is not null;
create index questions_phase on questions (phase_id) where phase_id is not null;
create index questions_guests on questions (event_id, asker_id) where asker_id like 'guest:%';

-- `voter` is a participant id: a user's id, or an id with the prefix guest:, reg: or anon:.
create table question_votes (
  question_id uuid not null references questions on delete cascade,
  voter text not null,
  created_at timestamptz(3) not null default now(),
  primary key (question_id, voter)
);
