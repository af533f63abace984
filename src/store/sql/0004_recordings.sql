-- Recordings of events and the material made from them. The public surfaces read these tables.

create table recordings (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  phase_id uuid references phases on delete set null,
  kind text not null,
  title text,
  status text not null check (status in ('uploading', 'processing', 'ready', 'failed')),
  duration_ms integer,
  playback_url text,
  download_url text,
  created_at timestamptz(3) not null default now()
);
create index recordings_event on recordings (event_id, created_at desc, id desc);

create table transcripts (
  id uuid primary key,
  recording_id uuid not null unique references recordings on delete cascade,
  status text not null check (status in ('processing', 'ready', 'failed')),
  url text,
  created_at timestamptz(3) not null default now()
);

create table clips (
  id uuid primary key,
  recording_id uuid not null references recordings on delete cascade,
  title text,
  status text not null check (status in ('processing', 'ready', 'failed')),
  start_ms integer not null,
  end_ms integer not null,
  playback_url text,
  created_at timestamptz(3) not null default now(),
  check (end_ms > start_ms)
);
create index clips_recording on clips (recording_id, created_at);

create table event_summaries (
  event_id uuid primary key references events on delete cascade,
  text text not null,
  speakers jsonb not null,
  created_at timestamptz(3) not null default now()
);

-- The notes of one table (room) of an event.
create table table_summaries (
  event_id uuid not null references events on delete cascade,
  room_id text not null,
  content jsonb not null,
  generated_at timestamptz(3) not null,
  primary key (event_id, room_id)
);

-- Permissions to read the notes of a table. A token is bound to its event, room and recipient.
create table table_note_tokens (
  token_hash bytea primary key,
  event_id uuid not null,
  room_id text not null,
  user_id text not null,
  name text,
  expires_at timestamptz(3) not null,
  foreign key (event_id, room_id) references table_summaries on delete cascade
);
create index table_note_tokens_recipient on table_note_tokens (event_id, room_id, user_id);
create index table_note_tokens_expiry on table_note_tokens (expires_at);
