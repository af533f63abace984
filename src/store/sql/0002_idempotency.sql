-- Answers of POST requests under the caller's own key, kept for a day. While one is being worked on, `status` is null and
-- the row is held until `held_until`, so that a process that died in the middle does not block the key for a day.
-- Answers may hold a secret that is shown once: they are sealed.
create table idempotency_keys (
  principal text not null,
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  status integer,
  answer_sealed bytea,
  created_at timestamptz(3) not null default now(),
  held_until timestamptz(3) not null,
  primary key (principal, method, path, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
