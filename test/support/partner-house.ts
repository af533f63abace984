/** A whole server with a workspace that knows a partner: what tests of guests start from. */
import postgres from "postgres"
import { type Answer, type CallOptions, call, createEvent, createWorkspace, type Workspace } from "./api.ts"
import { ISSUER, type PartnerKeyPair } from "./partner.ts"
import { startTestServer } from "./server.ts"

export interface PartnerHouse {
  readonly url: string
  readonly databaseUrl: string
  readonly sql: postgres.Sql
  /** A workspace that takes tokens of `ISSUER` signed by the given key. */
  readonly acme: Workspace
  /** Registers an issuer; resolves to the integration's id. */
  readonly register: (workspace: Workspace, source: object, issuer?: string) => Promise<string>
  /** The result as the integration's owner reads it. */
  readonly standing: (id: string) => Promise<{ readonly error: string | null; readonly verifiedAt: Date | null }>
  /** A published event; resolves to its id. */
  readonly publish: (fields?: { readonly [field: string]: unknown }, workspace?: Workspace) => Promise<string>
  readonly exchange: (eventId: string, token: unknown, options?: CallOptions) => Promise<Answer>
  readonly stop: () => Promise<void>
}

/** The answer to every wrong token. */
export const REFUSED = {
  status: 401,
  code: "unauthorized",
  detail: "The partner token is not valid for this event.",
}
export const summary = ({ status, body }: Answer) => ({ status, code: body.code, detail: body.detail })

export const openPartnerHouse = async (key: PartnerKeyPair): Promise<PartnerHouse> => {
  const server = await startTestServer()
  const sql = postgres(server.databaseUrl, { max: 1 })
  const acme = await createWorkspace(server.url)

  const register: PartnerHouse["register"] = async (workspace, source, issuer = ISSUER) => {
    const path = `/v1/workspaces/${workspace.id}/guest-integrations`
    const answer = await call(server.url, "POST", path, { key: workspace.key, body: { issuer, ...source } })
    if (answer.status !== 201) throw new Error(`integration: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }

  await register(acme, { publicKeyPem: key.pem })
  return {
    url: server.url,
    databaseUrl: server.databaseUrl,
    sql,
    acme,
    register,
    standing: async (id) => {
      const [row] = await sql<{ error: string | null; verifiedAt: Date | null }[]>`
        select last_error as error, last_verified_at as "verifiedAt" from guest_integrations where id = ${id}`
      if (row === undefined) throw new Error("no such integration")
      return row
    },
    publish: async (fields = {}, workspace = acme) => {
      const { id } = await createEvent(server.url, workspace.key, fields)
      await call(server.url, "POST", `/v1/events/${id}/publish`, { key: workspace.key })
      return id
    },
    exchange: (eventId, token, options = {}) =>
      call(server.url, "POST", `/v1/events/${eventId}/guest-session`, { body: { token }, ...options }),
    stop: async () => {
      await sql.end()
      await server.stop()
    },
  }
}
