-- Accounts and workspaces -------------------------------------------------------------------------------------------

create table accounts (
  id uuid primary key,
  name text not null,
  password_hash text,
  created_at timestamptz(3) not null default now()
);

-- An address is stored lower-cased; the unique index is what makes a duplicate signup impossible under concurrency.
create table account_emails (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null unique check (email = lower(email)),
  verified_at timestamptz(3),
  is_primary boolean not null
);
create unique index account_emails_one_primary on account_emails (account_id) where is_primary;

create table account_sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  idle_expires_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index account_sessions_account on account_sessions (account_id);

create table workspaces (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table workspace_members (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz(3) not null default now(),
  unique (account_id, workspace_id)
);
create index workspace_members_workspace on workspace_members (workspace_id);

create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text,
  secret_hash bytea not null unique,
  prefix text not null,
  last4 text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_workspace on api_keys (workspace_id, created_at desc, id desc);

-- People of a workspace. account_id marks the participant identity of an account; external_sub is the integrator's own id.
create table users (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  external_sub text not null,
  account_id uuid references accounts on delete set null,
  email text,
  name text,
  picture text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, external_sub)
);
create index users_page on users (workspace_id, created_at desc, id desc);

-- Events ------------------------------------------------------------------------------------------------------------

create table events (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  type text not null,
  title text not null,
  status text not null check (status in ('draft', 'scheduled', 'live', 'ended')),
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  scheduled_at timestamptz(3),
  scheduled_end_at timestamptz(3),
  allow_anonymous_voting boolean not null,
  allow_anonymous_questions boolean not null,
  capacity integer check (capacity > 0),
  metadata jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  started_at timestamptz(3),
  ended_at timestamptz(3)
);
create index events_page on events (workspace_id, created_at desc, id desc);
create index events_live on events (id) where status = 'live';

create table phases (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  position integer not null check (position >= 0),
  modality text not null check (modality in ('broadcast', 'meeting', 'breakout', 'rotation')),
  config jsonb not null,
  feature_set text[] not null,
  status text not null check (status in ('pending', 'active', 'ended', 'skipped')),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  timer_ends_at timestamptz(3),
  extended_seconds integer not null default 0,
  rev integer not null default 1,
  timer_rev integer not null default 0,
  timer_elapsed boolean not null default false,
  unique (event_id, position)
);
-- The machine keeps at most one phase active; this index says so to everyone else.
create unique index phases_one_active on phases (event_id) where status = 'active';

create table memberships (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('workspace_admin', 'host', 'speaker', 'participant', 'viewer')),
  created_at timestamptz(3) not null default now(),
  unique (event_id, user_id)
);
create index memberships_user on memberships (user_id);

-- The live event's actor --------------------------------------------------------------------------------------------

-- One row per event whose actor has ever been active. An activation raises the epoch; a commit carries its epoch and
-- does nothing when it is no longer the current one. `history` names the publications' unbroken history to clients.
create table live_events (
  event_id uuid primary key references events on delete cascade,
  epoch bigint not null,
  node text not null,
  version bigint not null default 0,
  -- The epoch whose commit made this version: tells an activation whether a commit of unknown outcome was its own.
  version_epoch bigint not null default 0,
  history uuid not null
);

-- Answers of accepted commands, so that a repeated command id is answered and not run again.
create table live_commands (
  event_id uuid not null references events on delete cascade,
  scope text not null,
  command_id text not null,
  body_hash text not null,
  reply jsonb not null,
  at timestamptz(3) not null,
  primary key (event_id, scope, command_id)
);
create index live_commands_at on live_commands (at);

-- Committed dispatches in the exact text that sockets receive; the newest of each stream is kept as its head.
create table publications (
  event_id uuid not null references events on delete cascade,
  stream text not null,
  s bigint not null,
  version bigint not null,
  frame text not null,
  at timestamptz(3) not null,
  primary key (event_id, stream, s)
);
create index publications_at on publications (at);

-- People a host removed for good.
create table live_removals (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  at timestamptz(3) not null,
  primary key (event_id, participant_id)
);

-- The first statement of every commit: takes the owner's row, or fails the whole transaction with GC001.
create function fence_live_event(of_event uuid, of_epoch bigint, to_version bigint) returns void language plpgsql as $$
begin
  update live_events set version = to_version, version_epoch = of_epoch
   where event_id = of_event and epoch = of_epoch and version = to_version - 1;
  if not found then
    raise exception 'another activation owns this live event' using errcode = 'GC001';
  end if;
end $$;

-- Webhooks ----------------------------------------------------------------------------------------------------------

create table webhook_endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  url text not null,
  event_types text[] not null,
  secret_sealed bytea not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text,
  created_at timestamptz(3) not null default now(),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3)
);
create index webhook_endpoints_page on webhook_endpoints (workspace_id, created_at desc, id desc);

-- Occurrences, in the exact text that receivers get. No reference to events: a deleted event's last words still go out.
create table outbox_messages (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  event_id uuid not null,
  type text not null,
  body text not null,
  occurred_at timestamptz(3) not null
);
create index outbox_messages_occurred on outbox_messages (occurred_at);

-- One row per occurrence and endpoint; `attempts` counts answered tries. First tries of one event are made in the order of
-- `seq` (which is the order of commit within an event) because a lane is worked off one by one: an event always has the
-- same lane, and an endpoint has 16 of them, so that finding the next work never walks over a backlog.
-- A claim sets claimed_by and moves next_attempt_at into the future: if the claimer dies, the row falls due by itself.
create table webhook_deliveries (
  id uuid primary key,
  seq bigint generated always as identity,
  message_id uuid not null references outbox_messages on delete cascade,
  endpoint_id uuid not null references webhook_endpoints on delete cascade,
  event_id uuid not null,
  lane smallint not null generated always as (get_byte(uuid_send(event_id), 15) & 15) stored,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'rejected', 'exhausted')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  claimed_by text,
  last_status integer,
  last_error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index webhook_deliveries_first on webhook_deliveries (endpoint_id, lane, seq) where status = 'pending' and attempts = 0;
create index webhook_deliveries_retry on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending' and attempts > 0;
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, seq);
create index webhook_deliveries_message on webhook_deliveries (message_id);
