-- Invites: the token is the authority and lies here as its hash only. Expiry is a matter of the clock, not of a status.
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
  check ((kind = 'event') = (event_id is not null))
);
create index invites_workspace on invites (workspace_id, created_at desc, id desc);
create index invites_event on invites (event_id);
-- One open invite for an address to a thing, whoever invites at the same moment.
create unique index invites_one_pending on invites (workspace_id, coalesce(event_id, workspace_id), email)
  where status = 'pending' and email is not null;
