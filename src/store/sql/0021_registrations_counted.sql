-- The number of an event's registrations stands in the event's row, so that neither a registration nor a lower capacity
-- counts them. Only the triggers below change it. A registration takes the event's row first, so the number is exact under
-- concurrency.
alter table events add column registered integer not null default 0;

update events e set registered = r.taken
  from (select event_id, count(*) as taken from registrations group by event_id) r where r.event_id = e.id;

create function count_new_registrations() returns trigger language plpgsql as $$
begin
  update events e set registered = e.registered + a.n
    from (select event_id, count(*) as n from added group by event_id) a where e.id = a.event_id;
  return null;
end $$;
create trigger registrations_added after insert on registrations referencing new table as added
  for each statement execute function count_new_registrations();

-- When the event itself is deleted its row is gone by then, and nothing is left to change.
create function count_lost_registrations() returns trigger language plpgsql as $$
begin
  update events e set registered = e.registered - l.n
    from (select event_id, count(*) as n from lost group by event_id) l where e.id = l.event_id;
  return null;
end $$;
create trigger registrations_lost after delete on registrations referencing old table as lost
  for each statement execute function count_lost_registrations();

create or replace function refuse_lower_capacity() returns trigger language plpgsql as $$
begin
  if new.capacity < new.registered then
    raise exception 'more people are registered' using errcode = 'GC002';
  end if;
  return new;
end $$;
