/** Hosts and viewers of one event or many, in a process of their own: hosts send commands and wait for the acknowledgement. */
import { randomUUID } from "node:crypto"
import { answerParent } from "./child.ts"
import { percentile, sleep } from "./figures.ts"
import { type GatewayPlace, gatewayToken } from "./gateway-tokens.ts"
import { LoadSocket } from "./websocket.ts"

export interface CommandersOptions {
  readonly places: ReadonlyArray<GatewayPlace>
  /** Null: no hosts. */
  readonly hostPort: number | null
  /** Null: no viewers. */
  readonly viewerPort: number | null
  /** Of each event; one by default. */
  readonly hosts?: number
}

export interface Commands {
  readonly perSecond: number
  readonly seconds: number
  /** An announcement is told to everybody, and is what is sent by default; a note is a chat message that hosts alone are told. */
  readonly sends?: "announcements" | "notes"
}

export interface Acknowledged {
  readonly commands: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Each socket counts from its own start, so that they do not beat all at once. */
const HEARTBEAT_MS = 20_000
const TEXT = "The keynote begins in two minutes."
const SENT = {
  announcements: { t: "announce", d: { text: TEXT } },
  notes: { t: "chat.send", d: { to: "staff", text: TEXT } },
} as const

const hosts: LoadSocket[] = []
const viewers: LoadSocket[] = []
const sentAt = new Map<string, number>()
let latencies: number[] = []
let refusals: string[] = []

/** A reply names its command: `"id":"…"`. */
const readReplies = (text: string): void => {
  for (const [, id = "", ok] of text.matchAll(/"id":"([0-9a-f-]{36})","ok":(true|false)/g)) {
    const at = sentAt.get(id)
    if (at === undefined) continue
    sentAt.delete(id)
    if (ok === "true") latencies.push(performance.now() - at)
    else refusals.push(text)
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

/** May be called again, for more events. */
const open = async ({ places, hostPort, viewerPort, hosts: each = 1 }: CommandersOptions): Promise<void> => {
  const hosted = places.flatMap((place) => Array.from({ length: each }, () => place))
  const enter = async (port: number | null, wanted: typeof places, role: "host" | "viewer") => {
    const entered: LoadSocket[] = []
    for (let from = 0; port !== null && from < wanted.length; from += AT_ONCE) {
      const some = wanted.slice(from, from + AT_ONCE)
      entered.push(...(await Promise.all(some.map((place) => connect(port, place, role)))))
    }
    return entered
  }
  hosts.push(...(await enter(hostPort, hosted, "host")))
  viewers.push(...(await enter(viewerPort, places, "viewer")))
}

/** Hosts of many events take turns in leaps, so that a short run reaches events of every age. */
const LEAP = 7919

const command = async ({ perSecond, seconds, sends = "announcements" }: Commands): Promise<Acknowledged> => {
  latencies = []
  refusals = []
  const startedAt = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    const id = randomUUID()
    sentAt.set(id, performance.now())
    hosts[(n * LEAP) % hosts.length]?.send(JSON.stringify({ op: 3, id, ...SENT[sends] }))
  }
  while (sentAt.size > 0) await sleep(20)
  if (refusals.length > 0) throw new Error(`${refusals.length} commands were refused: ${refusals[0]}`)
  return {
    commands: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}

answerParent({ open, command })
