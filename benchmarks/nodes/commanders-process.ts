/** Hosts and viewers of many events, one of each, in a process of their own: hosts announce and wait for the acknowledgement. */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"

export interface CommandersOptions {
  readonly places: ReadonlyArray<GatewayPlace>
  /** Null: no hosts. */
  readonly hostPort: number | null
  readonly viewerPort: number
}

export interface Acknowledged {
  readonly commands: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const HEARTBEAT_MS = 10_000
const TEXT = "The keynote begins in two minutes."

const hosts: LoadSocket[] = []
const viewers: LoadSocket[] = []
const sentAt = new Map<string, number>()
let latencies: number[] = []
let refused = 0

/** A reply names its command: `"id":"…"`. */
const readReplies = (text: string): void => {
  for (const [, id = "", ok] of text.matchAll(/"id":"([0-9a-f-]{36})","ok":(true|false)/g)) {
    const at = sentAt.get(id)
    if (at === undefined) continue
    sentAt.delete(id)
    if (ok === "true") latencies.push(performance.now() - at)
    else refused += 1
  }
}

const connect = (port: number, place: GatewayPlace, role: "host" | "viewer"): Promise<LoadSocket> =>
  new Promise((resolve, reject) => {
    const socket = new LoadSocket(
      0,
      { port, path: "/v1/gateway" },
      {
        opened: () => {},
        frame: (of, payload) => {
          const text = payload.toString("utf8")
          if (text.startsWith('{"op":10')) {
            void gatewayToken(place, randomUUID(), role).then((token) =>
              of.send(JSON.stringify({ op: 2, d: { token } })),
            )
          } else if (text.includes('"t":"ready"')) resolve(of)
          if (role === "host") readReplies(text)
        },
        closed: (_, code) => reject(new Error(`the socket of a ${role} was closed (${code})`)),
      },
    )
    setInterval(() => socket.send('{"op":1,"d":{"t0":0}}'), HEARTBEAT_MS).unref()
  })

const AT_ONCE = 16

const open = async ({ places, hostPort, viewerPort }: CommandersOptions): Promise<void> => {
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const some = places.slice(from, from + AT_ONCE)
    if (hostPort !== null) hosts.push(...(await Promise.all(some.map((place) => connect(hostPort, place, "host")))))
    viewers.push(...(await Promise.all(some.map((place) => connect(viewerPort, place, "viewer")))))
  }
}

const command = async ({ perSecond, seconds }: { readonly perSecond: number; readonly seconds: number }) => {
  latencies = []
  refused = 0
  const startedAt = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    const id = randomUUID()
    sentAt.set(id, performance.now())
    hosts[n % hosts.length]?.send(JSON.stringify({ op: 3, id, t: "announce", d: { text: TEXT } }))
  }
  while (sentAt.size > 0) await sleep(20)
  if (refused > 0) throw new Error(`${refused} commands were refused`)
  return {
    commands: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  } satisfies Acknowledged
}

answerParent({ open, command })
