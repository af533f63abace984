-- Letters that a workspace had sent to addresses it chose, on the last day (UTC) it had any. One row for each workspace: counting
-- is one statement, its lock makes the count exact, and nothing has to be swept.
create table workspace_letters (
  workspace_id uuid primary key references workspaces on delete cascade,
  day date not null,
  letters integer not null
);

-- Who wants no more letters of a kind from a workspace. The address is kept as a keyed hash.
create table letter_refusals (
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null,
  address_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, kind, address_hash)
);
