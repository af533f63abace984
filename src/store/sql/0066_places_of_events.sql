-- Time zone, description and place of an event; null: the event has none. Nodes of the previous release store events without them, and
-- keep them as they are.
alter table events add column time_zone text, add column description text, add column location text;
