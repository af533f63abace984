-- What was said at events: captions, transcripts and summaries.

-- Final captions as they were pushed live, by the recogniser's own ids. They become the event's transcript when it ends.
create table captions (
  event_id uuid not null references events on delete cascade,
  segment text not null,
  -- Milliseconds since the event's start.
  t0 integer not null,
  t1 integer not null,
  speaker text not null,
  lang text not null,
  text text not null,
  -- Captions of a breakout's or rotation's room are for the people there: they are in no transcript of the event.
  room_id text,
  primary key (event_id, segment)
);
create index captions_time on captions (event_id, t0);

-- A transcript belongs to a recording or, where there is none, to the event itself.
create table transcripts (
  id uuid primary key,
  recording_id uuid unique references recordings on delete cascade,
  status text not null check (status in ('processing', 'ready', 'failed')),
  created_at timestamptz(3) not null default now(),
  event_id uuid not null references events on delete cascade,
  source text not null default 'upload' check (source in ('upload', 'captions')),
  -- Words and seconds of each speaker, most words first, as the recap shows them. They are counted when a transcript is written: a
  -- recap is read by many, and a long transcript has fifty thousand segments.
  speakers jsonb not null default '[]'
);
create index transcripts_event on transcripts (event_id, created_at desc, id desc);
create unique index transcripts_of_events on transcripts (event_id) where recording_id is null;

-- Times are in milliseconds from the recording's start.
create table transcript_segments (
  transcript_id uuid not null references transcripts on delete cascade,
  n integer not null,
  t0 integer not null,
  t1 integer not null,
  speaker text not null,
  lang text not null,
  text text not null,
  primary key (transcript_id, n)
);
-- `simple` knows no language: words are found as they were said.
create index transcript_segments_words on transcript_segments using gin (to_tsvector('simple', text));

create table event_summaries (
  event_id uuid primary key references events on delete cascade,
  text text not null,
  speakers jsonb,
  created_at timestamptz(3) not null default now(),
  -- A summary that a person wrote is not replaced by a model's.
  source text not null default 'person' check (source in ('person', 'model'))
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
