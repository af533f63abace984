-- The process that takes a broadcast from its encoder: whoever opens the broadcast raises the token, and statements under an older one change
-- nothing. `encoder`: what the owner last said of the encoder, for staff at other nodes. Null: nothing has come while there were several nodes.
alter table broadcasts
  add column owner_token integer not null default 0,
  add column encoder jsonb,
  add column encoder_at timestamptz(3);
create index broadcasts_encoders on broadcasts (id) where encoder is not null and status <> 'ended';
