/** The limits of one address: anonymous people through REST and the gateway alike, and sockets. In production mode, as users run it. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { describe, expect, test } from "vitest"
import { WebSocket } from "ws"
import { type Answer, call, createLiveEvent, createPerson, type Json } from "../support/api.ts"
import { createTestDatabase } from "../support/database.ts"
import { startTestServer } from "../support/server.ts"
import { startServerProcess } from "../support/server-process.ts"
import { apiOf, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"

const PRODUCTION = { NODE_ENV: "production", PUBLIC_URL: "https://events.example.com" }

const server = sharedServer(() =>
  startTestServer({ ...PRODUCTION, TRUSTED_PROXIES: "127.0.0.1", SOCKETS_PER_ADDRESS: "10" }),
)
const house = sharedWorkspace(server)

let next = 0
const newAddress = (): string => {
  next++
  return `198.51.${Math.floor(next / 250)}.${(next % 250) + 1}`
}
const from = (address: string) => ({ "x-forwarded-for": address })
const api = apiOf(server)
const gateway = (): string => `${server.url.replace("http", "ws")}/v1/gateway`
/** So few at a time that the database is no bound. */
const AT_A_TIME = 25
const many = async <A>(times: number, act: () => Promise<A>): Promise<ReadonlyArray<A>> => {
  const done: A[] = []
  while (done.length < times) {
    const few = Array.from({ length: Math.min(AT_A_TIME, times - done.length) }, act)
    done.push(...(await Promise.all(few)))
  }
  return done
}

const publicEvent = (): Promise<Json> =>
  createLiveEvent(server.url, house.key, {
    visibility: "public",
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
    phases: [{ modality: "broadcast", featureSet: ["qa", "reactions"] }],
  })

const mint = (eventId: string, address: string, bearer?: string) =>
  api("POST", "/v1/auth/gateway-token", {
    body: { eventId },
    headers: from(address),
    ...(bearer === undefined ? {} : { bearer }),
  })

const viewer = async (eventId: string, address: string): Promise<Client> => {
  const { token } = (await mint(eventId, address)).body
  const client = new Client(gateway(), [], from(address))
  await client.identify(token)
  return client
}

const askByRest = (eventId: string, address: string, bearer?: string) =>
  api("POST", `/v1/public/events/${eventId}/questions`, {
    body: { text: "Why?" },
    headers: from(address),
    ...(bearer === undefined ? {} : { bearer }),
  })

