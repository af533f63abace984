-- People blocked by a host. A block applies to the person: under another id it is found by the address.

-- Digest of an address at an event. It reveals nothing about other events.
create or replace function address_mark(of_event uuid, address text) returns bytea language sql immutable as $$
  select sha256(convert_to(of_event::text || ' ' || lower(address), 'UTF8'))
$$;

create or replace function uuid_or_null(word text) returns uuid language sql immutable as $$
  select case when word ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then word::uuid end
$$;

-- Addresses of a registration or of an integrator's user, and those that an account has proved.
create or replace function addresses_of(of_event uuid, participant text) returns setof text language sql stable as $$
  select email from registrations
   where event_id = of_event and participant like 'reg:%' and id = uuid_or_null(substr(participant, 5))
  union all
  select lower(email) from users where id = uuid_or_null(participant) and account_id is null and email is not null
  union all
  select e.email from users u join account_emails e on e.account_id = u.account_id and e.verified_at is not null
   where u.id = uuid_or_null(participant)
$$;

-- Ids of people at the event with an address, each found by an index, independent of the number of participants.
create or replace function people_with(of_event uuid, address text) returns setof text language sql stable as $$
  select 'reg:' || id from registrations where event_id = of_event and email = address
  union all
  select u.id::text from users u join events e on e.workspace_id = u.workspace_id
   where e.id = of_event and lower(u.email) = address and u.account_id is null
  union all
  select u.id::text from account_emails m join users u on u.account_id = m.account_id
    join events e on e.workspace_id = u.workspace_id
   where e.id = of_event and m.email = address and m.verified_at is not null
$$;

create or replace function is_decided_on(of_event uuid, participant text) returns boolean language sql stable as $$
  select exists (select from live_removals where event_id = of_event and participant_id = participant)
      or exists (select from live_records where event_id = of_event and kind = 'admission' and id = participant and body->>'state' = 'held')
      or exists (select from live_records where event_id = of_event and kind = 'mute' and id = participant
                    and coalesce((body->>'until')::timestamptz > now(), true))
$$;

-- Whether the participant runs the event: its hosts, by its list or at the live event, and the owners and admins of its workspace.
create or replace function runs_event(of_event uuid, participant text) returns boolean language sql stable as $$
  select exists (select from memberships m
                  where m.event_id = of_event and m.user_id = uuid_or_null(participant) and m.role in ('host', 'workspace_admin'))
      or exists (select from live_records r
                  where r.event_id = of_event and r.kind = 'role' and r.id = participant and r.body->>'role' in ('host', 'workspace_admin'))
      or exists (select from users u join workspace_members w on w.account_id = u.account_id and w.workspace_id = u.workspace_id
                  where u.id = uuid_or_null(participant) and w.role in ('owner', 'admin'))
$$;

-- Whether a host has blocked or muted somebody with the same address, or sent them to the waiting room: this person enters as that
-- participant, or not at all. People who run the event are exempt, because they may have tried it as a registered person.
create or replace function is_blocked_by_address(of_event uuid, participant text) returns boolean language sql stable as $$
  select exists (
    select from addresses_of(of_event, participant) as own(address)
     where exists (select from live_removals
                    where event_id = of_event and address_mark = address_mark(of_event, own.address) and participant_id <> participant)
        or exists (select from people_with(of_event, own.address) as other(id)
                    where other.id <> participant and is_decided_on(of_event, other.id)))
     and not runs_event(of_event, participant)
$$;

create or replace function is_blocked(of_event uuid, participant text) returns boolean language sql stable as $$
  select exists (select from live_removals where event_id = of_event and participant_id = participant)
      or is_blocked_by_address(of_event, participant)
$$;

-- Called before registrations are deleted: blocked people stay blocked by their address.
create or replace function keep_blocks(of_registrations uuid[]) returns void language sql as $$
  update live_removals l set address_mark = address_mark(r.event_id, r.email)
    from registrations r
   where r.id = any (of_registrations) and l.event_id = r.event_id and l.participant_id = 'reg:' || r.id
$$;
