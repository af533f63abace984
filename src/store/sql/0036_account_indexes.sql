-- Proved addresses are looked for by account, and what names an account's address or a user is let go when they are deleted: without
-- these, each of it reads a whole table.
create index account_emails_account on account_emails (account_id);
create index account_tokens_email on account_tokens (email_id);
create index questions_author on questions (author_user_id) where author_user_id is not null;
