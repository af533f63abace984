-- Broadcasts that encoders push to this server. What comes is a recording from its first moment: its takes are files, its segments
-- are stretches of them.
alter table recordings
  add column broadcast_id uuid unique references broadcasts on delete set null;

-- The address that the encoder pushes to. A new one takes the place of the one before.
create table broadcast_ingests (
  broadcast_id uuid primary key references broadcasts on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz(3) not null default now()
);

-- What one description of a stream (`ftyp` and `moov`) goes with. The file begins with it.
create table recording_takes (
  recording_id uuid not null references recordings on delete cascade,
  number integer not null,
  identity text not null,
  init bytea not null,
  storage_key text not null,
  primary key (recording_id, number)
);

-- Times are in milliseconds of the broadcast. A segment that was not stored, because there was no room, has no bytes.
create table recording_segments (
  recording_id uuid not null references recordings on delete cascade,
  number integer not null,
  take integer not null,
  file_offset bigint not null,
  bytes integer not null,
  start_ms integer not null,
  duration_ms integer not null,
  is_discontinuous boolean not null,
  at timestamptz(3) not null,
  primary key (recording_id, number)
);

-- `record`: a broadcast has ended, and its recording is to be made ready.
alter table media_jobs drop constraint media_jobs_kind_check;
alter table media_jobs add constraint media_jobs_kind_check check (kind in ('inspect', 'cut', 'remove', 'record'));
