-- The part of a publication that gateways act on (model/publication-fact.ts), beside the text that clients get.
alter table publications add column fact jsonb;

-- Records of activities are read by the schema of their kind and version (model/live-records.ts).
alter table live_records add column version smallint not null default 1;

create or replace function write_records(of_event uuid, changed jsonb) returns void language sql as $$
  insert into live_records (event_id, kind, id, version, body)
  select of_event, r.kind, r.id, r.version, r.body
    from jsonb_to_recordset(changed) as r(kind text, id text, version smallint, body jsonb)
  on conflict (event_id, kind, id) do update set version = excluded.version, body = excluded.body
$$;

create or replace function commit_live_event(of_event uuid, of_epoch bigint, from_version bigint, to_version bigint,
                                             at_time timestamptz, written jsonb)
returns integer language plpgsql as $$
declare deliveries integer := 0;
begin
  perform fence_live_event(of_event, of_epoch, from_version, to_version);
  if written ? 'event' then perform update_event(written->'event'); end if;
  if written ? 'settling' then perform upsert_phases(written->'settling'); end if;
  if written ? 'opening' then perform upsert_phases(written->'opening'); end if;
  if written ? 'activities' then perform write_activities(of_event, written->'activities'); end if;
  if written ? 'publications' then
    insert into publications (event_id, stream, s, version, frame, fact, at)
    select of_event, p.stream, p.s, p.version, p.frame, p.fact, at_time
      from jsonb_to_recordset(written->'publications')
           as p(stream text, s bigint, version bigint, frame text, fact jsonb);
  end if;
  if written ? 'commands' then
    insert into live_commands (event_id, scope, command_id, body_hash, reply, at)
    select of_event, c.scope, c.command_id, c.body_hash, c.reply, at_time
      from jsonb_to_recordset(written->'commands') as c(scope text, command_id text, body_hash text, reply jsonb);
  end if;
  if written ? 'restored' then
    delete from live_removals where event_id = of_event
       and participant_id in (select jsonb_array_elements_text(written->'restored'));
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
