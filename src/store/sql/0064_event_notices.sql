-- An event that is cancelled keeps its status, and starts no more until it is reinstated.
alter table events
  add column cancelled_at timestamptz(3),
  add column cancel_reason text,
  -- SEQUENCE of the event in calendars (RFC 5545, section 3.8.7.4): triggers raise it with each change that a calendar shows.
  add column calendar_sequence integer not null default 0,
  -- Time of the last of these changes.
  add column calendar_changed_at timestamptz(3);

-- Emails about a changed, cancelled or deleted event that are to be posted to its readers: the people who registered, or those who are
-- invited. The triggers of events write the rows, so a change and its notice are one transaction, whichever release makes the change.
-- Emails are posted in steps, in the order of addresses, and a step moves `after_email` in the transaction that posts its emails.
--
-- The notices of an event and audience are a stack. The newest goes on first, and a change while it goes on adds one for the readers up to
-- `after_email`, who already know what has changed again. So the readers up to the newest `after_email` know the event as it is, all others
-- know it as their notice says, and everybody gets one email about all of it.
create table event_notices (
  number bigint generated always as identity primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- No foreign key, because the readers of a deleted event are told afterwards.
  event_id uuid not null,
  audience text not null check (audience in ('registered', 'invited')),
  -- The event was deleted, and its readers are in `notice_readers`.
  gone boolean not null default false,
  -- Why it had been cancelled.
  reason text,
  -- The event as its readers know it.
  known_title text not null,
  known_at timestamptz(3),
  known_end_at timestamptz(3),
  known_cancelled boolean not null,
  known_sequence integer not null,
  -- The first and the last change since.
  since timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  after_email text not null default '',
  until_email text,
  -- No step before then: the workspace has sent its emails of the day.
  held_until timestamptz(3),
  -- The last step: events take turns.
  touched_at timestamptz(3) not null default now()
);
create index event_notices_event on event_notices (event_id, audience, number desc);
create index event_notices_turn on event_notices (touched_at);

-- The readers of a deleted event, until they have been told. A trigger deletes them with their notice: a foreign key would check each of
-- ten thousand rows in the transaction that deletes the event.
create table notice_readers (
  notice bigint not null,
  email text not null,
  name text,
  primary key (notice, email)
);
