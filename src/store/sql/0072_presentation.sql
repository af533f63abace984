-- Language, picture and own words of an event; null: the event has none. Nodes of the previous release store events without them, and keep
-- them as they are.
alter table events add column language text, add column cover_url text, add column email_texts jsonb;
-- The language of a deleted event, in which its people are told.
alter table event_notices add column language text;
