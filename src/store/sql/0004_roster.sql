-- Who was present when a server was stopped in order: the next activation waits for them instead of telling receivers that
-- everyone joined anew. Null after a crash, and while an activation is running.
alter table live_events add column roster jsonb;
