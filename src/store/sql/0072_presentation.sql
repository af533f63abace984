-- Language, picture and own words of an event; null: the event has none. Nodes of the previous release store events without them, and keep
-- them as they are.
alter table events add column language text, add column cover_url text, add column email_texts jsonb;
-- The language of a deleted event, in which its people are told.
alter table event_notices add column language text;

-- Addresses that take no emails: a workspace reports them, and sends none to them until it takes its report back.
create table email_bounces (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  email text not null,
  reason text,
  reports integer not null default 1,
  created_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  unique (workspace_id, email)
);
create index email_bounces_newest on email_bounces (workspace_id, created_at desc, id desc);
