-- A short code that people type to find an event. Without the letters and digits that look alike.
alter table events add column join_code text unique check (join_code ~ '^[2-9A-HJ-NP-Z]{6}$');
