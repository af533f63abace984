-- The last number of each stream whose publications have been forgotten. Publications are kept for as long as somebody can
-- be replayed, and then deleted completely; the sweep that deletes them writes here how far their stream had come. A
-- stream's head is the greater of this number and the newest publication's, so a commit writes nothing here. Rows stay for
-- as long as their event: a number never names two dispatches, also not at an event that has ended.
create table stream_heads (
  event_id uuid not null references events on delete cascade,
  stream text not null,
  s bigint not null,
  primary key (event_id, stream)
);
