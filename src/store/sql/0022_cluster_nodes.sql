-- The nodes that share this database. A node lives for as long as a session holds the advisory lock of its row, so a row may be
-- older than its node's end. The id is the node's for one life: a node that registers again gets another one.
create table cluster_nodes (
  id integer generated always as identity primary key,
  -- `host:port` by which the other nodes reach it.
  address text not null unique,
  -- Its name in presence and owner rows; another one after each start.
  node text not null,
  -- The cluster engine's own description of it.
  runner text not null,
  registered_at timestamptz(3) not null default now()
);
