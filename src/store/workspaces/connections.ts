/** Identity providers of workspaces, and the domains that each has proved. */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../../model/errors.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { onUniqueViolation, query } from "../query.ts"

interface DomainRow {
  readonly domain: string
  readonly token: string
  readonly provedAt: Timestamp | null
}

export interface ConnectionRow {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretSealed: Uint8Array
  readonly defaultRole: "member" | "admin"
  readonly createdByAccountId: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly lastSuccessAt: Timestamp | null
  readonly lastFailureAt: Timestamp | null
  readonly lastError: string | null
  readonly domains: ReadonlyArray<DomainRow>
}

type Stored = Omit<ConnectionRow, "domains">

const COLUMNS = `c.id, c.workspace_id, c.name, c.issuer, c.client_id, c.client_secret_sealed, c.default_role,
  c.created_by_account_id, c.created_at, c.updated_at, c.last_success_at, c.last_failure_at, c.last_error`

const withDomains = async (sql: Queryable, rows: ReadonlyArray<Stored>): Promise<ReadonlyArray<ConnectionRow>> => {
  const domains = await sql<(DomainRow & { connectionId: string })[]>`
    select connection_id, domain, token, proved_at from connection_domains
     where connection_id = any (${rows.map(({ id }) => id)}::uuid[]) order by domain`
  return rows.map((row) => ({ ...row, domains: domains.filter(({ connectionId }) => connectionId === row.id) }))
}

export const listConnections = async (sql: Queryable, workspaceId: string): Promise<ReadonlyArray<ConnectionRow>> =>
  withDomains(
    sql,
    await sql<Stored[]>`
      select ${sql.unsafe(COLUMNS)} from connections c where workspace_id = ${workspaceId} order by created_at desc, id desc`,
  )

/** Resolves to `undefined` for a connection of a deleted workspace, too. */
export const findConnection = async (sql: Queryable, id: string): Promise<ConnectionRow | undefined> => {
  const rows = await sql<Stored[]>`
    select ${sql.unsafe(COLUMNS)} from connections c join workspaces w on w.id = c.workspace_id
     where c.id = ${id} and w.deleted_at is null`
  return (await withDomains(sql, rows))[0]
}

/** The names of a connection and of its workspace. */
export const findConnectionNames = async (
  sql: Queryable,
  id: string,
): Promise<{ readonly connection: string; readonly workspace: string } | undefined> => {
  const [row] = await sql<{ connection: string; workspace: string }[]>`
    select c.name as connection, w.name as workspace from connections c join workspaces w on w.id = c.workspace_id
     where c.id = ${id}`
  return row
}

/** The connection that has proved this domain and serves its addresses. */
export const findConnectionFor = async (
  sql: Queryable,
  domain: string,
): Promise<{ readonly id: string; readonly name: string } | undefined> => {
  const [row] = await sql<{ id: string; name: string }[]>`
    select c.id, c.name from connection_domains d join connections c on c.id = d.connection_id
      join workspaces w on w.id = c.workspace_id
     where d.domain = ${domain} and d.proved_at is not null and w.deleted_at is null`
  return row
}

export const insertConnection = async (
  sql: Queryable,
  row: Omit<Stored, "createdAt" | "updatedAt" | "lastSuccessAt" | "lastFailureAt" | "lastError">,
): Promise<void> => {
  await sql`
    insert into connections (id, workspace_id, name, issuer, client_id, client_secret_sealed, default_role, created_by_account_id)
    values (${row.id}, ${row.workspaceId}, ${row.name}, ${row.issuer}, ${row.clientId}, ${row.clientSecretSealed},
            ${row.defaultRole}, ${row.createdByAccountId})`
}

/** Absent fields stay unchanged. Resolves to whether there is such a connection. */
export const updateConnection = async (
  sql: Queryable,
  { id, workspaceId }: Pick<Stored, "id" | "workspaceId">,
  change: Partial<Pick<Stored, "name" | "clientId" | "clientSecretSealed" | "defaultRole">>,
): Promise<boolean> => {
  const { count } = await sql`
    update connections set name = coalesce(${change.name ?? null}, name), client_id = coalesce(${change.clientId ?? null}, client_id),
           client_secret_sealed = coalesce(${change.clientSecretSealed ?? null}, client_secret_sealed),
           default_role = coalesce(${change.defaultRole ?? null}, default_role), updated_at = now()
     where id = ${id} and workspace_id = ${workspaceId}`
  return count > 0
}

export const deleteConnection = async (
  sql: Queryable,
  { id, workspaceId }: Pick<Stored, "id" | "workspaceId">,
): Promise<boolean> => (await sql`delete from connections where id = ${id} and workspace_id = ${workspaceId}`).count > 0

const TAKEN = new Conflict({ detail: "Another connection has proved one of these domains." })

/** Sets the domains of a connection; kept domains keep their token and proof. `isProved` skips the DNS record. */
export const putDomains = (
  sql: Queryable,
  connectionId: string,
  domains: ReadonlyArray<Pick<DomainRow, "domain" | "token">>,
  isProved: boolean,
): Effect.Effect<void, Conflict | Unavailable> =>
  Effect.gen(function* () {
    const names = domains.map(({ domain }) => domain)
    yield* query(
      () => sql`
        delete from connection_domains where connection_id = ${connectionId} and domain <> all (${names}::text[])`,
    )
    for (const { domain, token } of domains) {
      yield* onUniqueViolation(
        () => sql`
          insert into connection_domains (connection_id, domain, token, proved_at)
          values (${connectionId}, ${domain}, ${token}, case when ${isProved} then now() end)
          on conflict (connection_id, domain) do nothing`,
        "connection_domains_proved",
        () => TAKEN,
      )
    }
  })

export const proveDomain = (
  sql: Queryable,
  connectionId: string,
  domain: string,
): Effect.Effect<void, Conflict | Unavailable> =>
  Effect.asVoid(
    onUniqueViolation(
      () => sql`
        update connection_domains
           set proved_at = coalesce(proved_at, now()), absences = 0, look_at = now() + interval '1 day'
         where connection_id = ${connectionId} and domain = ${domain}`,
      "connection_domains_proved",
      () => TAKEN,
    ),
  )

/** `error` null records a success. */
export const noteConnectionUse = async (sql: Queryable, id: string, error: string | null): Promise<void> => {
  await (error === null
    ? sql`update connections set last_success_at = now(), last_error = null where id = ${id}`
    : sql`update connections set last_failure_at = now(), last_error = ${error} where id = ${id}`)
}

/** Whether the workspace has a connection through which people can sign in. */
export const hasProvedConnection = async (sql: Queryable, workspaceId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from connections c join connection_domains d on d.connection_id = c.id
     where c.workspace_id = ${workspaceId} and d.proved_at is not null limit 1`
  return rows.length > 0
}

export const requiresSso = async (sql: Queryable, workspaceId: string): Promise<boolean> =>
  (await sql`select 1 from workspaces where id = ${workspaceId} and sso = 'required'`).length > 0
