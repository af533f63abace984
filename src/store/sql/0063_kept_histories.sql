-- 'kept': what an anonymous viewer of the event would receive is kept, and can be replayed once the event has ended.
alter table events add column history text not null default 'brief' check (history in ('brief', 'kept'));

-- The events that have kept publications. The row is the first to come and the last to go, so that a sweep reads no event without any.
create table kept_histories (event_id uuid primary key references events on delete cascade);

-- Publications that were swept from `publications`. `version` orders them as they were committed.
create table kept_publications (
  event_id uuid not null references kept_histories on delete cascade,
  version bigint not null,
  stream text not null,
  s bigint not null,
  frame text not null,
  -- The name of the dispatch.
  t text not null generated always as (coalesce(substring(frame from '"t":"([A-Za-z.]+)"'), '')) stored,
  at timestamptz(3) not null,
  primary key (event_id, version, stream, s)
);
-- What a replay or a sweep looks up by its kind.
create index kept_publications_rare on kept_publications (event_id)
 where t in ('phase.appended', 'chat.deleted', 'question.removed');
