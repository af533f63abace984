-- Workspaces: members, API keys, users, guest integrations, the audit log, and the erasure of people.

create table workspaces (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The account that founded the workspace: the letters of all workspaces of a founder are counted together. Later owners do not
  -- change it. Null once the account is deleted.
  founder_account_id uuid references accounts on delete set null,
  -- When the workspace was deleted: from then on it is found nowhere, and a sweep removes what belongs to it, step by step.
  deleted_at timestamptz(3)
);
create index workspaces_founder on workspaces (founder_account_id) where founder_account_id is not null;
-- Reads of events look here, and find nothing nearly always.
create index workspaces_deleted on workspaces (id) where deleted_at is not null;

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
  -- The key that made this key. All keys that descend from a leaked key are found by it and revoked together.
  created_by_key_id uuid references api_keys on delete set null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_workspace on api_keys (workspace_id, created_at desc, id desc);
create index api_keys_created_by on api_keys (created_by_key_id) where created_by_key_id is not null;

-- The people of a workspace. `account_id` marks an account's participant identity. `external_sub` is the integrator's own id.
create table users (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  external_sub text not null,
  account_id uuid references accounts on delete set null,
  email text,
  name text,
  picture text,
  -- Session tokens of a user are valid for one version. Leaving the workspace, or being removed from it, raises the number.
  session_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, external_sub)
);
create index users_page on users (workspace_id, created_at desc, id desc);
-- Deleting an account looks up its users and clears their `account_id`.
create index users_account on users (account_id) where account_id is not null;

-- Issuers whose signed tokens let a partner's people join a workspace's events as guests. Rows are revoked and never removed.
-- Guests leave no row. All keys in this table are public keys.
create table guest_integrations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  issuer text not null,
  jwks_url text,
  public_key_pem text,
  public_key_fingerprint text,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  last_verified_at timestamptz(3),
  last_error text,
  check ((jwks_url is null) <> (public_key_pem is null)),
  check ((public_key_pem is null) = (public_key_fingerprint is null)),
  -- An issuer has one active integration in a workspace. The constraint compares hashes, because an issuer may be longer than
  -- an entry of a b-tree may be.
  constraint guest_integrations_one_active
    exclude using hash ((workspace_id::text || ' ' || issuer) with =) where (revoked_at is null)
);
create index guest_integrations_active on guest_integrations (workspace_id, created_at desc, id desc) where revoked_at is null;

-- Acts of administration and their actors. Rows are added and never changed, and are deleted only with their workspace: the
-- triggers in functions/triggers.sql refuse everything else.
create table audit_entries (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  action text not null,
  actor_kind text not null check (actor_kind in ('account', 'key', 'session')),
  actor_id uuid not null,
  target_id text,
  request_id text not null,
  created_at timestamptz(3) not null default now()
);
create index audit_entries_page on audit_entries (workspace_id, created_at desc, id desc);

-- People whose data is being erased. The transaction that deletes a user writes the row; a sweep then walks the workspace's events,
-- newest first, and erases the person at each. The row names nobody: `participant_ids` are the ids that the person had at events, and
-- nothing else leads from them to the person any more. A second pass follows when everything that was under way has ended, and
-- deletes the row.
create table erasures (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  participant_ids text[] not null,
  -- The last event that this pass has done with; null at its start.
  after_created_at timestamptz(3),
  after_event_id uuid,
  is_last_pass boolean not null default false,
  -- The pass belongs to one process until then.
  due_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  -- A partner's guest has another id at each event, so the erasure of a guest names the event of each of its ids: the events of
  -- `participant_ids`, in their order. Null: the person has the same ids at every event of the workspace.
  event_ids uuid[]
);
create index erasures_due on erasures (due_at);
-- A departure that is told late is looked up here.
create index erasures_people on erasures using gin (participant_ids);
create index erasures_workspace on erasures (workspace_id);
