-- The account that made an invite, or last renewed it: its open invites are revoked when it leaves the workspace. Null where an
-- API key did.
alter table invites add column created_by_account_id uuid references accounts on delete set null;
create index invites_created_by on invites (created_by_account_id) where created_by_account_id is not null;

-- The account that founded the workspace: the letters of all workspaces of a founder are counted together. Later owners do not
-- change it. Null once the account is deleted.
alter table workspaces add column founder_account_id uuid references accounts on delete set null;
update workspaces w set founder_account_id = (
  select account_id from workspace_members m where m.workspace_id = w.id and m.role = 'owner' order by joined_at, id limit 1);
create index workspaces_founder on workspaces (founder_account_id) where founder_account_id is not null;
