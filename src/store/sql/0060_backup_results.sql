-- What the operator sees of backups: the size of the last one to a bucket, the last failure of the schedule, and the last one to a folder.
-- `known_until`: this database answers for the backups in its bucket that were made until then; a newer one is another's.
alter table backups
  add column known_until timestamptz(3),
  add column made_bytes bigint,
  add column failed_at timestamptz(3),
  add column failure text,
  add column folder_at timestamptz(3),
  add column folder_bytes bigint;
