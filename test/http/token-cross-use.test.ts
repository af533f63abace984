/** Every kind of token at every use: it is accepted for its own use and for no other. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { WebSocket } from "ws"
import {
  type CallOptions,
  call,
  createEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  tokenIn,
} from "../support/api.ts"
import { guestClaims, ISSUER, newPartnerKey, signToken } from "../support/partner.ts"
import { PLATFORM_KEY, startTestServer, type TestServer } from "../support/server.ts"

const KINDS = [
  "accountSession",
  "workspaceSession",
  "userSession",
  "entrySession",
  "guestSession",
  "gatewayToken",
  "apiKey",
  "platformKey",
  "verifyToken",
  "resetToken",
  "inviteToken",
  "entryToken",
  "notesToken",
  "partnerToken",
  "webhookSecret",
] as const
type Kind = (typeof KINDS)[number]

let server: TestServer
let eventId: string
let tokens: { readonly [K in Kind]: string }
const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)

beforeAll(async () => {
  server = await startTestServer()
  const acme = await createWorkspace(server.url)
  const key = acme.key
  const { cookie, email } = acme.owner
  const event = await createEvent(server.url, key, { phases: [{ modality: "broadcast" }, { modality: "meeting" }] })
  eventId = event.id
  await api("POST", `/v1/events/${eventId}/publish`, { key })
  const person = await createPerson(server.url, key, eventId, "host")
  const pair = newPartnerKey()
  await api("POST", `/v1/workspaces/${acme.id}/guest-integrations`, {
    key,
    body: { issuer: ISSUER, publicKeyPem: pair.pem },
  })
  const partnerToken = await signToken(pair.privateKey, guestClaims())
  const guest = await api("POST", `/v1/events/${eventId}/guest-session`, { body: { token: partnerToken } })
  const registrant = `${randomUUID()}@example.com`
  await api("POST", `/v1/public/events/${eventId}/register`, { body: { name: "R", email: registrant } })
  const mails = await api("GET", `/v1/dev/outbox?to=${registrant}`)
  const entryToken = tokenIn(mails.body.mails[0].links[0])
  const entry = await api("POST", `/v1/public/events/${eventId}/enter`, { body: { token: entryToken } })
  const invite = await api("POST", `/v1/workspaces/${acme.id}/invites`, { key, body: {} })
  const notes = await api("PUT", `/v1/events/${eventId}/tables/t/summary`, {
    key,
    body: {
      table: { number: 1, label: "T" },
      summary: { tldr: "", themes: [], ideas: [], questions: [], perQuestion: [] },
      stats: null,
      people: [],
      recipients: [{ userId: "u" }],
    },
  })
  const session = await api("POST", `/v1/workspaces/${acme.id}/session`, { cookie })
  const verify = await api("POST", "/v1/accounts/resend-verification", { cookie })
  const reset = await api("POST", "/v1/accounts/request-password-reset", { body: { email } })
  const webhook = await api("POST", "/v1/webhooks", { key, body: { url: "https://example.com/" } })
  tokens = {
    accountSession: cookie.split("=")[1] ?? "",
    workspaceSession: session.body.sessionToken,
    userSession: person.session,
    entrySession: entry.body.sessionToken,
    guestSession: guest.body.sessionToken,
    gatewayToken: (await gatewayToken(server.url, eventId, person.session)).token,
    apiKey: key,
    platformKey: PLATFORM_KEY,
    verifyToken: tokenIn(verify.body.verifyUrl),
    resetToken: tokenIn(reset.body.resetUrl),
    inviteToken: tokenIn(invite.body.inviteUrl),
    entryToken,
    notesToken: tokenIn(notes.body.recipients[0].url),
    partnerToken,
    webhookSecret: webhook.body.secret,
  }
})
afterAll(() => server.stop())

const opensGateway = (token: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/gateway`)
    socket.on("error", reject)
    socket.on("open", () => socket.send(JSON.stringify({ op: 2, d: { token } })))
    socket.on("message", (data) => {
      if (!String(data).includes('"t":"ready"')) return
      resolve(true)
      socket.close()
    })
    socket.on("close", () => resolve(false))
  })

const passes = async (method: string, path: string, options: CallOptions): Promise<boolean> =>
  (await api(method, path, options)).status < 400

/** Each use with the kinds it accepts. None of them uses a token up. */
const DOORS: ReadonlyArray<readonly [string, ReadonlyArray<Kind>, (token: string) => Promise<boolean>]> = [
  [
    "the session cookie",
    ["accountSession"],
    (token) => passes("GET", "/v1/accounts/me", { cookie: `gc_session=${token}` }),
  ],
  ["x-api-key", ["apiKey"], (token) => passes("GET", "/v1/events", { key: token })],
  [
    "x-platform-key",
    ["platformKey"],
    (token) => passes("GET", "/v1/workspaces", { headers: { "x-platform-key": token } }),
  ],
  ["a bearer token for management", ["workspaceSession"], (token) => passes("GET", "/v1/events", { bearer: token })],
  [
    "a bearer token for the gateway",
    ["workspaceSession", "userSession", "entrySession", "guestSession"],
    (token) => passes("POST", "/v1/auth/gateway-token", { bearer: token, body: { eventId } }),
  ],
  ["the gateway", ["gatewayToken"], (token) => opensGateway(token)],
  ["an invite", ["inviteToken"], (token) => passes("GET", `/v1/invites/${token}`, {})],
  [
    "an entry link",
    ["entryToken"],
    (token) => passes("POST", `/v1/public/events/${eventId}/enter`, { body: { token } }),
  ],
  [
    "notes of a table",
    ["notesToken"],
    (token) => passes("GET", `/v1/public/events/${eventId}/table-summary?t=${encodeURIComponent(token)}`, {}),
  ],
  [
    "a partner's token",
    ["partnerToken"],
    (token) => passes("POST", `/v1/events/${eventId}/guest-session`, { body: { token } }),
  ],
  [
    "the page that verifies",
    ["verifyToken"],
    async (token) => (await fetch(`${server.url}/verify?token=${encodeURIComponent(token)}`)).ok,
  ],
  [
    "the page that resets",
    ["resetToken"],
    async (token) => (await fetch(`${server.url}/reset?token=${encodeURIComponent(token)}`)).ok,
  ],
]

