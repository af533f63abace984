-- The server's own tables: answers of repeated requests, keys, limits, nodes and probes.

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

-- Keys of hashes that the database keeps: pseudonyms of anonymous participants, and addresses that refuse letters. They are sealed
-- under the configured key and stay the same when that one is replaced. Each name has one row.
create table kept_keys (
  name text primary key check (name in ('pseudonyms', 'letter-refusals')),
  sealed bytea not null
);

-- The limits that all nodes count together: token buckets, each as the time at which it is full again. Unlogged: they may begin
-- anew after a crash of the database, and cost no write-ahead log. Keys are hashes, because they name people.
create unlogged table rate_buckets (
  key bytea primary key,
  full_at timestamptz not null
);
create index rate_buckets_full_at on rate_buckets (full_at);

-- The nodes that share this database. A node lives for as long as a session holds the advisory lock of its row, so a row may be
-- older than its node's end. The id is the node's for one life: a node that registers again gets another one.
create table cluster_nodes (
  id integer generated always as identity primary key,
  -- `host:port` by which the other nodes reach it.
  address text not null unique,
  -- Its name in presence and owner rows; another one after each start.
  node text not null,
  -- The cluster engine's own description of it.
  runner text not null,
  registered_at timestamptz(3) not null default now()
);

-- A server proves that it can write. A probe takes a new page of the disk each time, because a change within existing pages succeeds
-- on a full disk. The table is unlogged, so that probes cost no write-ahead log, and is truncated once a minute. Plain storage keeps
-- the filler uncompressed and in the row.
create unlogged table disk_probes (filler text not null);
alter table disk_probes alter column filler set storage plain;
