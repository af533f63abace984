/** Proofs of domains begin with their records, and end when those are gone: by the daily look-up, and by another workspace that proves the domain. */
import { randomUUID } from "node:crypto"
import { getServers, setServers } from "node:dns/promises"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Egress } from "../../src/egress/egress.ts"
import { lookUpProofs } from "../../src/http/handlers/workspaces/domain-proofs.ts"
import { HttpSettings } from "../../src/http/requests/settings.ts"
import { Connections } from "../../src/identity/connections/connections.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { Database } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { call, createWorkspace, type Json, type Workspace } from "../support/api.ts"
import { type DnsServer, startDnsServer } from "../support/dns-server.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let dns: DnsServer
let server: TestServer
let rows: Rows
const before = getServers()
beforeAll(async () => {
  dns = await startDnsServer()
  setServers([dns.address])
  server = await startTestServer({ NODE_ENV: "production", PUBLIC_URL: "https://events.example.com" })
  rows = rowsOf(server.databaseUrl)
})
afterAll(async () => {
  setServers(before)
  await rows.end()
  await server.stop()
  await dns.close()
})

const SETTINGS = { appUrl: "https://events.example.com" } as HttpSettings["Service"]
const KEYS = [new Uint8Array(32).fill(7)] as const

/** What the nodes do in an hour, a day after the last look-up. */
const dayLater = async (nodes = 1) => {
  await rows.run("update connection_domains set look_at = look_at - interval '25 hours'")
  const kernel = Layer.mergeAll(Egress.layer({ allowLoopback: false }), Layer.succeed(HttpSettings, SETTINGS)).pipe(
    Layer.provideMerge(
      Database.layer({ url: Redacted.make(server.databaseUrl), connections: 8, deadlineMs: DATABASE_DEADLINE_MS }),
    ),
    Layer.provideMerge(Telemetry.layer("silent")),
  )
  const urls = { publicUrl: "https://events.example.com", provesDomains: true }
  const parts = Layer.mergeAll(
    Connections.layer({ ...urls, tripKeys: KEYS, secretKeys: KEYS }),
    Mailer.layer({ sealingKeys: KEYS, smtp: null, keep: true }),
  )
  const runtime = ManagedRuntime.make(parts.pipe(Layer.provideMerge(kernel)))
  try {
    await runtime.runPromise(
      Effect.all(
        Array.from({ length: nodes }, () => lookUpProofs),
        { concurrency: nodes },
      ),
    )
  } finally {
    await runtime.dispose()
  }
}

/** A workspace with a connection for the domain, which it has not proved yet. */
const connected = async (domain: string) => {
  const acme = await createWorkspace(server.url)
  const { cookie, id } = acme.owner
  await rows.run("update account_emails set verified_at = now() where account_id = $1", [id])
  const at = `/v1/workspaces/${acme.id}/connections`
  const [issuer, fields] = ["https://login.invalid", { name: "Acme", clientId: "a", clientSecret: "b" }]
  const made = await call(server.url, "POST", at, { cookie, body: { ...fields, issuer, domains: [domain] } })
  const path = `${at}/${made.body.id}`
  const check = () => call(server.url, "POST", `${path}/check`, { cookie })
  const isProved = async (): Promise<boolean> =>
    (await call(server.url, "GET", at, { cookie })).body.connections[0].domains[0].proved
  return { acme, id: made.body.id, record: made.body.domains[0].record, check, isProved }
}
const losses = async ({ id, owner }: Workspace): Promise<ReadonlyArray<Json>> =>
  (await call(server.url, "GET", `/v1/workspaces/${id}/audit?action=connection.domain_lost`, { cookie: owner.cookie }))
    .body.entries
const letters = ({ owner }: Workspace) =>
  rows.run("select subject from mails where recipient = $1 and subject like 'A domain %'", [owner.email])
const newDomain = () => `d${randomUUID()}.example`

