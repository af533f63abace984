-- Turns of workspaces in the work on stored bytes. A trigger writes whose work a job is, also for a node of the release before.
-- Zeros: of no workspace, as the removal of bytes is.
alter table media_jobs add column workspace_id uuid not null default '00000000-0000-0000-0000-000000000000';
update media_jobs j set workspace_id = r.workspace_id from recordings r where r.id = j.recording_id;
update media_jobs j set workspace_id = r.workspace_id
  from clips c join recordings r on r.id = c.recording_id where c.id = j.clip_id;
update media_jobs j set workspace_id = e.workspace_id from events e where e.id = j.event_id;
create index media_jobs_turns on media_jobs (kind, workspace_id, due_at, id);
-- A row for each workspace that lately had work done in a lane. Both numbers are milliseconds of the lane's own time, which is the largest
-- `started`: work of a workspace begins there, or where its last work ended, whichever is later.
create table media_turns (
  lane text not null,
  workspace_id uuid not null,
  started double precision not null,
  ended double precision not null,
  -- Milliseconds of work, of which half is forgotten every half an hour.
  spent_ms double precision not null default 0,
  spent_at timestamptz(3) not null default now(),
  primary key (lane, workspace_id)
);
create index media_turns_time on media_turns (lane, started);
