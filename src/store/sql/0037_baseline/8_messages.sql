-- What is sent to others: webhooks (endpoints, webhook events and deliveries) and letters (the outgoing mail, the daily count of each
-- workspace, and refusals).

create table webhook_endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  url text not null,
  event_types text[] not null,
  secret_sealed bytea not null,
  -- A replaced secret signs beside its successor until this time.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz(3),
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text,
  created_at timestamptz(3) not null default now(),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  -- The start of the current unbroken series of failures.
  failing_since timestamptz(3)
);
create index webhook_endpoints_page on webhook_endpoints (workspace_id, created_at desc, id desc);

-- Webhook events, in the exact text that receivers get. `event_id` is no foreign key, because the last webhook events of a
-- deleted event are still sent, and is null for a ping. `workspace_id` is no foreign key either: the table has no index by
-- workspace, so deleting a workspace would read all rows. The rows of deleted events and workspaces are swept after thirty days.
create table outbox_messages (
  id uuid primary key,
  workspace_id uuid not null,
  event_id uuid,
  type text not null,
  body text not null,
  occurred_at timestamptz(3) not null
);
create index outbox_messages_occurred on outbox_messages (occurred_at);
-- An erasure finds the webhook events that name people here.
create index outbox_messages_of_registrations on outbox_messages (event_id)
  where type in ('registration.created', 'registration.cancelled');

-- One row for each webhook event and endpoint. First tries of one event are made in the order of `seq`, which is the order of
-- commit within an event. Deliveries of one lane are made one by one. An event always has the same lane, and an endpoint has 16
-- lanes, so finding the next delivery never reads a backlog. A delivery of a ping carries the id of its endpoint as `event_id`,
-- which gives it a lane. A claim sets `claimed_by` and a lease: if the process of the claim ends, the delivery falls due by itself.
create table webhook_deliveries (
  id uuid primary key,
  seq bigint generated always as identity,
  message_id uuid not null references outbox_messages on delete cascade,
  endpoint_id uuid not null references webhook_endpoints on delete cascade,
  event_id uuid not null,
  lane smallint not null generated always as (get_byte(uuid_send(event_id), 15) & 15) stored,
  -- `skipped`: not sent, because the endpoint was disabled.
  status text not null default 'pending' check (status in ('pending', 'delivered', 'rejected', 'exhausted', 'skipped')),
  -- The number of answered tries.
  attempts integer not null default 0,
  -- One entry for each answered try, oldest first. The entries are part of the row, so that a try costs no statement and no
  -- index of its own.
  history jsonb not null default '[]',
  -- Of a retry. A claim moves it to the end of its lease.
  next_attempt_at timestamptz(3),
  claimed_by text,
  last_status integer,
  last_error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  -- The end of the lease of a claimed first try, in a column without an index: a claim then changes no index, and fits into the page
  -- of its row (a heap-only tuple).
  claimed_until timestamptz(3)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 70);
create index webhook_deliveries_first on webhook_deliveries (endpoint_id, lane, seq) where status = 'pending' and attempts = 0;
create index webhook_deliveries_retry on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending' and attempts > 0;
-- One index serves lists with and without a status, waiting deliveries of disabled endpoints, and deletions of endpoints.
create index webhook_deliveries_listed on webhook_deliveries (endpoint_id, status, created_at);
create index webhook_deliveries_message on webhook_deliveries (message_id);

-- Outgoing mail. The transaction that causes a letter writes it, and it is deleted once it is sent. Letters hold one-time
-- links, so their content is sealed. On a server without mail `due_at` is null, and the letters are the development outbox.
create table mails (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  content_sealed bytea not null,
  attempts integer not null default 0,
  due_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_recipient on mails (recipient, created_at desc);
-- The sweep of the development outbox.
create index mails_kept on mails (created_at) where due_at is null;

-- The number of letters that a workspace had sent to addresses of its choice, on the last day (UTC) with any. A workspace has one
-- row: counting is one statement, the lock of the row makes the number exact, and no sweep is needed.
create table workspace_letters (
  workspace_id uuid primary key references workspaces on delete cascade,
  day date not null,
  letters integer not null
);

-- Addresses that want no more letters of a kind from a workspace. The address is kept as a keyed hash.
create table letter_refusals (
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null,
  address_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, kind, address_hash)
);
