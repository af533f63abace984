-- What earlier builds left, which nothing writes, reads or calls any more: a table, and routines. A new database has none of it.
drop table if exists heartbeats;
drop routine if exists fence_live_event(uuid, bigint, bigint, bigint);
drop routine if exists decided_at(uuid);
drop routine if exists remove_recording_bytes();
