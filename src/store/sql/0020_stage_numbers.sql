-- The numbers that viewers of a broadcast by the media server were shown. They never go back: a take that fails, or whose recording is
-- deleted, keeps its numbers.
alter table broadcasts
  -- Of the oldest segment in the last playlist.
  add column stage_oldest bigint not null default 0,
  -- Of the next segment.
  add column stage_next bigint not null default 0,
  -- Takes with a segment that was shown.
  add column stage_takes bigint not null default 0;
alter table recordings
  -- Which take of its broadcast, from 0; null: none of its segments was shown.
  add column stage_take bigint,
  -- The number of its first segment in the broadcast.
  add column stage_first bigint;
