/** The load of integrators and people on a deployment, which notes whatever fails. */
import { randomUUID } from "node:crypto"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"

interface LoadReport {
  readonly requests: number
  readonly commands: number
  /** Requests that were answered with another status than expected or not at all, and commands that were refused. */
  readonly failures: ReadonlyArray<string>
  /** Commands that were acknowledged and are missing in the event, or are there twice. */
  readonly wrong: ReadonlyArray<string>
  /** Milliseconds that the slowest request took. */
  readonly slowestMs: number
}

/** Callers at once, each of which pauses between its requests so that no limit of a key is reached. */
const CALLERS = 4
const PAUSE_MS = 15
const PEOPLE = 4

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    // timed: the pace of the load.
    setTimeout(resolve, ms)
  })

/** Sends requests and commands until `end` is called. */
export const startLoad = async (url: string): Promise<{ readonly end: () => Promise<LoadReport> }> => {
  const { key } = await createWorkspace(url)
  const event = await createLiveEvent(url, key, { phases: [{ modality: "meeting", featureSet: ["chat"] }] })
  const failures: string[] = []
  let isOver = false
  let requests = 0
  let slowestMs = 0
  const ask = async (expected: number, method: string, path: string, body?: object): Promise<void> => {
    const began = performance.now()
    const answer = await call(url, method, path, { key, ...(body === undefined ? {} : { body }) }).catch(
      (cause: unknown) => ({ status: 0, body: String(cause) }),
    )
    requests++
    slowestMs = Math.max(slowestMs, performance.now() - began)
    if (answer.status !== expected) {
      failures.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
    }
  }
  const caller = async (): Promise<void> => {
    while (!isOver) {
      await ask(200, "GET", `/v1/events/${event.id}`)
      await ask(201, "POST", "/v1/users", { externalSub: randomUUID(), name: "Ada" })
      await ask(200, "GET", "/v1/events?limit=5")
      await ask(200, "PATCH", `/v1/events/${event.id}`, { title: randomUUID() })
      await pause(PAUSE_MS)
    }
  }
  const clients = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, n) => {
      const person = await createPerson(url, key, event.id, "attendee", `Person ${n}`)
      const client = new GatewayClient({ token: () => gatewayToken(url, event.id, person.session) })
      await client.connect()
      return client
    }),
  )
  const said: string[] = []
  const heard: string[] = []
  clients[0]?.on("chat.message", ({ message }) => heard.push(message.text))
  const talker = async (client: GatewayClient): Promise<void> => {
    while (!isOver) {
      const text = randomUUID()
      await client.command("chat.send", { to: "event", text }).then(
        () => said.push(text),
        (cause: unknown) => failures.push(`chat.send: ${String(cause)}`),
      )
      await pause(1000)
    }
  }
  const running = Promise.all([...Array.from({ length: CALLERS }, caller), ...clients.map(talker)])
  return {
    end: async () => {
      isOver = true
      await running
      await eventually(() => said.every((text) => heard.includes(text)), "all that was said to be heard").catch(
        () => {},
      )
      for (const client of clients) client.close()
      const wrong = said.filter((text) => heard.filter((other) => other === text).length !== 1)
      return { requests, commands: said.length, failures, wrong, slowestMs: Math.round(slowestMs) }
    },
  }
}
