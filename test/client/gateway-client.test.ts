/** Links that neither work nor close: only the client itself can notice. Played by a WebSocket that the test holds. */
import { afterEach, expect, test, vi } from "vitest"
import type { GatewayClientOptions, GatewayToken } from "../../packages/client/src/client-options.ts"
import type { SocketConstructor } from "../../packages/client/src/connection/socket.ts"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"

class HeldSocket extends EventTarget {
  static readonly opened: HeldSocket[] = []
  heartbeats = 0
  identified: unknown
  readonly renewals: string[] = []
  talks = true
  readonly readyState = 1
  constructor() {
    super()
    HeldSocket.opened.push(this)
  }
  send(text: string): void {
    const { op, d } = JSON.parse(text)
    if (op === 2) this.identified = d
    if (op === 12) this.renewals.push(d.token)
    if (op !== 1) return
    this.heartbeats++
    if (this.talks) this.say({ op: 11, d: { t0: 0, t1: 0, t2: 0, heads: {} } })
  }
  close(): void {}
  say(object: unknown): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(object) }))
  }
}

const HEARTBEAT_MS = 20_000
const hello = {
  op: 10,
  d: { connectionId: "c", heartbeatMs: HEARTBEAT_MS, identifyTimeoutMs: 10_000, serverTime: "", maxFrame: 16_384 },
}

/** As much of a snapshot as the state needs. */
const READY = {
  resumed: false,
  reason: "new",
  epoch: "e",
  v: 1,
  cursors: {},
  me: { participantId: "p", role: "viewer", can: [], chatTo: ["event"], roomId: null },
  event: {},
  phases: [],
  timers: [],
  presence: { participants: [] },
}

const dial = async (options: Partial<GatewayClientOptions> = {}): Promise<GatewayClient> => {
  vi.useFakeTimers()
  const client = new GatewayClient({
    ...options,
    token: async () => ({ token: "t", url: "ws://unused.invalid", expiresAt: "2999-01-01T00:00:00.000Z" }),
    WebSocket: HeldSocket as unknown as SocketConstructor,
    backoff: { firstMs: 10, longestMs: 10 },
  })
  client.connect().catch(() => {})
  await vi.advanceTimersByTimeAsync(0)
  return client
}

afterEach(() => {
  vi.useRealTimers()
  HeldSocket.opened.length = 0
})

test("a connection without a hello is given up and another is opened", async () => {
  const client = await dial()
  await vi.advanceTimersByTimeAsync(9000)
  expect(HeldSocket.opened).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1100)
  expect(HeldSocket.opened).toHaveLength(2)
  client.close()
})

test("a client that is closed while its token is being fetched dials nothing", async () => {
  vi.useFakeTimers()
  let give: (token: GatewayToken) => void = () => {}
  const client = new GatewayClient({
    token: () => new Promise((resolve) => (give = resolve)),
    WebSocket: HeldSocket as unknown as SocketConstructor,
  })
  client.connect().catch(() => {})
  client.close()
  give({ token: "t", url: "ws://unused.invalid", expiresAt: "2999-01-01T00:00:00.000Z" })
  await vi.advanceTimersByTimeAsync(0)
  expect([HeldSocket.opened.length, client.status]).toEqual([0, "closed"])
})

test("a connection that goes silent is given up five seconds after a heartbeat, a talking one is kept", async () => {
  const client = await dial()
  const [first] = HeldSocket.opened
  first?.say(hello)
  await vi.advanceTimersByTimeAsync(3 * HEARTBEAT_MS + 1000)
  expect(HeldSocket.opened).toHaveLength(1)
  expect(first?.heartbeats).toBe(5) // three by the interval, two more samples for the clock
  if (first !== undefined) first.talks = false
  // The next heartbeat goes out after 19 s.
  await vi.advanceTimersByTimeAsync(19_000 + 4900)
  expect(HeldSocket.opened).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(HeldSocket.opened).toHaveLength(2)
  client.close()
})

test("a server of another contract ends the client, which sends it no token", async () => {
  const client = await dial()
  const [socket] = HeldSocket.opened
  const closed = new Promise((resolve) => client.on("closed", resolve))
  socket?.say({ ...hello, d: { ...hello.d, release: "9.0.0", contract: 2 } })
  expect(await closed).toMatchObject({ code: 4309, reason: "client 0.1.0, server 9.0.0" })
  expect([client.status, socket?.identified]).toEqual(["closed", undefined])
})

test("nothing keeps running after the client is closed", async () => {
  const client = await dial()
  HeldSocket.opened[0]?.say(hello)
  client.close()
  expect(vi.getTimerCount()).toBe(0)
})

test("a command of a client that has stopped is refused at once, and the next connection takes commands again", async () => {
  const client = await dial()
  client.close()
  await expect(client.command("hand.raise", {})).rejects.toMatchObject({
    name: "CommandUnanswered",
    message: "the client has stopped: connect again",
  })
  client.connect().catch(() => {})
  const raised = client.command("hand.raise", {}).catch((cause: unknown) => cause)
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  client.close()
  expect(await raised).toMatchObject({ message: "the connection has ended: 1000 left" })
})

test("a new token that the server cannot check for the moment is sent again after the server's delay", async () => {
  const client = await dial()
  const [socket] = HeldSocket.opened
  socket?.say(hello)
  socket?.say({ op: 0, t: "tokenExpiring", d: { at: "2999-01-01T00:00:00.000Z" } })
  await vi.advanceTimersByTimeAsync(0)
  expect(socket?.renewals).toEqual(["t"])
  const refusal = { code: "unavailable", message: "Later.", temporary: true, retryAfterMs: 1000 }
  socket?.say({ op: 13, d: refusal })
  await vi.advanceTimersByTimeAsync(999)
  expect(socket?.renewals).toEqual(["t"])
  await vi.advanceTimersByTimeAsync(1)
  expect(socket?.renewals).toEqual(["t", "t"])
  socket?.say({ op: 13, d: { code: "unauthorized", message: "No." } })
  socket?.say({ op: 13, d: refusal })
  client.close()
  await vi.advanceTimersByTimeAsync(5000)
  expect(socket?.renewals).toEqual(["t", "t"])
})

test("a frame with many dispatches is one change of the state, and each dispatch finds the state after itself", async () => {
  const client = await dial()
  const [socket] = HeldSocket.opened
  socket?.say(hello)
  socket?.say({ op: 0, t: "ready", d: READY })
  const told: Array<number | undefined> = []
  const seen: Array<number | undefined> = []
  client.on("state", ({ chat }) => told.push(chat.event.length))
  client.on("chat.message", () => seen.push(client.state?.chat.event.length))
  const message = (id: string) => ({ op: 0, t: "chat.message", v: 2, d: { message: { id, to: "event", text: id } } })
  socket?.say([message("a"), message("b"), message("c")])
  expect([told, seen]).toEqual([[3], [1, 2, 3]])
  // Nothing in the state changes: no listener is told.
  socket?.say({ op: 0, t: "reaction.tally", d: { counts: { like: 1 } } })
  socket?.say(message("c"))
  expect(told).toEqual([3])
  client.close()
})
