-- Reminders by mail before a scheduled event, which its organisers may switch off.
alter table events add column reminders boolean not null default true;
create index events_to_remind on events (scheduled_at) where status = 'scheduled' and reminders;

-- The progress of one kind of reminder for one time of an event: a row until a day after that time. Letters are posted in steps, in the order of
-- addresses, and each step moves `after_email` in the transaction that posts its letters: nobody gets two for the same time, whatever ends in between,
-- and an event that moves to another time and back goes on where it was.
create table event_reminders (
  event_id uuid not null references events on delete cascade,
  kind text not null check (kind in ('day', 'minutes')),
  scheduled_at timestamptz(3) not null,
  after_email text not null default '',
  done boolean not null default false,
  -- The last step: events take turns.
  touched_at timestamptz(3) not null default now(),
  primary key (event_id, kind, scheduled_at)
);
create index event_reminders_turn on event_reminders (kind, touched_at) where not done;
create index event_reminders_time on event_reminders (scheduled_at);
