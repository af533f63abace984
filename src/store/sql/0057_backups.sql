-- One row: the backups of the embedded database to a bucket. A schedule that never worked is as old as the row.
create table backups (
  id boolean primary key default true check (id),
  since timestamptz(3) not null default now(),
  tried_at timestamptz(3),
  made_at timestamptz(3)
);
