-- Letters: the outgoing mail, the daily count of each workspace, and refusals.

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
