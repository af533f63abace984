-- How a workspace and an event present themselves; null: by nothing of their own. Nodes of the previous release store events without it, and
-- keep it as it is.
alter table workspaces add column branding jsonb;
alter table events add column branding jsonb;
