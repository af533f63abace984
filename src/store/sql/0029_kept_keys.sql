-- Keys of hashes that the database keeps: pseudonyms of anonymous participants, and addresses that refuse letters. They are sealed
-- under the configured key and stay the same when that one is replaced. Each name has one row.
create table kept_keys (
  name text primary key check (name in ('pseudonyms', 'letter-refusals')),
  sealed bytea not null
);
