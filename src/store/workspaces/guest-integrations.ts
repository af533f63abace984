/** Registered issuers of partner guests. Only active ones are listed and found; revoked rows stay for audits. */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../../model/errors.ts"
import {
  MAX_GUEST_INTEGRATIONS,
  type PartnerFault,
  type RefusalReason,
} from "../../model/integrations/guest-integration.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { lockWorkspace } from "../accounts/credentials.ts"
import type { Queryable } from "../database.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import { query } from "../query.ts"

export interface GuestIntegrationRow {
  readonly id: string
  readonly workspaceId: string
  readonly issuer: string
  readonly jwksUrl: string | null
  readonly publicKeyFingerprint: string | null
  readonly status: "active" | "revoked"
  readonly createdAt: Timestamp
  readonly revokedAt: Timestamp | null
  readonly lastVerifiedAt: Timestamp | null
  readonly lastError: PartnerFault | null
}

/** Source of an issuer's keys: the address of its key set, or its one key. Exactly one is not null. */
interface KeySource {
  readonly jwksUrl: string | null
  readonly publicKeyPem: string | null
}

const COLUMNS = `id, workspace_id, issuer, jwks_url, public_key_fingerprint,
  case when revoked_at is null then 'active' else 'revoked' end as status,
  created_at, revoked_at, last_verified_at, last_error`

/**
 * Fails with `Conflict` for a registered issuer, or when the workspace has reached the maximum number of integrations. Run it in a
 * transaction.
 */
export const insertGuestIntegration = (
  sql: Queryable,
  integration: KeySource & {
    readonly id: string
    readonly workspaceId: string
    readonly issuer: string
    readonly publicKeyFingerprint: string | null
    /** Null for a member. */
    readonly createdByKeyId: string | null
  },
): Effect.Effect<GuestIntegrationRow, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const { id, workspaceId, issuer, jwksUrl, publicKeyPem, publicKeyFingerprint, createdByKeyId } = integration
    // Locking the workspace's row keeps both answers true until the insert.
    yield* query(() => lockWorkspace(sql, workspaceId))
    const [held] = yield* query(
      () => sql<{ active: number; isTaken: boolean }[]>`
        select count(*) as active, coalesce(bool_or(issuer = ${issuer}), false) as is_taken
          from guest_integrations where workspace_id = ${workspaceId} and revoked_at is null`,
    )
    if (held?.isTaken) {
      return yield* new Conflict({ detail: "The workspace has an active integration for this issuer." })
    }
    if (held !== undefined && held.active >= MAX_GUEST_INTEGRATIONS) {
      const detail = `A workspace has at most ${MAX_GUEST_INTEGRATIONS} active guest integrations.`
      return yield* new Conflict({ detail })
    }
    const [row] = yield* query(
      () => sql<GuestIntegrationRow[]>`
        insert into guest_integrations
               (id, workspace_id, issuer, jwks_url, public_key_pem, public_key_fingerprint, created_by_key_id)
        values (${id}, ${workspaceId}, ${issuer}, ${jwksUrl}, ${publicKeyPem}, ${publicKeyFingerprint}, ${createdByKeyId})
        returning ${sql.unsafe(COLUMNS)}`,
    )
    return row ?? (yield* Effect.die(new Error("insert returned no row")))
  })

export const pageGuestIntegrations = async (
  sql: Queryable,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<GuestIntegrationRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<GuestIntegrationRow[]>`
    select ${sql.unsafe(COLUMNS)} from guest_integrations
     where workspace_id = ${workspaceId} and revoked_at is null
       and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Returns false when the workspace has no such active integration. */
export const revokeGuestIntegration = async (sql: Queryable, workspaceId: string, id: string): Promise<boolean> => {
  const rows = await sql`
    update guest_integrations set revoked_at = now()
     where id = ${id} and workspace_id = ${workspaceId} and revoked_at is null returning id`
  return rows.length > 0
}

export interface ActiveIntegration extends KeySource {
  readonly id: string
  readonly lastVerifiedAt: Timestamp | null
}

/** The workspace's active integration for exactly this issuer. */
export const findActiveIntegration = async (
  sql: Queryable,
  workspaceId: string,
  issuer: string,
): Promise<ActiveIntegration | undefined> => {
  const [row] = await sql<ActiveIntegration[]>`
    select id, jwks_url, public_key_pem, last_verified_at from guest_integrations
     where workspace_id = ${workspaceId} and revoked_at is null and issuer = ${issuer}`
  return row
}

export const isIntegrationActive = async (sql: Queryable, id: string): Promise<boolean> => {
  const rows = await sql`select 1 from guest_integrations where id = ${id} and revoked_at is null`
  return rows.length > 0
}

/** Records a verified token and clears the last fault, unless one was verified after `unlessSince`. */
export const noteVerified = async (
  sql: Queryable,
  id: string,
  verifiedAt: Timestamp,
  unlessSince: Timestamp,
): Promise<void> => {
  await sql`
    update guest_integrations set last_verified_at = ${verifiedAt}, last_error = null
     where id = ${id} and (last_verified_at is null or last_verified_at <= ${unlessSince})`
}

interface GuestRefusalRow {
  readonly integrationId: string | null
  readonly reason: RefusalReason
  readonly detail: string
  readonly refusedAt: Timestamp
}

/** Records a refused token, once a second for each integration and reason: anybody can send any number of invalid ones. */
export const noteRefusal = async (
  sql: Queryable,
  refusal: Omit<GuestRefusalRow, "refusedAt"> & { readonly workspaceId: string },
): Promise<void> => {
  const { workspaceId, integrationId, reason, detail } = refusal
  await sql`
    with noted as (
      update guest_integrations set last_error = ${reason} where id = ${integrationId}::uuid and last_error is distinct from ${reason}
    )
    insert into guest_refusals (workspace_id, integration_id, reason, detail)
    select ${workspaceId}::uuid, ${integrationId}::uuid, ${reason}, ${detail}
     where not exists (
       select 1 from guest_refusals where workspace_id = ${workspaceId} and reason = ${reason}
          and integration_id is not distinct from ${integrationId}::uuid and refused_at > now() - interval '1 second')
    on conflict (workspace_id, coalesce(integration_id, workspace_id), reason)
    do update set detail = excluded.detail, refused_at = excluded.refused_at`
}

/** The last refusal by integration and reason, newest first, without revoked integrations. */
export const listGuestRefusals = async (
  sql: Queryable,
  workspaceId: string,
): Promise<ReadonlyArray<GuestRefusalRow>> => sql<GuestRefusalRow[]>`
  select r.integration_id, r.reason, r.detail, r.refused_at
    from guest_refusals r left join guest_integrations g on g.id = r.integration_id
   where r.workspace_id = ${workspaceId} and g.revoked_at is null order by r.refused_at desc, r.reason`
