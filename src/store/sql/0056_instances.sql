-- One row: by what the servers know this database again. A server that is started on a copy finds another place or another address than
-- the row has, and sends nothing until the copy is promoted. Releases before this one write no row: the first start does.
create table instances (
  id boolean primary key default true check (id),
  -- Null in all of them: the servers that run, or the next start, fill them in.
  system_identifier text,
  database_oid text,
  place text,
  public_url text,
  -- Since when, and why, nothing is sent; null: it is the real one.
  quiet_since timestamptz(3),
  quiet_signs text[],
  -- Until it is promoted, also when a later start finds no sign any more.
  is_held boolean not null default false,
  -- In the subjects of messages between its nodes, so that those of a copy and of the original hear nothing of each other on one NATS.
  link text
);
