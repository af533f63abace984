-- When the workspace was deleted: from then on it is found nowhere, and a sweep removes what belongs to it, step by step.
alter table workspaces add column deleted_at timestamptz(3);
-- Reads of events look here, and find nothing nearly always.
create index workspaces_deleted on workspaces (id) where deleted_at is not null;
