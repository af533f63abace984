-- Nobody who is registered loses a seat: a registration takes the event's row, so this count is exact under concurrency.
create function refuse_lower_capacity() returns trigger language plpgsql as $$
begin
  if new.capacity < (select count(*) from registrations where event_id = new.id) then
    raise exception 'more people are registered' using errcode = 'GC002';
  end if;
  return new;
end $$;
create trigger events_capacity before update of capacity on events
  for each row when (new.capacity is distinct from old.capacity) execute function refuse_lower_capacity();
