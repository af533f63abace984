-- The account that made an invite, or last renewed it: its open invites are revoked when it leaves the workspace. Null where an
-- API key did.
alter table invites add column created_by_account_id uuid references accounts on delete set null;
create index invites_created_by on invites (created_by_account_id) where created_by_account_id is not null;
