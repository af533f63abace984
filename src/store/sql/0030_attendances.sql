-- The people who were at an event: a row for each participant, written when they leave. People who are present are in
-- present_participants; a report takes both together.
create table attendances (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  -- Of the workspace's user; the row stays when the user is deleted.
  user_id uuid references users on delete set null,
  name text not null,
  role text not null,
  kind text not null,
  first_joined_at timestamptz(3) not null,
  last_left_at timestamptz(3) not null,
  -- All stays together, and their number. A reconnect within the grace is the same stay.
  attended_ms bigint not null,
  stays integer not null,
  primary key (event_id, participant_id)
);
create index attendances_user on attendances (user_id) where user_id is not null;
