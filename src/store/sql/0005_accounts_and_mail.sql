-- Account tokens: one-time, hashed, bound to their purpose. Consuming is a delete that returns the row, so that of two
-- callers with the same token exactly one gets it.
create table account_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  account_id uuid not null references accounts on delete cascade,
  email_id uuid not null references account_emails on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index account_tokens_account on account_tokens (account_id);
create index account_tokens_expiry on account_tokens (expires_at);

-- Raised by a password reset: session tokens that were minted under a lower number are no longer accepted.
alter table accounts add column credentials_version integer not null default 1;

-- Identities at the external provider that sign an account in.
create table account_identities (
  issuer text not null,
  subject text not null,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index account_identities_account on account_identities (account_id);

-- Outgoing mail, written by the transaction that causes it and deleted once it is sent: letters hold one-time links, so
-- their content is sealed. Without a mail server due_at is null and the letters are the development outbox.
create table mails (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  content_sealed bytea not null,
  attempts integer not null default 0,
  due_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_recipient on mails (recipient, created_at desc);
