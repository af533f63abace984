-- The limits that all nodes count together: token buckets, each as the time at which it is full again. Unlogged: they may begin
-- anew after a crash of the database, and cost no write-ahead log. Keys are hashes, because they name people.
create unlogged table rate_buckets (
  key bytea primary key,
  full_at timestamptz not null
);
create index rate_buckets_full_at on rate_buckets (full_at);
