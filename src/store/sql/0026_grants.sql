-- A grant names what it rests on. Session tokens of a user are good for one version: leaving or being removed from the workspace raises it.
alter table users add column session_version integer not null default 0;

-- Which key made a key, so that all that came of a leaked one can be found and revoked with it.
alter table api_keys add column created_by_key_id uuid references api_keys on delete set null;
create index api_keys_created_by on api_keys (created_by_key_id) where created_by_key_id is not null;

-- Memberships of an event are listed by when they were made.
create index memberships_page on memberships (event_id, created_at desc, id desc);
