-- Captions of a breakout's or rotation's room are for the people there: they are in no transcript of the event.
alter table captions add column room_id text;

-- When the media server began to record a room: it puts the captions of that time on the recording's clock.
alter table recordings add column began_at timestamptz(3);
