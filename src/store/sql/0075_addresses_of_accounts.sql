-- A report of a bounce looks up whether the workspace knows the address. `users_email` has the users without an account.
create index users_account_email on users (workspace_id, lower(email)) where account_id is not null;
