/** Which pages may act with a session cookie: in production those of `PUBLIC_URL` alone, whatever `Host` says. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createLiveEvent, createWorkspace, signup } from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

const PUBLIC_URL = "https://events.example.com"

let production: TestServer
let development: TestServer
beforeAll(async () => {
  production = await startTestServer({ NODE_ENV: "production", PUBLIC_URL })
  development = await startTestServer({ PUBLIC_URL })
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
  const { cookie } = await signup(production.url)
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
})
