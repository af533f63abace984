-- Broadcasts, which encoders push to this server or the media server makes.

-- The broadcast of a phase. The public surfaces read it.
create table broadcasts (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  phase_id uuid not null unique references phases on delete cascade,
  status text not null check (status in ('idle', 'live', 'paused', 'ended')),
  playback_url text,
  started_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  -- The numbers that viewers of a broadcast by the media server were shown: of the oldest segment in the last playlist, of the next
  -- segment, and how many takes have a segment that was shown. They never go back: a take that fails, or whose recording is deleted,
  -- keeps its numbers.
  stage_oldest bigint not null default 0,
  stage_next bigint not null default 0,
  stage_takes bigint not null default 0,
  -- What the media server that makes the broadcast last did: any process may hear of it, and all of them tell staff. Null: it makes
  -- none now.
  recorder jsonb,
  -- Of the process that takes the broadcast from its encoder: whoever opens the broadcast raises the token, and statements under an
  -- older one change nothing.
  owner_token integer not null default 0,
  -- What the owner last said of the encoder, for staff at other nodes. Null: nothing has come while there were several nodes.
  encoder jsonb,
  encoder_at timestamptz(3)
);
create index broadcasts_event on broadcasts (event_id);
create index broadcasts_recorder on broadcasts (id) where recorder is not null;
create index broadcasts_encoders on broadcasts (id) where encoder is not null and status <> 'ended';

-- The address that the encoder pushes to. A new one takes the place of the one before.
create table broadcast_ingests (
  broadcast_id uuid primary key references broadcasts on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz(3) not null default now()
);
