/** An audience, and for our gateway the hosts whose announcements it receives, in a process of their own. */
import { randomUUID } from "node:crypto"
import { Audience } from "./audience.ts"
import { answerParent } from "./child.ts"
import { gatewayDialect, rawDialect, socketIoDialect, streamDialect } from "./dialect.ts"
import { sleep } from "./figures.ts"
import { type GatewayPlace, gatewayToken } from "./gateway-tokens.ts"
import { LoadSocket } from "./websocket.ts"

export interface AudienceOptions {
  readonly port: number
  /** Of several processes that serve one audience; instead of `port`. */
  readonly ports?: ReadonlyArray<number>
  readonly sockets: number
  /** With a token at the join, or without. */
  readonly speaks: "gateway" | "gateway streams" | "socket.io" | "socket.io with tokens" | "raw"
  readonly place: GatewayPlace
}

export interface AnnounceOptions {
  readonly port: number
  readonly place: GatewayPlace
  readonly text: string
  readonly perSecond: number
  readonly seconds: number
}

/** A host may send 50 commands a second. */
const PER_HOST = 40
const HEARTBEAT_MS = 10_000

let audience: Audience | undefined
const hosts: LoadSocket[] = []
let accepted = 0
let refused = 0
let announcing: Promise<void> = Promise.resolve()

const dialectOf = ({ speaks, place, sockets }: AudienceOptions) => {
  if (speaks === "socket.io") return socketIoDialect()
  if (speaks === "raw") return rawDialect
  const participants = place.users?.ids ?? Array.from({ length: sockets }, () => randomUUID())
  if (speaks === "socket.io with tokens") {
    return socketIoDialect((index) => gatewayToken(place, participants[index] ?? "", "viewer"))
  }
  return (speaks === "gateway" ? gatewayDialect : streamDialect)(place, (index) => participants[index] ?? "")
}

const current = (): Audience => {
  if (audience === undefined) throw new Error("open an audience first")
  return audience
}

const addHost = (port: number, place: GatewayPlace): Promise<void> =>
  new Promise((resolve, reject) => {
    const participantId = randomUUID()
    const socket = new LoadSocket(
      hosts.length,
      { port, path: "/v1/gateway" },
      {
        opened: () => {},
        frame: (of, payload) => {
          const text = payload.toString("utf8")
          if (text.startsWith('{"op":10')) {
            void gatewayToken(place, participantId, "host").then((token) =>
              of.send(JSON.stringify({ op: 2, d: { token } })),
            )
          } else if (text.startsWith('{"op":0,"t":"ready"')) resolve()
          accepted += text.split('"ok":true').length - 1
          refused += text.split('"ok":false').length - 1
        },
        closed: (_, code) => reject(new Error(`a host's socket was closed (${code})`)),
      },
    )
    hosts.push(socket)
    setInterval(() => socket.send('{"op":1,"d":{"t0":0}}'), HEARTBEAT_MS).unref()
  })

const announce = async ({ port, place, text, perSecond, seconds }: AnnounceOptions): Promise<void> => {
  while (hosts.length < Math.ceil(perSecond / PER_HOST)) await addHost(port, place)
  const startedAt = performance.now()
  const wanted = perSecond * seconds
  for (let n = 0; n < wanted; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    hosts[n % hosts.length]?.send(JSON.stringify({ op: 3, id: randomUUID(), t: "announce", d: { text } }))
  }
}

answerParent({
  open: (options: AudienceOptions) => {
    audience = new Audience(options.ports ?? [options.port], dialectOf(options), options.sockets)
  },
  join: (perSecond: number) => current().join(perSecond),
  listen: () => current().listen(),
  received: () => current().received(),
  storm: () => current().storm(),
  leave: () => current().leave(),
  /** Returns at once; `announced` waits for the end. */
  announce: (options: AnnounceOptions) => {
    accepted = 0
    refused = 0
    announcing = announce(options)
  },
  announced: async () => {
    await announcing
    return { accepted, refused }
  },
})
