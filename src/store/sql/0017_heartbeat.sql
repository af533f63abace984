-- A server proves once a second that it can write. The heartbeat's row is logged, so its commit must reach the disk; the
-- probe takes a new page of the disk each time, because a change within pages that are there already succeeds on a full one.
-- Probes are unlogged, so that they cost no write-ahead log, and are truncated once a minute.
create table heartbeats (
  id boolean primary key default true check (id),
  at timestamptz(3) not null
);
create unlogged table disk_probes (filler text not null);
alter table disk_probes alter column filler set storage plain;
