-- Addresses that work by being held. A row for each holder of an object: an encoder's address is one by its token, the others are signed, and
-- have a row since they were given or first used. The ground is what the address rests on (model/links.ts); no row says whether it still stands.
create table bearer_links (
  id uuid primary key,
  -- `everything`: of a holder, and only for its end.
  kind text not null check (kind in ('ingest', 'upload', 'watch', 'media', 'everything')),
  workspace_id uuid not null references workspaces on delete cascade,
  event_id uuid references events on delete cascade,
  -- The broadcast or recording, or other stored media.
  object_id uuid,
  -- `account:`, `key:` or `user:` and an id, or the id of a guest or registrant at the event.
  holder text not null,
  -- Of a participant of the live event, which ends it with a commit.
  participant_id text,
  ground jsonb,
  token_hash bytea unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  -- What was given before ended then.
  ended_at timestamptz(3)
);
-- The name of the node that takes signed addresses which name their ground. A node of the release before writes none, or leaves that of another.
alter table cluster_nodes add column takes_grounds text;
create index bearer_links_page on bearer_links (workspace_id, created_at desc, id desc);
create index bearer_links_holder on bearer_links (holder, workspace_id);
create index bearer_links_event on bearer_links (event_id) where event_id is not null;
create index bearer_links_expiry on bearer_links (expires_at);
