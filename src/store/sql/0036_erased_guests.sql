-- A partner's guest has another id at each event, so the erasure of a guest names the event of each of its ids: `event_ids` has the events
-- of `participant_ids`, in their order. Null: the person has the same ids at every event of the workspace. A node of the release before
-- reads `participant_ids` alone, and then looks for each of them at every event.
alter table erasures add column event_ids uuid[];
-- Guests whose sessions of before their erasure do not count any more. A session is not stored, and lasts for two hours.
create table erased_guests (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  erased_at timestamptz(3) not null,
  primary key (event_id, participant_id)
);
create index erased_guests_at on erased_guests (erased_at);
-- What a guest wrote is looked for at many events. Only the rows of guests are in these, so that they cost others nothing.
create index chat_messages_guests on chat_messages (event_id, participant_id) where participant_id like 'guest:%';
create index questions_guests on questions (event_id, asker_id) where asker_id like 'guest:%';
