/** The client on networks without WebSockets: against the real server, through proxies. */
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { StreamSocket } from "../../packages/client/src/connection/stream-socket.ts"
import { CONTRACT } from "../../packages/client/src/contract/op.ts"
import { GatewayClient, makeRestClient, type Transport } from "../../packages/client/src/entry.ts"
import { call, createLiveEvent, createPerson } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { strictProxy } from "../support/strict-proxy.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

type Options = Omit<ConstructorParameters<typeof GatewayClient>[0], "token">

const QUICKLY = { backoff: { firstMs: 20, longestMs: 20 } }

const publicEvent = () =>
  createLiveEvent(server.url, acme.key, { visibility: "public", phases: [{ modality: "broadcast" }] })

const opened = (
  eventId: string,
  options: Options = {},
  {
    through = (address: string) => address,
    sessionToken,
  }: { through?: (address: string) => string; sessionToken?: string } = {},
) => {
  const api = makeRestClient({ baseUrl: server.url, ...(sessionToken === undefined ? {} : { sessionToken }) })
  const client = new GatewayClient({
    token: async () => {
      const grant = await api.createGatewayToken({ payload: { eventId } })
      return { ...grant, url: through(grant.url) }
    },
    ...QUICKLY,
    ...options,
  })
  onTestFinished(() => client.close())
  const heard: string[] = []
  const transports: Transport[] = []
  client.on("announcement", ({ text }) => heard.push(text))
  client.on("transport", (transport) => transports.push(transport))
  return { client, heard, transports }
}

const hostOf = async (eventId: string, through?: (address: string) => string) => {
  const { session } = await createPerson(server.url, acme.key, eventId, "host")
  return opened(eventId, {}, { sessionToken: session, ...(through && { through }) })
}

test("where upgrades are cut, the client takes an event stream after two attempts, and goes on as before", async () => {
  const { id } = await publicEvent()
  const proxy = await strictProxy(server.url)
  const { client, heard, transports } = await hostOf(id, proxy.through)
  await client.connect()
  expect([client.transport, transports, proxy.cutUpgrades(), proxy.streams.length]).toEqual(["sse", ["sse"], 2, 1])
  expect(client.state?.me.role).toBe("host")
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => client.command("announce", { text: `said ${n} ${"ü".repeat(900)}` })),
  )
  expect(replies.every(({ ok }) => ok)).toBe(true)
  await eventually(() => heard.length === 20, "the announcements")
  expect(heard.map((text) => Number(text.split(" ")[1]))).toEqual(Array.from({ length: 20 }, (_, n) => n))
  await eventually(() => client.clock.samples > 0, "the answer to a heartbeat")
})

test("a lost stream is resumed by a stream: nothing is missed or repeated, and commands are executed once", async () => {
  const { id } = await publicEvent()
  const proxy = await strictProxy(server.url)
  const { client, heard } = opened(id, {}, proxy)
  const host = await hostOf(id)
  await client.connect()
  await host.client.connect()
  for (let round = 0; round < 3; round++) {
    await host.client.command("announce", { text: `${round} before` })
    proxy.cut()
    await host.client.command("announce", { text: `${round} meanwhile` })
    await eventually(() => heard.includes(`${round} meanwhile`), "what was missed")
  }
  expect(heard).toEqual([0, 1, 2].flatMap((round) => [`${round} before`, `${round} meanwhile`]))
  // Each loss costs one attempt with a WebSocket.
  expect([client.transport, proxy.cutUpgrades()]).toEqual(["sse", 2 + 3])
})

test("after an outage that looked like such a network, the next loss leads back to a WebSocket", async () => {
  const { id } = await publicEvent()
  const proxy = await strictProxy(server.url)
  const { client, transports } = opened(id, {}, proxy)
  await client.connect()
  expect([client.transport, proxy.cutUpgrades()]).toEqual(["sse", 2])
  proxy.passUpgrades()
  const again = new Promise((resolve) => client.on("connected", resolve))
  proxy.cut()
  expect(await again).toMatchObject({ resumed: true })
  expect([client.transport, transports, proxy.streams.length]).toEqual(["websocket", ["sse", "websocket"], 1])
})

