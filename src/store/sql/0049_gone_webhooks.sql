-- An endpoint that this server disabled, of which its owners and the other endpoints are still to be told.
alter table webhook_endpoints add column is_untold boolean not null default false, add column told_at timestamptz;
create index webhook_endpoints_untold on webhook_endpoints (id) where is_untold;
