-- One sealed row that says whether the configured key is the one that everything sealed was sealed with.
create table sealing_checks (
  id boolean primary key default true check (id),
  sealed bytea not null
);
