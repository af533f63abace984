-- The last refusal of a partner's token by integration and reason; without an integration for tokens that none is found for.
create table guest_refusals (
  workspace_id uuid not null references workspaces on delete cascade,
  integration_id uuid references guest_integrations on delete cascade,
  reason text not null,
  detail text not null,
  refused_at timestamptz not null default now()
);
create unique index guest_refusals_key on guest_refusals (workspace_id, coalesce(integration_id, workspace_id), reason);
create index guest_refusals_integration on guest_refusals (integration_id) where integration_id is not null;
