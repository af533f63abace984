-- Approval and the waiting list of an event (model/registration.ts); null: the event has none. Nodes of the previous release store events
-- without them, and keep them as they are.
alter table events
  add column approval jsonb,
  add column waiting_list jsonb,
  -- The number of people who wait, maintained like `registered` and under the same lock.
  add column waiting integer not null default 0;
create index events_with_waiting on events (id) where waiting > 0;

-- Approved and offered registrations have a place and are counted in `events.registered`. The lock of the event's row orders all changes of
-- states. Registrations that nodes of the previous release store have a place, as all earlier ones have.
alter table registrations
  add column state text not null default 'approved'
    check (state in ('approved', 'pending', 'waiting', 'offered', 'declined', 'expired')),
  -- Order of the waiting list.
  add column turn bigint,
  add column offer_ends_at timestamptz(3),
  -- Why the organisers declined.
  add column decline_reason text;
create sequence registration_turns;
create index registrations_waiting on registrations (event_id, turn) where state = 'waiting';
create index registrations_offered on registrations (offer_ends_at) where state = 'offered';

-- What an erasure looks up. Nodes of the previous release use `outbox_messages_of_registrations`.
create index outbox_messages_of_registrants on outbox_messages (event_id) where type like 'registration.%';
