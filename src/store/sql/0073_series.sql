-- Series of events by a rule of RFC 5545. The events are made at once, and are ordinary ones; nodes of the previous release keep their
-- series as it is.
create table series (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  rrule text not null,
  time_zone text not null,
  created_at timestamptz(3) not null default now()
);
create index series_page on series (workspace_id, created_at desc, id desc);

alter table events add column series_id uuid references series on delete set null;
create index events_of_series on events (series_id) where series_id is not null;
