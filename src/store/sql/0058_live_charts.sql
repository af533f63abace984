-- The value of the event's statechart, as its last commit left it. Null: read it from the rows.
alter table live_events add column chart jsonb;
