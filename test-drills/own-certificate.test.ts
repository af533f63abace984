/** A server that gets its certificate by itself, beside Pebble: the first one, renewals under open connections, and what goes wrong. */
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { readFile, stat, writeFile } from "node:fs/promises"
import { Agent, request } from "node:https"
import { join } from "node:path"
import type { ConnectionOptions, TLSSocket } from "node:tls"
import { expect, onTestFinished, test } from "vitest"
import { WebSocket } from "ws"
import { GatewayClient } from "../packages/client/src/gateway-client.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { SECRET_KEY } from "../test/support/server.ts"
import { runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"
import { askSecurely, type Pebble, startPebble } from "./support/pebble.ts"

const NAME = "live.gathercue.test"
const OTHER = "www.gathercue.test"
const MONTHS = 90 * 86_400

const openPebble = async (lifeSeconds: number, port?: number): Promise<Pebble> => {
  const pebble = await startPebble(await temporaryFolder(), lifeSeconds, port)
  onTestFinished(() => pebble.stop())
  for (const name of [NAME, OTHER]) pebble.dns.addresses.set(name, ["127.0.0.1"])
  return pebble
}

/** Settings of a server that gets its certificate there. */
const settingsFor = async (pebble: Pick<Pebble, "directory" | "trust" | "httpPort">, domains = `${NAME}, ${OTHER}`) => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const port = await freePort()
  return {
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    SECRET_KEY,
    LOG_LEVEL: "info",
    PORT: String(port),
    ADMIN_PORT: String(await freePort()),
    PUBLIC_URL: `https://${NAME}:${port}`,
    ACME_DOMAINS: domains,
    ACME_TERMS: "agreed",
    ACME_EMAIL: "operator@gathercue.test",
    ACME_DIRECTORY: pebble.directory,
    ACME_HTTP_PORT: String(pebble.httpPort),
    NODE_EXTRA_CA_CERTS: pebble.trust,
    PLATFORM_KEY: "platform-key-of-the-drills-9f3a7c1e5b",
  }
}
type Settings = Awaited<ReturnType<typeof settingsFor>>

const start = async (settings: Settings) => {
  const server = await startServerProcess(settings)
  onTestFinished(async () => void (await server.end("SIGKILL")))
  return server
}

/** The certificate that new connections get; undefined: none does. */
const shown = async ({ PORT }: Settings): Promise<string | undefined> =>
  new Promise((resolve) => {
    const asking = request({
      host: "127.0.0.1",
      port: PORT,
      servername: NAME,
      rejectUnauthorized: false,
      agent: false,
      path: "/healthz",
    })
    asking.on("response", (answer) => {
      resolve((answer.socket as TLSSocket).getPeerCertificate().serialNumber)
      answer.resume()
    })
    asking.on("error", () => resolve(undefined)).end()
  })

const statusOf = async ({ ADMIN_PORT, PLATFORM_KEY }: Settings) =>
  (
    await call(`http://127.0.0.1:${ADMIN_PORT}`, "GET", "/v1/platform/status", {
      headers: { "x-platform-key": PLATFORM_KEY },
    })
  ).body

