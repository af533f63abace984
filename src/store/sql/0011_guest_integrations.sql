-- Issuers whose signed tokens let a partner's people join a workspace's events as guests. Rows are revoked, never removed;
-- guests themselves leave no row. Keys in here are public ones.
create table guest_integrations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  issuer text not null,
  jwks_url text,
  public_key_pem text,
  public_key_fingerprint text,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  last_verified_at timestamptz(3),
  last_error text,
  check ((jwks_url is null) <> (public_key_pem is null)),
  check ((public_key_pem is null) = (public_key_fingerprint is null)),
  -- One active integration per issuer. By hash, because an issuer may be longer than a b-tree takes.
  constraint guest_integrations_one_active
    exclude using hash ((workspace_id::text || ' ' || issuer) with =) where (revoked_at is null)
);
create index guest_integrations_active on guest_integrations (workspace_id, created_at desc, id desc) where revoked_at is null;
