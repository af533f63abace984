-- The media server broadcasts the main room of a phase: each stretch between two pauses is a recording of that broadcast. What an
-- encoder pushes is one recording, as before.
alter table recordings drop constraint recordings_broadcast_id_key;
create unique index recordings_pushed on recordings (broadcast_id) where source = 'broadcast';
create index recordings_staged on recordings (broadcast_id, id) where source = 'livekit';
