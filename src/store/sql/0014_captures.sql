-- Recordings that the media server makes of its rooms.
alter table recordings
  -- The media server's name of the room; null once it has to end.
  add column egress_room text,
  -- The media server's id of the recording; null until it has begun.
  add column egress_id text unique,
  -- The media server has ended it, well or not.
  add column egress_ended boolean not null default false;
create index recordings_captured on recordings (event_id) where source = 'livekit' and status = 'processing';

-- `capture`: the rooms that have to be recorded from now on. The newest of an event counts.
alter table media_jobs
  add column captured jsonb,
  drop constraint media_jobs_kind_check,
  add constraint media_jobs_kind_check
    check (kind in ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise', 'move', 'capture'));
drop index media_jobs_event;
create unique index media_jobs_event on media_jobs (event_id, kind) where event_id is not null and kind <> 'capture';
create index media_jobs_captures on media_jobs (event_id, id) where kind = 'capture';
