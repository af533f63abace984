/**
 * What is otherwise in production: which pages may act with a session cookie (those of `PUBLIC_URL` alone, whatever `Host` says), and what
 * is not there.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createLiveEvent, createWorkspace, PASSWORD, signup } from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

const PUBLIC_URL = "https://events.example.com"

let production: TestServer
let development: TestServer
let cookie: string
beforeAll(async () => {
  production = await startTestServer({ NODE_ENV: "production", PUBLIC_URL })
  development = await startTestServer({ PUBLIC_URL })
  cookie = (await signup(production.url)).cookie
})
afterAll(() => Promise.all([production.stop(), development.stop()]))

const hostOf = (server: TestServer): string => new URL(server.url).host

test.each([
  ["its own address", () => PUBLIC_URL, 201],
  ["no browser", () => undefined, 201],
  ["its address by plain http", () => "http://events.example.com", 403],
  ["its address at another port", () => `${PUBLIC_URL}:8443`, 403],
  ["a name that begins like it", () => `${PUBLIC_URL}.evil.example`, 403],
  ["a name below it", () => "https://evil.events.example.com", 403],
  ["the name in Host", () => `http://${hostOf(production)}`, 403],
  ["the name in Host by https", () => `https://${hostOf(production)}`, 403],
  ["a sandbox", () => "null", 403],
])("in production a change from %s: %s -> %i", async (_name, origin, status) => {
  const given = origin()
  const headers = given === undefined ? {} : { origin: given }
  const answer = await call(production.url, "POST", "/v1/workspaces", { cookie, headers, body: { name: "W" } })
  expect(answer.status).toBe(status)
})

test("outside production the name by which it was reached is its own too", async () => {
  const { cookie } = await signup(development.url)
  const headers = { origin: `http://${hostOf(development)}` }
  const answer = await call(development.url, "POST", "/v1/workspaces", { cookie, headers, body: { name: "W" } })
  expect(answer.status).toBe(201)
})

test("in production an answer to an invite comes from its own address too", async () => {
  const headers = { origin: `http://${hostOf(production)}`, "content-type": "application/x-www-form-urlencoded" }
  const page = await fetch(`${production.url}/invite/nonsense`, { method: "POST", headers, body: "action=accept" })
  expect(page.status).toBe(403)
})

test("in production a vote by cookie comes from its own address too, and counts only then", async () => {
  const { key } = await createWorkspace(production.url)
  const event = await createLiveEvent(production.url, key, {
    visibility: "public",
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
    phases: [{ modality: "broadcast", featureSet: ["qa"] }],
  })
  const asking = `/v1/public/events/${event.id}/questions`
  const question = await call(production.url, "POST", asking, { body: { text: "Why?" } })
  const vote = (origin: string) =>
    call(production.url, "PUT", `/v1/public/questions/${question.body.id}/vote`, { headers: { origin } })
  const refused = await vote(`http://${hostOf(production)}`)
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"])
  const counted = await vote(PUBLIC_URL)
  expect([counted.status, counted.body.votes]).toEqual([200, 1])
  // It travels by TLS alone, as the address does.
  expect(counted.headers.get("set-cookie")).toMatch(/^gc_anon=.*; Secure$/)
})

test("in production no answer names ignored properties, and nobody keeps what webhooks send", async () => {
  const { key } = await createWorkspace(production.url)
  const body = { type: "webinar", title: "Launch", titel: "x" }
  const made = await call(production.url, "POST", "/v1/events", { key, body })
  expect([made.status, made.headers.get("x-gc-ignored")]).toEqual([201, null])
  expect((await fetch(`${production.url}/v1/dev/inboxes/${randomUUID()}`)).status).toBe(404)
})

test("in production without a mail server no link that opens an account is ever answered", async () => {
  const body = { email: `ada-${randomUUID()}@example.com`, password: PASSWORD, name: "Ada" }
  const made = await call(production.url, "POST", "/v1/accounts/signup", { body })
  const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0]
  const asked = [
    made,
    await call(production.url, "POST", "/v1/accounts/resend-verification", { cookie }),
    await call(production.url, "POST", "/v1/accounts/request-password-reset", { body: { email: body.email } }),
  ]
  expect(asked.map(({ status }) => status)).toEqual([201, 200, 200])
  for (const answer of asked) expect(JSON.stringify(answer.body)).not.toMatch(/token|Url/)
  // The manager of the workspace gets an invite's link in the answer, since no email is sent.
  const workspace = made.body.workspaces[0].id
  const path = `/v1/workspaces/${workspace}/invites`
  const invite = await call(production.url, "POST", path, { cookie, body: { email: "grace@example.com" } })
  expect(invite.body.inviteUrl).toMatch(/^https:\/\/events\.example\.com\/invite#token=/)
})

test("in production answers tell browsers to insist on TLS", async () => {
  const { headers } = await call(production.url, "GET", "/healthz")
  expect([headers.get("strict-transport-security"), headers.get("x-content-type-options")]).toEqual([
    "max-age=31536000",
    "nosniff",
  ])
})
