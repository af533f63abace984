-- Own times of an event's reminders: minutes before the planned start; null: a day and ten minutes before. Nodes of the previous release
-- keep the column as it is, and remind such an event at both times as well.
alter table events add column reminder_minutes jsonb;
create index events_with_own_reminders on events (scheduled_at)
  where status = 'scheduled' and reminders and reminder_minutes is not null;

-- A kind of reminder is also a number of minutes.
alter table event_reminders drop constraint event_reminders_kind_check;
alter table event_reminders add constraint event_reminders_kind_check check (kind in ('day', 'minutes') or kind ~ '^[0-9]+$');
