-- What is asked of accounts in more than one statement.

-- Does the account have a second factor?
create or replace function has_factor(of_account uuid) returns boolean language sql stable as $$
  select exists (select from account_totp where account_id = of_account and confirmed_at is not null)
      or exists (select from passkeys where account_id = of_account)
$$;

-- Does the workspace ask its members for a second factor that the account does not have?
create or replace function lacks_factor(of_workspace workspaces, of_account uuid) returns boolean language sql stable as $$
  select of_workspace.require_mfa and not has_factor(of_account)
$$;

-- Does the workspace ask its members for another sign-in than the session's? Owners sign in as they like.
create or replace function lacks_sso(of_workspace workspaces, of_role text, of_session uuid) returns boolean language sql stable as $$
  select of_workspace.sso = 'required' and of_role <> 'owner' and not exists (
    select from account_sessions s join connections c on c.id = s.connection_id
     where s.id = of_session and c.workspace_id = of_workspace.id)
$$;
