-- Takes a token from each bucket, or none when one of them is empty. `step_ms` is the time in which a bucket gets a token, and `bursts` the
-- tokens of a full bucket. Buckets of one call are in an order that all callers share, so that no two wait for each other. `wait_ms` is 0,
-- or the time until the refusing bucket has a token; the other columns belong to that bucket, or to the last one.
create or replace function take_tokens(keys bytea[], step_ms double precision[], bursts double precision[])
returns table (wait_ms double precision, tokens double precision, full_in_ms double precision) language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  step interval;
  fullness timestamptz;
  is_refused boolean := false;
  n integer;
begin
  for n in 1 .. cardinality(keys) loop
    step := make_interval(secs => step_ms[n] / 1000);
    fullness := null;
    insert into rate_buckets as b (key, full_at) values (keys[n], at + step)
    on conflict (key) do update set full_at = greatest(b.full_at, at) + step
      where greatest(b.full_at, at) + step <= at + step * bursts[n]
    returning b.full_at into fullness;
    if fullness is null then
      is_refused := true;
      select b.full_at into fullness from rate_buckets b where b.key = keys[n];
      perform give_back_tokens(keys[1 : n - 1], step_ms[1 : n - 1]);
    end if;
    wait_ms := case when is_refused then extract(epoch from fullness - at) * 1000 - step_ms[n] * (bursts[n] - 1) else 0 end;
    full_in_ms := extract(epoch from fullness - at) * 1000;
    tokens := bursts[n] - full_in_ms / step_ms[n];
    exit when is_refused;
  end loop;
  return next;
end $$;

create or replace function give_back_tokens(keys bytea[], step_ms double precision[]) returns void language sql as $$
  update rate_buckets b set full_at = b.full_at - make_interval(secs => g.step / 1000)
    from unnest(keys, step_ms) as g(key, step) where b.key = g.key
$$;
