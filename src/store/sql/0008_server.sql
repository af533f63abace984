-- The server's own tables: answers of repeated requests, the check of the sealing key, and the heartbeat.

-- Answers of POST requests under the caller's own key, kept for a day. The transaction that does the work writes the answer, so a
-- key has a row exactly when its work is done. A request whose process ended in the middle leaves no row, and a repeat does the
-- work anew. Answers may hold a secret that is shown once, so they are sealed.
create table idempotency_keys (
  principal text not null,
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  status integer not null,
  answer_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (principal, method, path, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- One sealed row. It opens only under the key that sealed all other data, so it shows whether the configured key is that key.
create table sealing_checks (
  id boolean primary key default true check (id),
  sealed bytea not null
);

-- A server proves once a second that it can write. The row of the heartbeat is logged, so its commit must reach the disk.
create table heartbeats (
  id boolean primary key default true check (id),
  at timestamptz(3) not null
);

-- A probe takes a new page of the disk each time, because a change within existing pages succeeds on a full disk. The table is
-- unlogged, so that probes cost no write-ahead log, and is truncated once a minute. Plain storage keeps the filler uncompressed
-- and in the row.
create unlogged table disk_probes (filler text not null);
alter table disk_probes alter column filler set storage plain;