test("the first certificate comes by itself, is used for all names, and is kept for the next start", async () => {
  const pebble = await openPebble(MONTHS)
  const settings = await settingsFor(pebble)
  const server = await start(settings)
  expect(server.url).toBe(`https://127.0.0.1:${settings.PORT}`)
  await eventually(async () => (await shown(settings)) !== undefined, "a certificate")
  const ca = await pebble.root()
  for (const servername of [NAME, OTHER]) {
    expect(await askSecurely(`${server.url}/healthz`, { ca, servername })).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    })
  }
  await expect(askSecurely(`${server.url}/healthz`, { ca, servername: "foreign.test" })).rejects.toThrow(/altnames/)

  const plain = `http://127.0.0.1:${pebble.httpPort}`
  const moved = await fetch(`${plain}/host?tab=live`, {
    method: "POST",
    redirect: "manual",
    headers: { host: "evil.example" },
  })
  expect([moved.status, moved.headers.get("location")]).toEqual([308, `${settings.PUBLIC_URL}/host?tab=live`])
  expect((await fetch(`${plain}/.well-known/acme-challenge/unknown`)).status).toBe(404)

  const file = join(settings.DATA_DIR, "certificates", "certificate.pem")
  for (const path of [file, join(settings.DATA_DIR, "certificates", "account-key.pem")]) {
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  }
  const metrics = await (await fetch(`http://127.0.0.1:${settings.ADMIN_PORT}/metrics`)).text()
  const ends = Number(/^gathercue_certificate_ends_seconds (\d+)$/m.exec(metrics)?.[1])
  const [leaf = ""] = /-----BEGIN CERTIFICATE[\s\S]+?END CERTIFICATE-----/.exec(await readFile(file, "utf8")) ?? []
  expect(ends * 1000).toBe(Date.parse(new X509Certificate(leaf).validTo))
  expect(metrics).toContain('gathercue_certificate_orders_total{outcome="failed"} 0')
  expect((await statusOf(settings)).certificate).toEqual({
    names: [NAME, OTHER],
    endsAt: new Date(ends * 1000).toISOString(),
    problem: null,
  })
  expect(server.written()).not.toContain("PRIVATE KEY")

  const serial = await shown(settings)
  await server.end("SIGTERM")
  await start(settings)
  expect(await shown(settings)).toBe(serial)
})

test("a renewal cuts nothing: people, kept connections and commands go on, and new connections get the new certificate", async () => {
  const pebble = await openPebble(20)
  const settings = await settingsFor(pebble)
  await start(settings)
  await eventually(async () => (await shown(settings)) !== undefined, "a certificate")
  const first = await shown(settings)
  const ca = await pebble.root()
  const admin = `http://127.0.0.1:${settings.ADMIN_PORT}`
  const { key } = await createWorkspace(admin)
  const event = await createLiveEvent(admin, key, { phases: [{ modality: "meeting", featureSet: ["chat"] }] })
  /** As a browser that finds the name at this machine. */
  let opened = 0
  class Browser extends WebSocket {
    constructor(url: string, protocols: string[]) {
      opened += 1
      const tls: ConnectionOptions = { ca, servername: NAME }
      super(url.replace(NAME, "127.0.0.1"), protocols, tls)
    }
  }
  const join = async (name: string) => {
    const person = await createPerson(admin, key, event.id, "attendee", name)
    const client = new GatewayClient({ token: () => gatewayToken(admin, event.id, person.session), WebSocket: Browser })
    onTestFinished(() => client.close())
    await client.connect()
    return client
  }
  const ann = await join("Ann")
  const heard: string[] = []
  ann.on("chat.message", ({ message }) => heard.push(message.text))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const kept = async () => {
    const asking = request({
      host: "127.0.0.1",
      port: settings.PORT,
      servername: NAME,
      ca,
      agent,
      path: "/healthz",
    }).end()
    const [answer] = await once(asking, "response")
    const socket = answer.socket as TLSSocket
    const seen = [answer.statusCode, socket.getPeerCertificate().serialNumber, socket.localPort]
    answer.resume()
    await once(answer, "end")
    return seen
  }
  const before = await kept()
  expect(before.slice(0, 2)).toEqual([200, first])
  await eventually(async () => {
    // The connection is kept in use.
    expect(await kept()).toEqual(before)
    return (await shown(settings)) !== first
  }, "a renewal")

  expect(await kept()).toEqual(before)
  const bob = await join("Bob")
  bob.on("chat.message", ({ message }) => heard.push(`bob: ${message.text}`))
  await ann.command("chat.send", { to: "event", text: "from the old one" })
  await bob.command("chat.send", { to: "event", text: "from the new one" })
  await eventually(() => heard.length === 4, "both to hear both")
  expect(heard.toSorted()).toEqual([
    "bob: from the new one",
    "bob: from the old one",
    "from the new one",
    "from the old one",
  ])
  // Nobody had to open another socket.
  expect(opened).toBe(2)
})

