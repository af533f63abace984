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
  primary key (event_id, segment)
);
create index captions_time on captions (event_id, t0);

-- The transcript of the event itself; those of recordings have a recording.
create unique index transcripts_of_events on transcripts (event_id) where recording_id is null;

-- A summary that a person wrote is not replaced by a model's.
alter table event_summaries
  alter column speakers drop not null,
  add column source text not null default 'person' check (source in ('person', 'model'));

alter table media_jobs
  add column event_id uuid references events on delete cascade,
  drop constraint media_jobs_kind_check,
  add constraint media_jobs_kind_check check (kind in ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise'));
create unique index media_jobs_event on media_jobs (event_id, kind) where event_id is not null;
