/** Identity providers of a workspace, managed by its owners. */
import { Effect } from "effect"
import { Connections, proofRecordOf } from "../../../identity/connections/connections.ts"
import { newSecret } from "../../../identity/secrets.ts"
import { Conflict, NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { lockWorkspace, requireCredential } from "../../../store/accounts/credentials.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import {
  type ConnectionRow,
  deleteConnection,
  findConnection,
  hasProvedConnection,
  insertConnection,
  listConnections,
  noteConnectionUse,
  putDomains,
  requiresSso,
  updateConnection,
} from "../../../store/workspaces/connections.ts"
import type { Connection, ConnectionsApi } from "../../contract/workspaces/connections.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { proveBy } from "./domain-proofs.ts"

const MOST = 10

const viewOf = ({ redirectUriOf }: Connections["Service"], row: ConnectionRow): Connection => ({
  ...row,
  redirectUri: redirectUriOf(row.id),
  domains: row.domains.map((one) => ({
    domain: one.domain,
    proved: one.provedAt !== null,
    record: proofRecordOf(one),
  })),
})

/** Resolves to the connection if it belongs to the workspace. */
const connectionOf = (sql: Queryable, workspaceId: string, id: string) =>
  Effect.gen(function* () {
    const row = yield* query(() => findConnection(sql, id))
    return row === undefined || row.workspaceId !== workspaceId ? yield* NotFound.of("connection") : row
  })

/** Serialises changes of connections, each while the caller may still make it. */
const change = <A, E, R>(
  { workspaceId, sessionId }: Scopes["workspaceOwner"],
  body: (sql: Queryable) => Effect.Effect<A, E, R>,
) =>
  Effect.flatMap(Database, (database) =>
    database.transaction((sql) =>
      Effect.gen(function* () {
        yield* query(() => lockWorkspace(sql, workspaceId))
        yield* requireCredential(sql, workspaceId, { sessionId }, "owners")
        return yield* body(sql)
      }),
    ),
  )

/** Members who must sign in through a connection need one. */
const keepsOne = (sql: Queryable, workspaceId: string) =>
  Effect.gen(function* () {
    if (!(yield* query(() => requiresSso(sql, workspaceId)))) return
    if (yield* query(() => hasProvedConnection(sql, workspaceId))) return
    return yield* new Conflict({
      detail: "Members have to sign in by a connection with a proved domain; this is the last.",
    })
  })

const withTokens = (domains: ReadonlyArray<string>) =>
  [...new Set(domains)].map((domain) => ({ domain, token: newSecret() }))

export const connections = {
  listConnections: {
    access: "workspaceAdmin",
    handle: ({ scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const service = yield* Connections
        const rows = yield* (yield* Database).run((sql) => listConnections(sql, workspaceId))
        return { connections: rows.map((row) => viewOf(service, row)) }
      }),
  },
  createConnection: {
    access: "workspaceOwner",
    handle: ({ payload, scope, scope: { workspaceId, accountId } }) =>
      Effect.gen(function* () {
        const service = yield* Connections
        const { provesDomains, sealSecret, checkIssuer } = service
        yield* checkIssuer(payload.issuer)
        const id = newId()
        const { name, issuer, clientId, clientSecret, defaultRole = "member" } = payload
        const row = yield* change(scope, (sql) =>
          Effect.gen(function* () {
            if ((yield* query(() => listConnections(sql, workspaceId))).length >= MOST) {
              return yield* new Conflict({ detail: `A workspace has at most ${MOST} connections.` })
            }
            const given = { id, workspaceId, name, issuer, clientId, defaultRole, createdByAccountId: accountId }
            const clientSecretSealed = sealSecret(id, clientSecret)
            yield* query(() => insertConnection(sql, { ...given, clientSecretSealed }))
            yield* putDomains(sql, id, withTokens(payload.domains), !provesDomains)
            return yield* connectionOf(sql, workspaceId, id)
          }),
        )
        return viewOf(service, row)
      }),
  },
  patchConnection: {
    access: "workspaceOwner",
    handle: ({ params: { connectionId }, payload, scope, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const service = yield* Connections
        const { provesDomains, sealSecret } = service
        const { clientSecret, domains, ...fields } = payload
        const secret = clientSecret === undefined ? {} : { clientSecretSealed: sealSecret(connectionId, clientSecret) }
        const row = yield* change(scope, (sql) =>
          Effect.gen(function* () {
            const of = { id: connectionId, workspaceId }
            const isThere = yield* query(() => updateConnection(sql, of, { ...fields, ...secret }))
            if (!isThere) return yield* NotFound.of("connection")
            if (domains !== undefined) yield* putDomains(sql, connectionId, withTokens(domains), !provesDomains)
            yield* keepsOne(sql, workspaceId)
            return yield* connectionOf(sql, workspaceId, connectionId)
          }),
        )
        return viewOf(service, row)
      }),
  },
  checkConnection: {
    access: "workspaceOwner",
    handle: ({ params: { connectionId }, requestId, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const service = yield* Connections
        const { recordsOf, test } = service
        const row = yield* database.run((sql) => connectionOf(sql, workspaceId, connectionId))
        for (const one of row.domains.filter(({ provedAt }) => provedAt === null)) {
          const { domain } = one
          const records = (yield* recordsOf(domain)) ?? []
          if (records.includes(proofRecordOf(one).value)) {
            yield* database.transaction((sql) => proveBy(sql, { connectionId, domain }, records, requestId))
          }
        }
        const error = yield* Effect.match(test(row), { onSuccess: () => null, onFailure: ({ reason }) => reason })
        yield* database.run((sql) => noteConnectionUse(sql, connectionId, error))
        return viewOf(service, yield* database.run((sql) => connectionOf(sql, workspaceId, connectionId)))
      }),
  },
  deleteConnection: {
    access: "workspaceOwner",
    handle: ({ params: { connectionId }, scope, scope: { workspaceId } }) =>
      change(scope, (sql) =>
        Effect.gen(function* () {
          const isGone = yield* query(() => deleteConnection(sql, { id: connectionId, workspaceId }))
          if (!isGone) return yield* NotFound.of("connection")
          yield* keepsOne(sql, workspaceId)
        }),
      ).pipe(Effect.as(new Reply(undefined, {}))),
  },
} satisfies Handlers<typeof ConnectionsApi>
