-- The bytes of recordings, and the jobs that inspect and remove them. Addresses of media are signed for each answer, not stored.
alter table recordings
  drop column playback_url,
  drop column download_url,
  add column workspace_id uuid references workspaces on delete cascade,
  add column source text not null default 'upload' check (source in ('upload', 'livekit', 'broadcast')),
  add column room_id text,
  -- As the upload announced it; once it is complete, as it was measured.
  add column size_bytes bigint,
  add column storage_key text,
  -- Of an upload that goes on: the bytes that are stored.
  add column uploaded_bytes bigint not null default 0,
  add column upload_expires_at timestamptz(3),
  add column content_type text,
  add column container text,
  add column codecs text[],
  add column width integer,
  add column height integer,
  add column sha256 bytea,
  -- As the client said when it completed the upload.
  add column expected_sha256 bytea,
  -- `{code, detail}` of a failed one.
  add column failure jsonb;
update recordings r set workspace_id = (select e.workspace_id from events e where e.id = r.event_id);
alter table recordings alter column workspace_id set not null;
create index recordings_workspace on recordings (workspace_id);
create index recordings_expiring on recordings (upload_expires_at) where status = 'uploading';
alter table clips
  drop column playback_url,
  -- Nothing from outside of the wanted range is kept; it may begin later and end earlier.
  add column inside boolean not null default false,
  add column storage_key text,
  -- Its share of the recording until it is cut, then as measured.
  add column size_bytes bigint,
  add column content_type text,
  add column sha256 bytea,
  -- Where it really begins and ends in the recording: pictures are cut at key frames.
  add column actual_start_ms integer,
  add column actual_end_ms integer,
  add column failure jsonb;

-- Work on stored bytes, beside the request that asked for it. A job belongs to one process while its lease lasts.
create table media_jobs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('inspect', 'cut', 'remove')),
  recording_id uuid references recordings on delete cascade,
  clip_id uuid references clips on delete cascade,
  -- For `remove`: the row of the bytes may be gone.
  storage_key text,
  attempts integer not null default 0,
  due_at timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default now()
);
create index media_jobs_due on media_jobs (due_at, id);
create unique index media_jobs_recording on media_jobs (recording_id, kind) where recording_id is not null;
create unique index media_jobs_clip on media_jobs (clip_id, kind) where clip_id is not null;

-- A transcript belongs to a recording or, where there is none, to the event itself.
alter table transcripts
  drop column url,
  alter column recording_id drop not null,
  add column event_id uuid references events on delete cascade,
  -- The words of all segments are counted for the recap.
  add column source text not null default 'upload' check (source in ('upload', 'captions'));
update transcripts t set event_id = (select r.event_id from recordings r where r.id = t.recording_id);
alter table transcripts alter column event_id set not null;
create index transcripts_event on transcripts (event_id, created_at desc, id desc);

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
