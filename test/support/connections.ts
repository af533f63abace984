/** Workspaces that sign their members in by an identity provider, and the way of a browser through it. */
import { randomUUID } from "node:crypto"
import { type Account, call, createWorkspace, type Json, tokenIn, type Workspace } from "./api.ts"
import { type Person, startIdentityProvider } from "./identity-provider.ts"
import { startTestServer } from "./server.ts"
import { apiOf, shared, sharedServer } from "./shared.ts"

type Headers = Readonly<Record<string, string>>

/** As a browser asks that a page of this server sent there. */
const OWN: Headers = { "sec-fetch-site": "same-origin" }

export const get = (url: string, cookie = "", headers = OWN) =>
  fetch(url, { redirect: "manual", headers: { cookie, ...headers } })
export const cookieNamed = (answer: Response, name: string): string =>
  answer.headers
    .getSetCookie()
    .find((set) => set.startsWith(`${name}=`))
    ?.split(";")[0] ?? ""

export const newDomain = () => `d${randomUUID()}.example`
export const connectionsOf = ({ id }: Workspace) => `/v1/workspaces/${id}/connections`
export const personOf = (domain: string, fields: Partial<Person> = {}): Person => ({
  sub: randomUUID(),
  email: `grace-${randomUUID()}@${domain}`,
  email_verified: true,
  name: "Grace Hopper",
  ...fields,
})

/** A server with the application at another address, and a provider, for the tests of a file. */
export const sharedConnections = (appUrl: string) => {
  const idp = shared(startIdentityProvider, (one) => one.close())
  const server = sharedServer(() => startTestServer({ APP_URL: appUrl }))
  const api = apiOf(server)
  const callback = () => `${server.url}/v1/auth/sso/`
  const inputFor = (domain: string, fields: object = {}) => ({
    name: "Acme login",
    issuer: idp.issuer,
    clientId: idp.clientId,
    clientSecret: idp.clientSecret,
    domains: [domain],
    ...fields,
  })
  /** A workspace with a connection for a domain of its own. */
  const connected = async (fields: object = {}) => {
    const acme = await createWorkspace(server.url)
    const domain = newDomain()
    const made = await api("POST", connectionsOf(acme), { cookie: acme.owner.cookie, body: inputFor(domain, fields) })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    if (made.body.issuer === idp.issuer) idp.register(made.body.redirectUri)
    return { acme, domain, connection: made.body, path: `${connectionsOf(acme)}/${made.body.id}` }
  }
  const begin = async (connectionId: string, fresh = false, headers = OWN) => {
    const answer = await get(`${server.url}/v1/auth/sso/${connectionId}/start?fresh=${fresh}`, "", headers)
    return { answer, location: answer.headers.get("location") ?? "", trip: cookieNamed(answer, "gc_sso") }
  }
  /** The whole way; resolves to the last address and the session it set. */
  const signInBy = async ({ id }: { id: string }, person: Person) => {
    idp.signInAs(person)
    const { location, trip } = await begin(id)
    const answer = await get(await idp.walk(location, callback()), trip)
    return { location: answer.headers.get("location"), session: cookieNamed(answer, "gc_session") }
  }
  const standingOf = async (workspace: Workspace): Promise<Json> =>
    (await api("GET", connectionsOf(workspace), workspace.owner)).body.connections[0]
  const membersOf = async ({ id, owner }: Workspace): Promise<ReadonlyArray<Json>> =>
    (await api("GET", `/v1/workspaces/${id}/members`, owner)).body.members
  const auditOf = async ({ id, owner }: Workspace): Promise<ReadonlyArray<Json>> =>
    (await api("GET", `/v1/workspaces/${id}/audit`, { cookie: owner.cookie })).body.entries
  const join = async ({ id, owner }: Workspace, account: Pick<Account, "cookie">, role: string) => {
    const path = `/v1/workspaces/${id}/invites`
    const { inviteUrl } = (await api("POST", path, { cookie: owner.cookie, body: { role } })).body
    await call(server.url, "POST", `/v1/invites/${tokenIn(inviteUrl)}/accept`, { cookie: account.cookie })
  }
  return { idp, server, api, callback, inputFor, connected, begin, signInBy, standingOf, membersOf, auditOf, join }
}
