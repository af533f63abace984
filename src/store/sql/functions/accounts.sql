-- Account conditions used by several statements.

-- Whether the account has a second factor.
create or replace function has_factor(of_account uuid) returns boolean language sql stable as $$
  select exists (select from account_totp where account_id = of_account and confirmed_at is not null)
      or exists (select from passkeys where account_id = of_account)
$$;

-- Whether the workspace requires a second factor of its members that the account does not have.
create or replace function lacks_factor(of_workspace workspaces, of_account uuid) returns boolean language sql stable as $$
  select of_workspace.require_mfa and not has_factor(of_account)
$$;

-- Whether the workspace requires another sign-in of its members than the session's. Owners may sign in by any means.
create or replace function lacks_sso(of_workspace workspaces, of_role text, of_session uuid) returns boolean language sql stable as $$
  select of_workspace.sso = 'required' and of_role <> 'owner' and not exists (
    select from account_sessions s join connections c on c.id = s.connection_id
     where s.id = of_session and c.workspace_id = of_workspace.id)
$$;