describe("anonymous people of one address", () => {
  test("ask ten questions at once by REST and the gateway together, under any identities", async () => {
    const { id } = await publicEvent()
    const address = newAddress()
    const since = performance.now()
    const viewers = await many(4, () => viewer(id, address))
    const asked = await Promise.all(viewers.map((one) => one.command("question.ask", { text: "Why?" })))
    expect(asked.map(({ ok }) => ok)).toEqual([true, true, true, true])
    const answers = await many(20, () => askByRest(id, address))
    const accepted = answers.filter(({ status }) => status === 201).length
    const seconds = (performance.now() - since) / 1000
    expect(accepted).toBeGreaterThanOrEqual(6)
    expect(accepted).toBeLessThanOrEqual(6 + Math.ceil(seconds / 2))
    const refused = answers.find(({ status }) => status === 429)
    expect([refused?.body.code, Number(refused?.headers.get("retry-after")) > 0]).toEqual(["rate_limited", true])
    const replies = await Promise.all(viewers.map((one) => one.command("question.ask", { text: "And?" })))
    const late = replies.filter(({ ok }) => !ok)
    expect(late.length).toBeGreaterThan(0)
    for (const { e } of late) expect([e.code, e.retryAfterMs > 0]).toEqual(["rate_limited", true])
    expect((await askByRest(id, newAddress())).status).toBe(201)
    const { session } = await createPerson(server.url, house.key, id, "viewer")
    expect((await askByRest(id, address, session)).status).toBe(201)
    const other = await publicEvent()
    expect((await askByRest(other.id, address)).status).toBe(201)
  })

  test("cast three hundred votes at once by REST without a cookie and the gateway together, and then thirty a second", async () => {
    const { id } = await publicEvent()
    const address = newAddress()
    const question = (await askByRest(id, newAddress())).body
    const voters = await many(8, () => viewer(id, address))
    const elsewhere = await viewer(id, newAddress())
    const vote = (one: Client) => one.command("question.vote", { id: question.id, on: true })
    const since = performance.now()
    const byRest: Answer[] = []
    const byGateway: Awaited<ReturnType<typeof vote>>[] = []
    // Thirty a second come back, so that a machine under load has to ask for longer until one is refused.
    do {
      const votes = () => api("PUT", `/v1/public/questions/${question.id}/vote`, { headers: from(address) })
      byRest.push(...(await many(200, votes)))
    } while (byRest.every(({ status }) => status === 200))
    expect(byRest.find(({ status }) => status !== 200)?.status).toBe(429)
    do {
      byGateway.push(...(await Promise.all(voters.flatMap((one) => Array.from({ length: 10 }, () => vote(one))))))
    } while (byGateway.every(({ ok }) => ok))
    const accepted = byRest.filter(({ status }) => status === 200).length + byGateway.filter(({ ok }) => ok).length
    const seconds = (performance.now() - since) / 1000
    expect(accepted).toBeGreaterThanOrEqual(300)
    expect(accepted).toBeLessThanOrEqual(Math.ceil(300 + 30 * seconds))
    const refused = byGateway.find(({ ok }) => !ok)
    expect([refused?.e.code, refused?.e.retryAfterMs > 0]).toEqual(["rate_limited", true])
    expect((await vote(elsewhere)).ok).toBe(true)
  })

  test("send five hundred reactions at once, and then a hundred a second", async () => {
    const { id } = await publicEvent()
    const address = newAddress()
    const viewers = await many(8, () => viewer(id, address))
    const elsewhere = await viewer(id, newAddress())
    const react = (one: Client) => one.command("reaction.send", { kind: "clap", n: 10 })
    const since = performance.now()
    const replies: Awaited<ReturnType<typeof react>>[] = []
    // A hundred a second come back, so that a machine under load has to ask for longer until one is refused.
    do {
      replies.push(...(await Promise.all(viewers.flatMap((one) => Array.from({ length: 10 }, () => react(one))))))
    } while (replies.every(({ ok }) => ok))
    const accepted = replies.filter(({ ok }) => ok).length * 10
    expect(accepted).toBeGreaterThanOrEqual(500)
    // timed: what a limit gives back grows with the time that the machine takes.
    expect(accepted).toBeLessThanOrEqual(500 + Math.ceil((performance.now() - since) / 100) * 10)
    const refused = replies.find(({ ok }) => !ok)
    expect([refused?.e.code, refused?.e.retryAfterMs > 0]).toEqual(["rate_limited", true])
    expect((await react(elsewhere)).ok).toBe(true)
  })

  test("get three hundred gateway tokens at once; signed-in people of that address get theirs", async () => {
    const { id } = await publicEvent()
    const address = newAddress()
    const since = performance.now()
    const answers = [...(await many(200, () => mint(id, address)))]
    // The limit gives ten a second back, and a busy machine may take its time.
    while (answers.every(({ status }) => status === 200)) answers.push(...(await many(200, () => mint(id, address))))
    const accepted = answers.filter(({ status }) => status === 200).length
    expect(accepted).toBeGreaterThanOrEqual(300)
    // timed: what a limit gives back grows with the time that the machine takes.
    expect(accepted).toBeLessThanOrEqual(Math.ceil(300 + (performance.now() - since) / 100))
    const refused = answers.find(({ status }) => status === 429)
    expect([refused?.body.code, Number(refused?.headers.get("retry-after")) > 0]).toEqual(["rate_limited", true])
    const { session } = await createPerson(server.url, house.key, id, "viewer")
    expect((await mint(id, address, session)).status).toBe(200)
  })
})

interface Upgrade {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly close: () => Promise<void>
}

/** Asks for a socket; resolves to 101, or to how it was refused. */
const open = (url: string, headers: { readonly [name: string]: string }): Promise<Upgrade> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    const close = async (): Promise<void> => {
      socket.close()
      await once(socket, "close")
    }
    socket.on("message", () => resolve({ status: 101, retryAfter: undefined, close }))
    socket.on("unexpected-response", (request, response) => {
      request.destroy()
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], close: async () => {} })
    })
    socket.on("error", reject)
  })

const closeAll = (opened: ReadonlyArray<Upgrade>) => Promise.all(opened.map(({ close }) => close()))
const statuses = (opened: ReadonlyArray<{ readonly status: number }>) => [
  ...new Set(opened.map(({ status }) => status)),
]

