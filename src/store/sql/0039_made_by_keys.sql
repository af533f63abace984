-- What an API key made, so that its revocation ends the invites, and with `cascade=true` the rest. Null where a member made it, or a node of an
-- earlier release on behalf of a key.
alter table invites
  add column created_by_key_id uuid references api_keys on delete set null,
  add column accepted_by_account_id uuid references accounts on delete set null;
create index invites_created_by_key on invites (created_by_key_id) where created_by_key_id is not null;
create index invites_accepted_by on invites (accepted_by_account_id) where accepted_by_account_id is not null;
alter table webhook_endpoints add column created_by_key_id uuid references api_keys on delete set null;
create index webhook_endpoints_created_by_key on webhook_endpoints (created_by_key_id) where created_by_key_id is not null;
alter table guest_integrations add column created_by_key_id uuid references api_keys on delete set null;
create index guest_integrations_created_by_key on guest_integrations (created_by_key_id) where created_by_key_id is not null;
-- At most once a minute.
alter table entry_tokens add column last_used_at timestamptz(3);