const openedBy = async (opens: (token: string) => Promise<boolean>): Promise<ReadonlyArray<Kind>> => {
  const opened: Kind[] = []
  for (const kind of KINDS) if (await opens(tokens[kind])) opened.push(kind)
  return opened
}

// One test, because the uses at its end take tokens away from those before them.
test("every use takes the tokens that are made for it and no other ones, and one that is used up is of no use for the other purpose", async () => {
  for (const [use, own, opens] of DOORS) expect([use, await openedBy(opens)]).toEqual([use, own])
  const verify = (token: string) => passes("POST", "/v1/accounts/verify", { body: { token } })
  const reset = (token: string) =>
    passes("POST", "/v1/accounts/reset-password", { body: { token, password: "a new password" } })
  for (const kind of KINDS) {
    if (kind !== "verifyToken" && tokens[kind].length <= 200) expect(await verify(tokens[kind]), kind).toBe(false)
    if (kind !== "resetToken" && tokens[kind].length <= 200) expect(await reset(tokens[kind]), kind).toBe(false)
  }
  expect(await verify(tokens.verifyToken)).toBe(true)
  expect(await reset(tokens.resetToken)).toBe(true)
})

test("a session in one workspace of an account manages none of its others", async () => {
  const acme = await createWorkspace(server.url)
  const other = await createWorkspace(server.url, acme.owner)
  const [mine, foreign] = [await createEvent(server.url, acme.key), await createEvent(server.url, other.key)]
  const { body } = await api("POST", `/v1/workspaces/${acme.id}/session`, { cookie: acme.owner.cookie })
  const bearer = body.sessionToken
  const read = async (id: string) => (await api("GET", `/v1/events/${id}`, { bearer })).status
  expect([await read(mine.id), await read(foreign.id)]).toEqual([200, 404])
  expect((await api("POST", `/v1/events/${foreign.id}/publish`, { bearer })).status).toBe(404)
})
