-- Whom a host has blocked. A block holds against the person: under another id it is found by the address.

-- The digest of an address at an event. It says nothing about other events.
create or replace function address_mark(of_event uuid, address text) returns bytea language sql immutable as $$
  select sha256(convert_to(of_event::text || ' ' || lower(address), 'UTF8'))
$$;

create or replace function uuid_or_null(word text) returns uuid language sql immutable as $$
  select case when word ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then word::uuid end
$$;

-- The address of a registration or of an integrator's user, and those that an account has proved.
create or replace function addresses_of(of_event uuid, participant text) returns setof text language sql stable as $$
  select email from registrations
   where event_id = of_event and participant like 'reg:%' and id = uuid_or_null(substr(participant, 5))
  union all
  select lower(email) from users where id = uuid_or_null(participant) and account_id is null and email is not null
  union all
  select e.email from users u join account_emails e on e.account_id = u.account_id and e.verified_at is not null
   where u.id = uuid_or_null(participant)
$$;

-- Whom hosts have blocked, muted, or sent to the waiting room.
create or replace function decided_at(of_event uuid) returns table (participant_id text, address_mark bytea) language sql stable as $$
  select participant_id, address_mark from live_removals where event_id = of_event
  union all
  select id, null from live_records
   where event_id = of_event
     and (kind = 'admission' and body->>'state' = 'held'
          or kind = 'mute' and coalesce((body->>'until')::timestamptz > now(), true))
$$;

-- Somebody with the same address is blocked, muted, or has to wait for a host: they come in as that participant, or not at all. Hosts, who
-- may have tried the event as a registered person, are not meant.
create or replace function is_blocked_by_address(of_event uuid, participant text) returns boolean language sql stable as $$
  select exists (
    select from decided_at(of_event) as decided cross join addresses_of(of_event, participant) as own(address)
     where decided.participant_id <> participant
       and (decided.address_mark = address_mark(of_event, own.address)
            or own.address in (select addresses_of(of_event, decided.participant_id))))
     and not exists (
    select from memberships m
     where m.event_id = of_event and m.user_id = uuid_or_null(participant) and m.role in ('host', 'workspace_admin'))
$$;

create or replace function is_blocked(of_event uuid, participant text) returns boolean language sql stable as $$
  select exists (select from live_removals where event_id = of_event and participant_id = participant)
      or is_blocked_by_address(of_event, participant)
$$;

-- Before registrations are deleted: those that are blocked stay so by their address.
create or replace function keep_blocks(of_registrations uuid[]) returns void language sql as $$
  update live_removals l set address_mark = address_mark(r.event_id, r.email)
    from registrations r
   where r.id = any (of_registrations) and l.event_id = r.event_id and l.participant_id = 'reg:' || r.id
$$;
