-- A live event's commit as one statement, so that it costs one round trip: at a few hundred commands a second the trips of
-- BEGIN, five statements and COMMIT were half of what a command cost.

-- Stores occurrences and one delivery of each for every active endpoint that wants its type; one nobody wants is not
-- stored. Returns the number of deliveries.
create function append_occurrences(occurrences jsonb) returns integer language sql as $$
  with occurrence as (
    select * from jsonb_to_recordset(occurrences)
           as o(n integer, id uuid, workspace_id uuid, event_id uuid, type text, body text, occurred_at timestamptz)
  ), wanted as (
    select o.*, e.id as endpoint_id from occurrence o join webhook_endpoints e
        on e.workspace_id = o.workspace_id and e.status = 'active'
       and (e.event_types = '{}' or o.type = any (e.event_types))
  ), message as (
    insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
    select distinct id, workspace_id, event_id, type, body, occurred_at from wanted
  ), delivery as (
    insert into webhook_deliveries (id, message_id, endpoint_id, event_id, next_attempt_at)
    select gen_random_uuid(), id, endpoint_id, event_id, now() from wanted order by n
    returning 1
  )
  select count(*)::integer from delivery
$$;

-- New phases are inserted and changed ones rewritten.
create function upsert_phases(changed jsonb) returns void language sql as $$
  insert into phases (id, event_id, position, modality, config, feature_set, status, started_at, ended_at,
                      timer_ends_at, extended_seconds, rev, timer_rev, timer_elapsed)
  select * from jsonb_to_recordset(changed)
         as p(id uuid, event_id uuid, position integer, modality text, config jsonb, feature_set text[], status text,
              started_at timestamptz, ended_at timestamptz, timer_ends_at timestamptz, extended_seconds integer,
              rev integer, timer_rev integer, timer_elapsed boolean)
  on conflict (id) do update set config = excluded.config, feature_set = excluded.feature_set,
         status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
         timer_ends_at = excluded.timer_ends_at, extended_seconds = excluded.extended_seconds,
         rev = excluded.rev, timer_rev = excluded.timer_rev, timer_elapsed = excluded.timer_elapsed
$$;

create function update_event(e jsonb) returns void language sql as $$
  update events set type = e->>'type', title = e->>'title', status = e->>'status', visibility = e->>'visibility',
         scheduled_at = (e->>'scheduled_at')::timestamptz, scheduled_end_at = (e->>'scheduled_end_at')::timestamptz,
         allow_anonymous_voting = (e->>'allow_anonymous_voting')::boolean,
         allow_anonymous_questions = (e->>'allow_anonymous_questions')::boolean,
         capacity = (e->>'capacity')::integer, metadata = e->'metadata', updated_at = (e->>'updated_at')::timestamptz,
         published_at = (e->>'published_at')::timestamptz, started_at = (e->>'started_at')::timestamptz,
         ended_at = (e->>'ended_at')::timestamptz
   where id = (e->>'id')::uuid
$$;

-- `written`, every part of which may be absent: event, settling (phases that are not active), opening (the one that is),
-- publications, command, removed (participant ids), deleted, occurrences. The fence comes first and fails all the rest;
-- phases that end come before the one that starts, because at most one may be active. Returns the deliveries stored.
create function commit_live_event(of_event uuid, of_epoch bigint, to_version bigint, at_time timestamptz, written jsonb)
returns integer language plpgsql as $$
declare deliveries integer := 0;
begin
  perform fence_live_event(of_event, of_epoch, to_version);
  if written ? 'event' then perform update_event(written->'event'); end if;
  if written ? 'settling' then perform upsert_phases(written->'settling'); end if;
  if written ? 'opening' then perform upsert_phases(written->'opening'); end if;
  if written ? 'publications' then
    insert into publications (event_id, stream, s, version, frame, at)
    select of_event, p.stream, p.s, to_version, p.frame, at_time
      from jsonb_to_recordset(written->'publications') as p(stream text, s bigint, frame text);
  end if;
  if written ? 'command' then
    insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
    select of_event, c.scope, c.command_id, c.body_hash, c.reply, at_time
      from jsonb_to_record(written->'command') as c(scope text, command_id text, body_hash text, reply jsonb);
  end if;
  if written ? 'removed' then
    insert into live_removals (event_id, participant_id, at)
    select of_event, participant_id, at_time from jsonb_array_elements_text(written->'removed') as r(participant_id)
    on conflict do nothing;
  end if;
  if written ? 'occurrences' then deliveries := append_occurrences(written->'occurrences'); end if;
  if written ? 'deleted' then delete from events where id = of_event; end if;
  return deliveries;
end $$;
