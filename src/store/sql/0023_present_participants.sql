-- The participants whose arrival was announced and whose departure was not: written in the transaction that announces them. The
-- next activation waits for them, after an orderly stop and after a crash alike, so that each stay has one joined and one left.
create table present_participants (
  event_id uuid not null references events on delete cascade,
  participant_id text not null,
  -- As actors/presence/presence.ts has it.
  present jsonb not null,
  primary key (event_id, participant_id)
);

insert into present_participants (event_id, participant_id, present)
select l.event_id, p->>'participantId', p
  from live_events l cross join jsonb_array_elements(l.roster) as p
 where l.roster is not null
on conflict do nothing;

alter table live_events drop column roster;
