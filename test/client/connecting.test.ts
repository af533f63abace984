/** How `connect` ends, and what becomes of a connection whose network changes: against the real server, over real sockets. */
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { type ConnectionStatus, GatewayClient, makeRestClient, RestProblem } from "../../packages/client/src/entry.ts"
import { call, createLiveEvent, createPerson } from "../support/api.ts"
import { type MuteRelay, muteRelay } from "../support/mute-relay.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { settlesWithin } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const publicEvent = () =>
  createLiveEvent(server.url, acme.key, { visibility: "public", phases: [{ modality: "broadcast" }] })

type Options = ConstructorParameters<typeof GatewayClient>[0]

const clientOf = (options: Options): { client: GatewayClient; errors: Array<number | null> } => {
  const client = new GatewayClient(options)
  onTestFinished(() => client.close())
  const errors: Array<number | null> = []
  client.on("error", ({ retryInMs }) => errors.push(retryInMs))
  return { client, errors }
}

const becomes = (client: GatewayClient, wanted: ConnectionStatus): Promise<void> =>
  new Promise((resolve) => {
    const stop = client.on("status", (status) => {
      if (status !== wanted) return
      stop()
      resolve()
    })
  })

describe("connect", () => {
  test("rejects for an event that has ended with the server's problem, after one request", async () => {
    const { id: eventId } = await publicEvent()
    await call(server.url, "POST", `/v1/events/${eventId}/end`, { key: acme.key })
    const api = makeRestClient({ baseUrl: server.url })
    const token = vi.fn(() => api.createGatewayToken({ payload: { eventId } }))
    const { client, errors } = clientOf({ token })
    const closed = new Promise((resolve) => client.on("closed", resolve))
    const cause = await client.connect().catch((problem: unknown) => problem)
    expect(cause).toBeInstanceOf(RestProblem)
    expect(cause).toMatchObject({ status: 409 })
    expect(await closed).toMatchObject({ code: 0, cause })
    expect([client.status, errors, token.mock.calls.length]).toEqual(["closed", [null], 1])
  })

  test("a token that is none is told as a failed try", async () => {
    const { client } = clientOf({ token: async () => ({ code: "unavailable" }) as never })
    const told = new Promise((resolve) => client.on("error", resolve))
    client.connect().catch(() => {})
    expect(await told).toMatchObject({ cause: expect.any(Error), retryInMs: expect.any(Number) })
  })
})

describe("the network", () => {
  /** The events of a page, which Node does not have. */
  const page = () => {
    const [window, document] = [new EventTarget(), Object.assign(new EventTarget(), { visibilityState: "visible" })]
    vi.stubGlobal("addEventListener", window.addEventListener.bind(window))
    vi.stubGlobal("removeEventListener", window.removeEventListener.bind(window))
    vi.stubGlobal("document", document)
    onTestFinished(() => void vi.unstubAllGlobals())
    return {
      window: (name: string) => window.dispatchEvent(new Event(name)),
      document: (name: string) => document.dispatchEvent(new Event(name)),
    }
  }

  const viewer = async (relay: MuteRelay, eventId: string, more: Partial<Options> = {}) => {
    // Not through the relay: Node would dial the gateway over the connection that its `fetch` keeps, which no browser does.
    const api = makeRestClient({ baseUrl: server.url })
    const token = async () => {
      const grant = await api.createGatewayToken({ payload: { eventId } })
      return { ...grant, url: relay.through(grant.url) }
    }
    const { client } = clientOf({ token, ...more })
    await client.connect()
    return client
  }

  const announce = async (eventId: string, text: string): Promise<void> => {
    const { session } = await createPerson(server.url, acme.key, eventId, "host")
    const api = makeRestClient({ baseUrl: server.url, sessionToken: session })
    const { client } = clientOf({ token: () => api.createGatewayToken({ payload: { eventId } }) })
    await client.connect()
    await client.command("announce", { text })
    client.close()
  }

  test("a switch of the network is noticed long before a heartbeat is missed, and nothing is missed", async () => {
    const signs = page()
    const event = await publicEvent()
    const relay = await muteRelay(server.url)
    const client = await viewer(relay, event.id)
    const heard: string[] = []
    client.on("announcement", ({ text }) => heard.push(text))
    relay.fallSilent()
    await announce(event.id, "said meanwhile")
    relay.recover()
    signs.window("offline")
    signs.window("online")
    // A heartbeat is due every twenty seconds.
    expect(await settlesWithin(15_000, becomes(client, "ready"))).toBe(true)
    expect(heard).toEqual(["said meanwhile"])
  })

  test("a client that waits for a far try connects at once at `online`, `focus` or `visibilitychange`", async () => {
    const event = await publicEvent()
    const waiting = async (sign: (signs: ReturnType<typeof page>) => boolean) => {
      const signs = page()
      const relay = await muteRelay(server.url)
      // The next try by itself would come after a minute or more.
      const client = await viewer(relay, event.id, { backoff: { firstMs: 1e9, longestMs: 1e9 }, helloTimeoutMs: 4000 })
      const waits = becomes(client, "waiting").then(() => becomes(client, "waiting"))
      relay.fallSilent()
      signs.window("offline")
      return async () => {
        await waits
        relay.recover()
        const ready = becomes(client, "ready")
        sign(signs)
        await ready
      }
    }
    // Each has the events of a page of its own, and they wait together.
    const shows = [
      await waiting((signs) => signs.window("online")),
      await waiting((signs) => signs.window("focus")),
      await waiting((signs) => signs.document("visibilitychange")),
    ]
    for (const connects of shows) await connects()
  })

  test("a try that began without a network is given up for another one at `online`", async () => {
    const signs = page()
    const event = await publicEvent()
    const relay = await muteRelay(server.url)
    const client = await viewer(relay, event.id)
    relay.fallSilent()
    const dials = relay.nextConnection()
    signs.window("offline")
    await dials
    expect(client.status).toBe("connecting")
    relay.recover()
    const ready = becomes(client, "ready")
    signs.window("online")
    // The try that is given up would last for ten seconds.
    expect(await settlesWithin(9_000, ready)).toBe(true)
  })

  test("after the client is closed no sign opens it", async () => {
    const signs = page()
    const event = await publicEvent()
    const client = await viewer(await muteRelay(server.url), event.id)
    client.close()
    signs.window("online")
    signs.document("visibilitychange")
    expect(client.status).toBe("closed")
  })
})
