-- When an account without a proved address is looked at next, to see whether it is used at all; null once an address is proved. Use
-- moves it on, so that the sweep reads only what was idle for a week.
alter table accounts add column idle_check_at timestamptz(3) default now() + interval '7 days';
update accounts a set idle_check_at = null
 where exists (select from account_emails e where e.account_id = a.id and e.verified_at is not null);
create index accounts_idle_check on accounts (idle_check_at) where idle_check_at is not null;

-- The identities of an account in workspaces: looked for, and let go, when it is deleted.
create index users_account on users (account_id) where account_id is not null;

-- Deleting a workspace would look through all occurrences for its own, since they have no index by workspace. They are swept after
-- thirty days in any case, as those of deleted events are.
alter table outbox_messages drop constraint outbox_messages_workspace_id_fkey;
