/** A whole server with a workspace, and the acts that tests of ended rights are made of. */
import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import {
  type Answer,
  type CallOptions,
  call,
  createLiveEvent,
  createWorkspace,
  gatewayToken,
  type Json,
  type Workspace,
} from "../support/api.ts"
import { addMember, type Member } from "../support/members.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { Client } from "./client.ts"

/** Less than the watch takes between two looks. */
const AT_ONCE_MS = 8_000

export interface IntegratorsUser {
  readonly userId: string
  readonly session: (key: string) => Promise<string>
}

export interface GrantHouse {
  readonly server: TestServer
  readonly rows: Rows
  readonly workspace: Workspace
  readonly api: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  readonly addMember: (role: "member" | "admin") => Promise<Member>
  readonly sessionOf: (cookie: string) => Promise<string>
  readonly privateEvent: (fields?: object) => Promise<Json>
  /** A client that has got its `ready`. */
  readonly connect: (eventId: string, session: string) => Promise<{ readonly client: Client; readonly ready: Json }>
  /** The status of a look at the event. */
  readonly look: (eventId: string, bearer: string) => Promise<number>
  /** The answer to a request for a gateway token. */
  readonly mint: (eventId: string, bearer: string) => Promise<Answer>
  readonly integratorsUser: () => Promise<IntegratorsUser>
  readonly giveRole: (eventId: string, userId: string, role: string) => Promise<Answer>
  /** Takes back the only role that the event's list has. */
  readonly takeRole: (eventId: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export const closedAtOnce = async (client: Client, code = 4203): Promise<void> => {
  const since = performance.now()
  expect((await client.closed).code).toBe(code)
  // timed: the watch closes it ten seconds later by itself.
  expect(performance.now() - since).toBeLessThan(AT_ONCE_MS)
}

export const openGrantHouse = async (environment: { readonly [key: string]: string } = {}): Promise<GrantHouse> => {
  const server = await startTestServer(environment)
  const rows = rowsOf(server.databaseUrl)
  const workspace = await createWorkspace(server.url)
  const { key } = workspace
  const api: GrantHouse["api"] = (method, path, options = {}) => call(server.url, method, path, options)
  return {
    server,
    rows,
    workspace,
    api,
    addMember: (role) => addMember(server.url, rows, workspace.id, role),
    sessionOf: async (cookie) =>
      (await api("POST", `/v1/workspaces/${workspace.id}/session`, { cookie })).body.sessionToken,
    privateEvent: (fields = {}) =>
      createLiveEvent(server.url, key, {
        visibility: "private",
        phases: [{ modality: "broadcast", featureSet: ["qa"] }],
        ...fields,
      }),
    connect: async (eventId, session) => {
      const { token, url } = await gatewayToken(server.url, eventId, session)
      const client = new Client(url)
      return { client, ready: await client.identify(token) }
    },
    look: (eventId, bearer) => api("GET", `/v1/public/events/${eventId}`, { bearer }).then(({ status }) => status),
    mint: (eventId, bearer) => api("POST", "/v1/auth/gateway-token", { bearer, body: { eventId } }),
    integratorsUser: async () => {
      const { body } = await api("POST", "/v1/users", { key, body: { externalSub: randomUUID(), name: "Ida" } })
      return {
        userId: body.id,
        session: async (by) => (await api("POST", `/v1/users/${body.id}/session`, { key: by })).body.sessionToken,
      }
    },
    giveRole: (eventId, userId, role) =>
      api("POST", `/v1/events/${eventId}/memberships`, { key, body: { userId, role } }),
    takeRole: async (eventId) => {
      const { body } = await api("GET", `/v1/events/${eventId}/memberships`, { key })
      const path = `/v1/events/${eventId}/memberships/${body.memberships[0].id}`
      expect((await api("DELETE", path, { key })).status).toBe(204)
      expect((await api("DELETE", path, { key })).status).toBe(404)
    },
    stop: async () => {
      await rows.end()
      await server.stop()
    },
  }
}
