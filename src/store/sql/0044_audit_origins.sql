-- Where the acts of the audit log came from. Apart from the entries, which are never changed: an address is taken away with its person.
create table audit_origins (
  entry_id uuid primary key references audit_entries on delete cascade,
  address text,
  -- The program of the caller, as it named itself.
  client text
);
create index audit_entries_by_actor on audit_entries (actor_id, created_at desc);
create index audit_entries_by_action on audit_entries (workspace_id, action, created_at desc, id desc);
