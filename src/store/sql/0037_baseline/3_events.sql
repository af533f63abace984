-- Events: their phases, memberships, invites, registrations, entry tokens and reminders.

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
  -- The number of the event's registrations, so that neither a registration nor a lower capacity counts rows. Only the triggers
  -- in functions/triggers.sql change it. A registration locks the event's row first, so the number is exact under concurrency.
  registered integer not null default 0,
  metadata jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  -- Entry tokens open an event until a day after its end. The sweep visits an event once, after that day, because most events
  -- have no entry tokens and a token has no end of its own.
  entries_swept boolean not null default false,
  -- A short code that people type to find an event. Without the letters and digits that look alike.
  join_code text unique check (join_code ~ '^[2-9A-HJ-NP-Z]{6}$'),
  -- Reminders by mail before a scheduled event, which its organisers may switch off.
  reminders boolean not null default true
);
create index events_page on events (workspace_id, created_at desc, id desc);
create index events_live on events (id) where status = 'live';
create index events_entries_unswept on events (ended_at) where ended_at is not null and not entries_swept;
create index events_to_remind on events (scheduled_at) where status = 'scheduled' and reminders;

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
-- The live event's machine keeps at most one phase active. This index enforces the rule on every writer.
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
-- Memberships of an event are listed by their time of creation.
create index memberships_page on memberships (event_id, created_at desc, id desc);

-- Invites to workspaces and events. The token is the authority, and the table holds only its hash. The clock decides whether an
-- invite has expired: no status records it.
create table invites (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  event_id uuid references events on delete cascade,
  kind text not null check (kind in ('workspace', 'event')),
  email text check (email = lower(email)),
  role text not null,
  token_hash bytea not null unique,
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked')),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The account that made the invite, or last renewed it: its open invites are revoked when it leaves the workspace. Null where an
  -- API key did.
  created_by_account_id uuid references accounts on delete set null,
  check ((kind = 'event') = (event_id is not null))
);
create index invites_workspace on invites (workspace_id, created_at desc, id desc);
create index invites_event on invites (event_id);
-- An address has one pending invite to a workspace or an event, also when two people invite it at the same moment.
create unique index invites_one_pending on invites (workspace_id, coalesce(event_id, workspace_id), email)
  where status = 'pending' and email is not null;
create index invites_created_by on invites (created_by_account_id) where created_by_account_id is not null;

-- Self-registration: an address takes one place at an event.
create table registrations (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  name text not null,
  email text not null check (email = lower(email)),
  created_at timestamptz(3) not null default now(),
  unique (event_id, email)
);

-- An entry token opens the event for one registration. A repeated registration mints another token, so a lost letter does not
-- cost the place.
create table entry_tokens (
  token_hash bytea primary key,
  registration_id uuid not null references registrations on delete cascade,
  created_at timestamptz(3) not null default now()
);
create index entry_tokens_registration on entry_tokens (registration_id);

-- The progress of one kind of reminder for one time of an event: a row until a day after that time. Letters are posted in steps, in
-- the order of addresses, and each step moves `after_email` in the transaction that posts its letters: nobody gets two for the same
-- time, whatever ends in between, and an event that moves to another time and back goes on where it was.
create table event_reminders (
  event_id uuid not null references events on delete cascade,
  kind text not null check (kind in ('day', 'minutes')),
  scheduled_at timestamptz(3) not null,
  after_email text not null default '',
  done boolean not null default false,
  -- The last step: events take turns.
  touched_at timestamptz(3) not null default now(),
  primary key (event_id, kind, scheduled_at)
);
create index event_reminders_turn on event_reminders (kind, touched_at) where not done;
create index event_reminders_time on event_reminders (scheduled_at);
