/** Which pages may act with a session cookie: in production those of `PUBLIC_URL` alone, whatever `Host` says. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, signup } from "../support/api.ts"
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

test("in production a vote by cookie and an answer to an invite come from its own address too", async () => {
  const headers = { origin: `http://${hostOf(production)}`, "content-type": "application/x-www-form-urlencoded" }
  const page = await fetch(`${production.url}/invite/nonsense`, { method: "POST", headers, body: "action=accept" })
  expect(page.status).toBe(403)
  const vote = await fetch(`${production.url}/v1/public/questions/0197a000-0000-7000-8000-000000000001/vote`, {
    method: "PUT",
    headers: { origin: `http://${hostOf(production)}` },
  })
  expect([403, 404]).toContain(vote.status)
})
