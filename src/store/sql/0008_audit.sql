-- What was administered, by whom: rows are added and never changed. They go with their workspace and not before.
create table audit_entries (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  action text not null,
  actor_kind text not null check (actor_kind in ('account', 'key', 'session')),
  actor_id uuid not null,
  target_id text,
  request_id text not null,
  created_at timestamptz(3) not null default now()
);
create index audit_entries_page on audit_entries (workspace_id, created_at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are not changed';
end $$;
create trigger audit_entries_are_kept before update on audit_entries
  for each row execute function refuse_audit_change();
-- A cascade from the workspace runs inside a trigger; a DELETE by hand does not.
create trigger audit_entries_are_not_deleted before delete on audit_entries
  for each row when (pg_trigger_depth() = 0) execute function refuse_audit_change();
