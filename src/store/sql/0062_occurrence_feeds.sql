-- An endpoint of one event receives the occurrences of that event alone. Null: of the whole workspace. It is no foreign key, because
-- the last occurrences of a deleted event are still sent; housekeeping deletes the endpoint afterwards.
alter table webhook_endpoints
  add column event_id uuid,
  -- Headers that the owner adds to deliveries; their values may be credentials, and are sealed.
  add column header_names text[] not null default '{}',
  add column headers_sealed bytea;
create index webhook_endpoints_of_event on webhook_endpoints (event_id) where event_id is not null;

-- A workspace whose occurrences are kept for reading by `GET /v1/occurrences`, whether or not an endpoint wants them.
create table occurrence_feeds (
  workspace_id uuid primary key references workspaces on delete cascade,
  -- All occurrences since then are kept. A commit that began before the feed did may not have seen it, and ends within that time.
  since timestamptz(3) not null default now() + interval '15 seconds',
  read_at timestamptz(3) not null default now()
);
-- `seq` is the order of commit within an event, as that of deliveries is. `place` is given when the feed is read, because transactions
-- commit in another order than they number their rows, and a reader must not pass by a row that is committed later.
create sequence occurrence_numbers;
create sequence occurrence_places;
alter table outbox_messages add column seq bigint, add column place bigint;
create index outbox_messages_unplaced on outbox_messages (workspace_id, seq) where seq is not null and place is null;
create index outbox_messages_placed on outbox_messages (workspace_id, place) where place is not null;
