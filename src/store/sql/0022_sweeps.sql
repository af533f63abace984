-- What the sweeps find their rows by. Each index holds what is to be deleted some day, and a sweep with nothing to do reads
-- one entry of it.

-- Sessions are found by the end of their thirty days. It never changes, so that noting a visit touches no index.
create index account_sessions_expiry on account_sessions (expires_at);

create index table_note_tokens_expiry on table_note_tokens (expires_at);

-- Entry tokens open an event until a day after its end. Most events have none, and those of an event have no date of their
-- own: an event is looked at once, when that day is over.
alter table events add column entries_swept boolean not null default false;
create index events_entries_unswept on events (ended_at) where ended_at is not null and not entries_swept;

-- The outbox of a server without mail.
create index mails_kept on mails (created_at) where due_at is null;
