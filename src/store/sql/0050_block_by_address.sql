-- The address of a blocked person whose registration is gone, as a digest for this event: it may not come in under another id.
alter table live_removals add column address_mark bytea;

-- Each entry to an event looks up whether somebody with the same address is blocked there.
create index users_email on users (workspace_id, lower(email)) where account_id is null;

-- Members who were removed. A connection of the workspace does not make them members again; an invite does.
create table removed_members (
  workspace_id uuid not null references workspaces on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  removed_at timestamptz(3) not null default now(),
  primary key (workspace_id, account_id)
);