test("a name that does not lead here is refused with a sentence, in the log, /ops, check and the plain port", async () => {
  const pebble = await openPebble(MONTHS)
  pebble.dns.addresses.delete(OTHER)
  const settings = await settingsFor(pebble)
  const server = await start(settings)
  await eventually(async () => (await statusOf(settings)).certificate.problem !== null, "a refusal")
  const { certificate } = await statusOf(settings)
  expect(certificate.endsAt).toBeNull()
  expect(certificate.problem).toMatch(
    /^127\.0\.0\.1:\d+ gave no certificate for live\.gathercue\.test, www\.gathercue\.test: .*www\.gathercue\.test/,
  )
  expect(server.written()).toMatch(/"retryInSeconds":6\d,"msg":"no certificate was obtained"/)
  const answer = await fetch(`http://127.0.0.1:${pebble.httpPort}/host`)
  expect([answer.status, await answer.text()]).toEqual([
    503,
    expect.stringMatching(/^This server has no certificate yet, /),
  ])
  expect((await call(`http://127.0.0.1:${settings.ADMIN_PORT}`, "GET", "/readyz")).status).toBe(200)
  const metrics = await (await fetch(`http://127.0.0.1:${settings.ADMIN_PORT}/metrics`)).text()
  expect(metrics).toContain("\ngathercue_certificate_ends_seconds 1\n")
  const { stdout } = await runCommand(["check", "--json"], settings)
  expect(JSON.parse(stdout).parts).toContainEqual(
    expect.objectContaining({
      part: "certificate",
      state: "warning",
      text: expect.stringMatching(/^There is none yet/),
    }),
  )
})

test("with the directory away the server starts: with its certificate, or saying why it has none", async () => {
  const pebble = await openPebble(MONTHS)
  const settings = await settingsFor(pebble)
  const nowhere = `127.0.0.1:${await freePort()}`
  const away = { ...settings, ACME_DIRECTORY: `https://${nowhere}/dir` }
  const without = await start(away)
  await eventually(async () => (await statusOf(away)).certificate.problem !== null, "a failure")
  expect((await statusOf(away)).certificate.problem).toBe(
    `${nowhere} gave no certificate for ${NAME}, ${OTHER}: ACME_DIRECTORY is not reached (connect ECONNREFUSED ${nowhere}).`,
  )
  const { stdout } = await runCommand(["check", "--json"], away)
  expect(JSON.parse(stdout).parts).toContainEqual(
    expect.objectContaining({ part: "certificate", state: "failed", text: expect.stringMatching(/ECONNREFUSED/) }),
  )
  await without.end("SIGTERM")

  const once = await start(settings)
  await eventually(async () => (await shown(settings)) !== undefined, "a certificate")
  const serial = await shown(settings)
  await once.end("SIGTERM")
  await start(away)
  expect(await shown(settings)).toBe(serial)
  expect((await statusOf(away)).certificate.problem).toBeNull()
})

test("a file that is no certificate is replaced, and one that lacks a name too", async () => {
  const pebble = await openPebble(MONTHS)
  const settings = await settingsFor(pebble, NAME)
  const alone = await start(settings)
  await eventually(async () => (await shown(settings)) !== undefined, "a certificate")
  const first = await shown(settings)
  await alone.end("SIGTERM")
  const both = { ...settings, ACME_DOMAINS: `${NAME},${OTHER}` }
  const wider = await start(both)
  await eventually(async () => ![first, undefined].includes(await shown(both)), "another certificate")
  const second = await shown(both)
  await wider.end("SIGTERM")
  const file = join(settings.DATA_DIR, "certificates", "certificate.pem")
  await writeFile(file, (await readFile(file, "utf8")).slice(0, 400))
  await start(both)
  await eventually(async () => ![first, second, undefined].includes(await shown(both)), "a whole certificate")
})
