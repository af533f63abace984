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
  created_at timestamptz(3) not null default now()
);
create index erasures_due on erasures (due_at);
-- A departure that is told late is looked up here.
create index erasures_people on erasures using gin (participant_ids);
create index erasures_workspace on erasures (workspace_id);
-- The webhooks that name people are found here.
create index outbox_messages_of_registrations on outbox_messages (event_id)
  where type in ('registration.created', 'registration.cancelled');
