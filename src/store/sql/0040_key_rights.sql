-- What API keys may do and where. Null scopes: all, of a key that was made before or by the release before. Null events: all events.
alter table api_keys add column scopes text[];
alter table api_keys add column event_ids uuid[];

-- The audit log says of each key that was made before scopes that it keeps all rights.
insert into audit_entries (id, workspace_id, action, actor_kind, actor_id, target_id, request_id)
select gen_random_uuid(), workspace_id, 'api_key.all_scopes', 'key', id, id::text, 'migration'
  from api_keys where revoked_at is null and (expires_at is null or expires_at > now());
