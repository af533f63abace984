-- Recordings of events, the material made from them, and the jobs that make and remove it. Addresses of media are signed for each
-- answer, not stored. The public surfaces read these tables.

create table recordings (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  phase_id uuid references phases on delete set null,
  kind text not null,
  title text,
  status text not null check (status in ('uploading', 'processing', 'ready', 'failed')),
  duration_ms integer,
  created_at timestamptz(3) not null default now(),
  workspace_id uuid not null references workspaces on delete cascade,
  source text not null default 'upload' check (source in ('upload', 'livekit', 'broadcast')),
  room_id text,
  -- As the upload announced it; once it is complete, as it was measured.
  size_bytes bigint,
  storage_key text,
  -- Of an upload that goes on: the bytes that are stored.
  uploaded_bytes bigint not null default 0,
  upload_expires_at timestamptz(3),
  content_type text,
  container text,
  codecs text[],
  width integer,
  height integer,
  sha256 bytea,
  -- As the client said when it completed the upload.
  expected_sha256 bytea,
  -- `{code, detail}` of a failed one.
  failure jsonb,
  -- What an encoder pushes is one recording from its first moment. Of a broadcast by the media server each stretch between two
  -- pauses is one.
  broadcast_id uuid references broadcasts on delete set null,
  -- The id of an upload at a storage that takes bytes itself (S3). Without it the bytes come through this server.
  upload_id text,
  -- The media server's name of the room that it records; null once the recording has to end.
  egress_room text,
  -- The media server's id of the recording; null until it has begun.
  egress_id text unique,
  -- The media server has ended it, well or not.
  egress_ended boolean not null default false,
  -- Of a recording that was begun under an Idempotency-Key: the hash of the request, by which a repeat finds it while it is uploaded.
  request_hash text,
  -- When the media server began to record a room: it puts the captions of that time on the recording's clock.
  began_at timestamptz(3),
  -- Which take of its broadcast, from 0; null: none of its segments was shown.
  stage_take bigint,
  -- The number of its first segment in the broadcast.
  stage_first bigint
);
create index recordings_event on recordings (event_id, created_at desc, id desc);
create index recordings_workspace on recordings (workspace_id);
create index recordings_expiring on recordings (upload_expires_at) where status = 'uploading';
-- Recordings that are kept long enough are found by their age.
create index recordings_created on recordings (created_at) where status in ('ready', 'failed');
create index recordings_captured on recordings (event_id) where source = 'livekit' and status = 'processing';
create unique index recordings_pushed on recordings (broadcast_id) where source = 'broadcast';
create index recordings_staged on recordings (broadcast_id, id) where source = 'livekit';
create unique index recordings_requests on recordings (request_hash) where status = 'uploading';
-- Removing a phase clears `phase_id`. Without the index each removal reads the whole table.
create index recordings_phase on recordings (phase_id) where phase_id is not null;

-- What one description of a stream (`ftyp` and `moov`) goes with. The file begins with it.
create table recording_takes (
  recording_id uuid not null references recordings on delete cascade,
  number integer not null,
  identity text not null,
  init bytea not null,
  storage_key text not null,
  primary key (recording_id, number)
);

-- Stretches of the takes. Times are in milliseconds of the broadcast. A segment that was not stored, because there was no room, has
-- no bytes.
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

-- Files that are made from a recording once it is ready: a picture of it, and the shape of its sound.
create table recording_derivations (
  id uuid primary key,
  recording_id uuid not null references recordings on delete cascade,
  kind text not null check (kind in ('thumbnail', 'waveform')),
  storage_key text not null,
  size_bytes bigint not null,
  content_type text not null,
  created_at timestamptz(3) not null default now(),
  unique (recording_id, kind)
);

create table clips (
  id uuid primary key,
  recording_id uuid not null references recordings on delete cascade,
  title text,
  status text not null check (status in ('processing', 'ready', 'failed')),
  start_ms integer not null,
  end_ms integer not null,
  created_at timestamptz(3) not null default now(),
  -- Nothing from outside of the wanted range is kept; it may begin later and end earlier.
  inside boolean not null default false,
  storage_key text,
  -- Its share of the recording until it is cut, then as measured.
  size_bytes bigint,
  content_type text,
  sha256 bytea,
  -- Where it really begins and ends in the recording: pictures are cut at key frames.
  actual_start_ms integer,
  actual_end_ms integer,
  failure jsonb,
  check (end_ms > start_ms)
);
create index clips_recording on clips (recording_id, created_at);

-- Work on stored bytes, beside the request that asked for it. A job belongs to one process while its lease lasts.
create table media_jobs (
  id bigint generated always as identity primary key,
  -- `record`: a broadcast has ended, and its recording is to be made ready. `move`: the files of a broadcast's recording are taken to
  -- where recordings are kept. `capture`: the rooms that have to be recorded from now on; the newest of an event counts. `derive`: a
  -- recording has become ready. `retranscribe`: captions of a room came after its recording had its transcript.
  kind text not null check (kind in ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise', 'move', 'capture', 'derive', 'retranscribe')),
  recording_id uuid references recordings on delete cascade,
  clip_id uuid references clips on delete cascade,
  -- For `remove`: the row of the bytes may be gone.
  storage_key text,
  attempts integer not null default 0,
  due_at timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default now(),
  event_id uuid references events on delete cascade,
  captured jsonb
);
create index media_jobs_due on media_jobs (due_at, id);
create unique index media_jobs_recording on media_jobs (recording_id, kind) where recording_id is not null;
create unique index media_jobs_clip on media_jobs (clip_id, kind) where clip_id is not null;
create unique index media_jobs_event on media_jobs (event_id, kind) where event_id is not null and kind <> 'capture';
create index media_jobs_captures on media_jobs (event_id, id) where kind = 'capture';