test("a domain counts once its DNS has the record", async () => {
  const acme = await createWorkspace(server.url)
  const { cookie } = acme.owner
  const domain = newDomain()
  const at = (method: string, path: string, body?: object) =>
    call(server.url, method, path, body === undefined ? { cookie } : { cookie, body })
  const connections = `/v1/workspaces/${acme.id}/connections`
  const input = (issuer: string) => ({
    name: "Acme login",
    issuer,
    clientId: "a",
    clientSecret: "b",
    domains: [domain],
  })
  const plain = await at("POST", connections, input("http://127.0.0.1:9"))
  expect([plain.status, plain.body.code, plain.body.detail]).toEqual([
    400,
    "bad_request",
    expect.stringMatching(/^issuer: /),
  ])
  const made = await at("POST", connections, input("https://login.invalid"))
  const [{ proved, record }] = made.body.domains
  expect([made.status, proved]).toEqual([201, false])
  const path = `${connections}/${made.body.id}`
  const find = async () => (await call(server.url, "GET", `/v1/auth/sso?email=ada@${domain}`)).body.connection
  const check = async () => (await at("POST", `${path}/check`)).body
  dns.records.set(record.name, ["gathercue-connection=another", "v=spf1 -all"])
  expect((await check()).domains[0].proved).toBe(false)
  expect(await find()).toBe(null)
  expect((await call(server.url, "GET", `/v1/auth/sso/${made.body.id}/start`)).status).toBe(404)
  const demanded = await at("PATCH", `/v1/workspaces/${acme.id}`, { sso: "required" })
  expect([demanded.status, demanded.body.code]).toEqual([409, "conflict"])
  dns.records.set(record.name, ["v=spf1 -all", record.value])
  const found = await check()
  expect([found.domains[0].proved, found.lastError]).toEqual([true, "The issuer is not reachable (dns)."])
  expect(await find()).toEqual({ id: made.body.id, name: "Acme login" })
})

test("three days without the record end a proof, once for all nodes, and the owners are told", async () => {
  const { acme, id, record, check, isProved } = await connected(newDomain())
  dns.records.set(record.name, [record.value])
  expect((await check()).body.domains[0].proved).toBe(true)
  await dayLater()
  dns.records.delete(record.name)
  await dayLater(3)
  await dayLater()
  // The record is back for a day: the count begins anew.
  dns.records.set(record.name, ["v=spf1 -all", record.value])
  await dayLater()
  dns.records.set(record.name, ["v=spf1 -all"])
  await dayLater()
  await dayLater(3)
  expect([await isProved(), await letters(acme)]).toEqual([true, []])
  await dayLater(3)
  expect([await isProved(), (await letters(acme)).length]).toEqual([false, 1])
  expect(await losses(acme)).toMatchObject([{ targetId: id, actor: { id: acme.owner.id } }])
  dns.records.set(record.name, [record.value])
  expect((await check()).body.domains[0].proved).toBe(true)
})

test("a resolver that does not answer ends none", async () => {
  const { record, check, isProved } = await connected(newDomain())
  dns.records.set(record.name, [record.value])
  await check()
  dns.fail(record.name)
  for (let day = 0; day < 4; day++) await dayLater()
  expect(await isProved()).toBe(true)
})

test("another workspace that proves the domain has it, where the record of the first is gone", async () => {
  const domain = newDomain()
  const [mine, theirs] = [await connected(domain), await connected(domain)]
  dns.records.set(mine.record.name, [mine.record.value])
  await mine.check()
  dns.records.set(mine.record.name, [mine.record.value, theirs.record.value])
  const early = await theirs.check()
  expect([early.status, early.body.code]).toEqual([409, "conflict"])
  dns.records.set(mine.record.name, [theirs.record.value])
  expect((await theirs.check()).body.domains[0].proved).toBe(true)
  expect(await mine.isProved()).toBe(false)
  expect([(await losses(mine.acme)).length, await losses(theirs.acme)]).toEqual([1, []])
  const found = await call(server.url, "GET", `/v1/auth/sso?email=ada@${domain}`)
  expect(found.body.connection.id).toBe(theirs.id)
})
