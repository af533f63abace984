-- A second factor of an account: a program that shows a code every thirty seconds (TOTP, RFC 6238). The secret must be read again, so it is sealed.
create table account_totp (
  account_id uuid primary key references accounts on delete cascade,
  secret_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  -- Null until the first code shows that the person's program has the secret.
  confirmed_at timestamptz(3),
  -- The thirty seconds of the last code that was taken: no code of the same or an earlier time is taken again.
  last_step bigint
);

-- Codes for a person who has lost the factor, hashed. A row is deleted when its code is used.
create table recovery_codes (
  account_id uuid not null references accounts on delete cascade,
  code_hash bytea not null,
  primary key (account_id, code_hash)
);

-- Sign-ins and proofs under way. A row is deleted by the answer that it waits for. The account is null where the answer names it.
create table sign_in_challenges (
  token_hash bytea primary key,
  purpose text not null,
  account_id uuid references accounts on delete cascade,
  -- Of the account, when its password was proved.
  credentials_version integer,
  tries integer not null default 0,
  expires_at timestamptz(3) not null
);
create index sign_in_challenges_account on sign_in_challenges (account_id);
create index sign_in_challenges_expiry on sign_in_challenges (expires_at);

-- Members without a second factor are kept out.
alter table workspaces add column require_mfa boolean not null default false;

-- The last time at which the holder of the session proved who they are. Null: when it began.
alter table account_sessions add column proved_at timestamptz(3);
