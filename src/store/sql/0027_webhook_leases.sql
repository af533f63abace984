-- The end of the lease of a claimed first try, in a column without an index: a claim then changes no index, and fits into the page of
-- its row (a heap-only tuple). `next_attempt_at` is for retries, and tells earlier releases that a first try is leased. Rows that wait
-- are left as they are: a change of a large backlog would keep all commits waiting for this transaction.
alter table webhook_deliveries add column claimed_until timestamptz(3);
alter table webhook_deliveries set (fillfactor = 70);
