-- The end of the lease of a claimed first try, in a column without an index: a claim then changes no index, and fits into the page of
-- its row (a heap-only tuple). `next_attempt_at` is for retries alone. Earlier releases take a claimed row without it for leased.
alter table webhook_deliveries add column claimed_until timestamptz(3);
alter table webhook_deliveries set (fillfactor = 70);
update webhook_deliveries set next_attempt_at = null where status = 'pending' and attempts = 0 and claimed_by is null;
