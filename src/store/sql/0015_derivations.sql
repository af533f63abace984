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

-- `derive`: a recording has become ready.
alter table media_jobs
  drop constraint media_jobs_kind_check,
  add constraint media_jobs_kind_check
    check (kind in ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise', 'move', 'capture', 'derive'));