/** An upgrade with these header lines, as they are. */
const openRaw = async (url: string, lines: ReadonlyArray<string>): Promise<{ status: number; socket: Socket }> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  const upgrade = ["upgrade: websocket", "connection: upgrade", "sec-websocket-version: 13"]
  const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
  socket.write(["GET /v1/gateway HTTP/1.1", "host: localhost", ...upgrade, key, ...lines, "", ""].join("\r\n"))
  const [answer] = (await once(socket, "data")) as [Buffer]
  return { status: Number(answer.toString("latin1").slice(9, 12)), socket }
}

describe("sockets of one address", () => {
  test("are ten; one more is refused with a delay, and is opened when one is closed", async () => {
    const address = newAddress()
    const opened = await many(10, () => open(gateway(), from(address)))
    expect(statuses(opened)).toEqual([101])
    const late = await open(gateway(), from(address))
    expect([late.status, Number(late.retryAfter) > 0]).toEqual([429, true])
    const elsewhere = await open(gateway(), from(newAddress()))
    expect(elsewhere.status).toBe(101)
    await opened[0]?.close()
    // The server notices the close some time later.
    let again = await open(gateway(), from(address))
    for (let tries = 0; again.status !== 101 && tries < 200; tries++) again = await open(gateway(), from(address))
    expect(again.status).toBe(101)
    await closeAll([...opened.slice(1), elsewhere, again])
  })

  test("are ten also when many are opened at the same moment", async () => {
    const address = newAddress()
    const opened = await Promise.all(Array.from({ length: 40 }, () => open(gateway(), from(address))))
    const accepted = opened.filter(({ status }) => status === 101)
    expect([accepted.length, statuses(opened).toSorted()]).toEqual([10, [101, 429]])
    await closeAll(accepted)
  })

  test("are those of the last hop, also where the proxy adds a line of its own to the client's", async () => {
    const address = newAddress()
    const asTheProxySends = () => openRaw(server.url, ["x-forwarded-for: 203.0.113.99", `x-forwarded-for: ${address}`])
    const opened = await many(10, asTheProxySends)
    expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 101))
    expect((await asTheProxySends()).status).toBe(429)
    expect((await open(gateway(), from(address))).status).toBe(429)
    const claimed = await open(gateway(), from("203.0.113.99"))
    expect(claimed.status).toBe(101)
    for (const { socket } of opened) socket.destroy()
    await claimed.close()
  })

  test("count by /64, and by /48 at sixteen times as many", async () => {
    const site = (n: number, host: number): string => `2001:470:77:${n.toString(16)}::${host.toString(16)}`
    const opened: Upgrade[] = []
    for (let n = 0; n < 16; n++) {
      // At once: sockets that never identify are closed after a while.
      const hosts = Array.from({ length: 10 }, (_, host) => open(gateway(), from(site(n, host + 1))))
      opened.push(...(await Promise.all(hosts)))
      if (n === 0) expect((await open(gateway(), from(site(n, 99)))).status).toBe(429)
    }
    expect(statuses(opened)).toEqual([101])
    expect((await open(gateway(), from(site(16, 1)))).status).toBe(429)
    const other = await open(gateway(), from("2001:470:78::1"))
    expect(other.status).toBe(101)
    await closeAll([...opened, other])
  })
})

test("behind an unnamed proxy sockets are not counted, and one warning has the reason", async () => {
  const database = await createTestDatabase()
  const child = await startServerProcess({
    ...PRODUCTION,
    PORT: "0",
    DATABASE_URL: database.url,
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
    SOCKETS_PER_ADDRESS: "10",
    LOG_LEVEL: "warn",
  })
  const lines: string[] = []
  createInterface({ input: child.child.stdout ?? process.stdin }).on("line", (line) => lines.push(line))
  try {
    const url = `${child.url.replace("http", "ws")}/v1/gateway`
    const behind = await many(15, () => open(url, from("203.0.113.5")))
    expect(statuses(behind)).toEqual([101])
    // The peer itself has its limit, and all of it.
    const itself = await many(10, () => open(url, {}))
    expect(statuses(itself)).toEqual([101])
    expect((await open(url, {})).status).toBe(429)
    await closeAll([...behind, ...itself])
    const ready = () => call(child.url, "GET", "/readyz", { headers: from("203.0.113.5") })
    await eventually(async () => (await ready()).status === 200, "readiness")
  } finally {
    await child.end("SIGTERM")
    await database.drop()
  }
  const warnings = lines.filter((line) => line.includes("TRUSTED_PROXIES"))
  expect(warnings).toHaveLength(1)
  expect(JSON.parse(warnings[0] ?? "{}")).toMatchObject({ level: 40, peer: "127.0.0.1" })
})
