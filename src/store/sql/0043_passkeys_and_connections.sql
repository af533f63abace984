-- Passkeys (WebAuthn): public keys of authenticators that verify their person, so each counts as both factors.
create table passkeys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- As the authenticator names it, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- Of its signatures, as the authenticator counts them; 0 where it does not.
  counter bigint not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
create index passkeys_account on passkeys (account_id);

-- A workspace's own identity provider (OpenID Connect), for addresses of its domains.
create table connections (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret_sealed bytea not null,
  -- Of people who are no members yet.
  default_role text not null check (default_role in ('member', 'admin')),
  created_by_account_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_error text
);
create index connections_workspace on connections (workspace_id);

-- A domain counts once its DNS has the token. One connection at a time has proved a domain.
create table connection_domains (
  connection_id uuid not null references connections on delete cascade,
  domain text not null,
  token text not null,
  proved_at timestamptz(3),
  primary key (connection_id, domain)
);
create unique index connection_domains_proved on connection_domains (domain) where proved_at is not null;

-- required: members other than owners sign in by a connection of the workspace.
alter table workspaces add column sso text not null default 'optional' check (sso in ('optional', 'required'));

-- The connection that the session began with.
alter table account_sessions add column connection_id uuid;
alter table sign_in_challenges add column connection_id uuid;
