-- What the media server that makes a broadcast last did: any process may hear of it, and all of them tell staff. Null: it makes none now.
alter table broadcasts add column recorder jsonb;
create index broadcasts_recorder on broadcasts (id) where recorder is not null;