describe("a frame of the client", () => {
  test("that was taken without an answer is sent again, and its command is executed once", async () => {
    const { id } = await publicEvent()
    const proxy = await strictProxy(server.url)
    const { client, heard } = await hostOf(id, proxy.through)
    await client.connect()
    const taken = proxy.spoilNext("takeUnanswered")
    const first = client.command("announce", { text: "first" })
    await taken.ended
    expect((await first).ok).toBe(true)
    expect((await client.command("announce", { text: "second" })).ok).toBe(true)
    await eventually(() => heard.includes("second"), "the announcements")
    expect([heard, client.transport, proxy.streams.length]).toEqual([["first", "second"], "sse", 1])
  })

  test("whose request is held for ever is sent again after ten seconds, while the stream goes on", async () => {
    const { id } = await publicEvent()
    const proxy = await strictProxy(server.url)
    const { client: host } = await hostOf(id)
    await host.connect()
    const { token, url } = await makeRestClient({ baseUrl: server.url }).createGatewayToken({
      payload: { eventId: id },
    })
    const client = { name: "test", version: "0", contract: CONTRACT }
    const stream = new StreamSocket(proxy.through(url), { token, client }, 0)
    onTestFinished(() => stream.close())
    const waiting = new Map<string, () => void>()
    const frame = (text: string) => new Promise<void>((resolve) => waiting.set(text, resolve))
    stream.addEventListener("message", ({ data }: { readonly data: string }) => {
      for (const [text, resolve] of waiting) if (data.includes(text)) resolve()
    })
    await frame('"t":"ready"')
    const [answered, dispatched] = [frame('"id":"held"'), frame("meanwhile")]
    const held = proxy.spoilNext("hold")
    const timers = vi.spyOn(globalThis, "setTimeout")
    stream.send(JSON.stringify({ op: 3, id: "held", t: "hand.raise", d: {} }))
    const [giveUp, afterMs] = timers.mock.calls[0] ?? []
    timers.mockRestore()
    expect(afterMs).toBe(10_000)
    await held.come
    await host.command("announce", { text: "meanwhile" })
    await dispatched
    giveUp?.()
    await held.ended
    await answered
    expect(proxy.streams.length).toBe(1)
  })

  test("that has too many bytes ends the client, as over a WebSocket", async () => {
    const { id } = await publicEvent()
    const { client } = opened(id, { transport: "sse" })
    await client.connect()
    const closed = new Promise((resolve) => client.on("closed", resolve))
    client.command("chat.send", { to: "event", text: "x".repeat(17_000) }).catch(() => {})
    expect(await closed).toMatchObject({ code: 4301 })
  })
})

test("a proxy that passes on full buffers alone delays no frame, once the client has noticed it", async () => {
  const { id } = await publicEvent()
  const proxy = await strictProxy(server.url, 16_384)
  const { client, heard } = opened(id, { transport: "sse", helloTimeoutMs: 3000 }, proxy)
  const host = await hostOf(id)
  await Promise.all([client.connect(), host.client.connect()])
  expect(proxy.streams.map((query) => new URLSearchParams(query).get("padding")).slice(0, 2)).toEqual([null, "16384"])
  for (const text of ["one", "two"]) {
    await host.client.command("announce", { text })
    await eventually(() => heard.includes(text), text)
  }
  await eventually(() => client.clock.samples > 1, "the answers to heartbeats")
})

describe("the option `transport`", () => {
  test("`websocket` tries nothing else", async () => {
    const { id } = await publicEvent()
    const proxy = await strictProxy(server.url)
    const { client, transports } = opened(id, { transport: "websocket" }, proxy)
    client.connect().catch(() => {})
    await eventually(() => proxy.cutUpgrades() > 4, "several attempts")
    expect([client.transport, transports, proxy.streams]).toEqual(["websocket", [], []])
  })

  test("`sse` begins with a stream, and `auto` keeps a WebSocket that works", async () => {
    const { id } = await publicEvent()
    for (const [options, transport] of [
      [{ transport: "sse" }, "sse"],
      [{}, "websocket"],
    ] as const) {
      const { client, transports } = opened(id, options)
      const state = await client.connect()
      expect([state.event.id, client.transport, transports]).toEqual([id, transport, []])
    }
  })
})

test("the end of a right ends the stream, with the code of a socket", async () => {
  const { id } = await publicEvent()
  const { client } = opened(id, { transport: "sse" })
  await client.connect()
  const closed = new Promise((resolve) => client.on("closed", resolve))
  await call(server.url, "PATCH", `/v1/events/${id}`, { key: acme.key, body: { visibility: "private" } })
  // Revoked (4203), it asks for another token, and there is none.
  expect(await closed).toMatchObject({ code: 0, cause: { name: "RestProblem", status: 404 } })
})
