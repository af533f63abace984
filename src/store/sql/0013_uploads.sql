-- The id of an upload at a storage that takes bytes itself (S3). Without it the bytes come through this server.
alter table recordings add column upload_id text;

-- `move`: the files of a broadcast's recording are taken to where recordings are kept.
alter table media_jobs drop constraint media_jobs_kind_check;
alter table media_jobs add constraint media_jobs_kind_check
  check (kind in ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise', 'move'));

-- Recordings that are kept long enough are found by their age.
create index recordings_created on recordings (created_at) where status in ('ready', 'failed');
