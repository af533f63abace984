-- Templates: copies of events that are drafts for good. The list of events leaves them out; nodes of the previous release show them as drafts.
alter table events add column template_name text;
create index event_templates on events (workspace_id) where template_name is not null;

-- Whether everybody sees the public events of the workspace at `/w/{slug}`.
alter table workspaces add column public_list boolean not null default false;
create index events_of_public_lists on events (workspace_id, scheduled_at, id) where status in ('scheduled', 'live') and visibility = 'public';
