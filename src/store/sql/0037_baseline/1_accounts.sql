-- Accounts, their addresses, and everything an account signs in with.

create table accounts (
  id uuid primary key,
  name text not null,
  password_hash text,
  -- A password reset raises this number. Session tokens minted under a lower number are refused.
  credentials_version integer not null default 1,
  -- The time of the next check whether an account without a proved address is used. Null once an address is proved. Use of the
  -- account moves the time on, so the sweep reads only accounts that were idle for a week.
  idle_check_at timestamptz(3) default now() + interval '7 days',
  created_at timestamptz(3) not null default now()
);
create index accounts_idle_check on accounts (idle_check_at) where idle_check_at is not null;

-- An address is stored lower-cased. The unique index makes two concurrent signups under one address impossible.
create table account_emails (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null unique check (email = lower(email)),
  verified_at timestamptz(3),
  is_primary boolean not null
);
create unique index account_emails_one_primary on account_emails (account_id) where is_primary;
-- Proved addresses are looked up by account. Without the index each lookup reads the whole table.
create index account_emails_account on account_emails (account_id);

create table account_sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  idle_expires_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- The browser that signed in, as it named itself, so that people recognize their sign-ins. Null: it gave no name.
  device text
);
create index account_sessions_account on account_sessions (account_id);
-- The sweep finds sessions by the end of their thirty days. That time never changes, so noting a visit touches no index.
create index account_sessions_expiry on account_sessions (expires_at);

-- One-time tokens, hashed and bound to their purpose. A token is consumed by a delete that returns the row, so of two callers
-- with the same token exactly one gets the row.
create table account_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  account_id uuid not null references accounts on delete cascade,
  email_id uuid not null references account_emails on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index account_tokens_account on account_tokens (account_id);
-- Deleting an address deletes its tokens. Without the index each deletion reads the whole table.
create index account_tokens_email on account_tokens (email_id);
create index account_tokens_expiry on account_tokens (expires_at);

-- Identities at the external provider that sign an account in.
create table account_identities (
  issuer text not null,
  subject text not null,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index account_identities_account on account_identities (account_id);
