/** The viewers of `reactions`, in a process of their own: one in ten cheers, everybody awaits the tallies. */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"

export interface FansOptions {
  readonly port: number
  readonly place: GatewayPlace
  readonly speaks: "gateway" | "socket.io"
  readonly viewers: number
  readonly joinsPerSecond: number
}

export interface CheerOptions {
  readonly perSecond: number
  readonly seconds: number
}

export interface Applause {
  readonly sent: number
  /** By the tallies that the first viewer received. */
  readonly counted: number
  /** Tallies times viewers. */
  readonly tallies: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const HEARTBEAT_MS = 20_000
const fans: LoadSocket[] = []
let options: FansOptions
let sent = 0
let counted = 0
let tallies = 0
/** When each reaction that no tally has held yet was sent, oldest first. */
let uncounted: number[] = []
let latencies: number[] = []

const TALLY = '"reaction.tally"'

const hear = (index: number, payload: Buffer): void => {
  if (!payload.includes(TALLY)) return
  tallies++
  if (index !== 0) return
  for (const [, total] of payload.toString("utf8").matchAll(/"total":(\d+)/g)) {
    const now = performance.now()
    for (const at of uncounted.splice(0, Number(total))) latencies.push(now - at)
    counted += Number(total)
  }
}

const greet = (socket: LoadSocket, text: string): boolean => {
  if (options.speaks === "socket.io") {
    if (text.startsWith("0")) socket.send("40")
    if (text.startsWith("2")) socket.send("3")
    return text.startsWith("40")
  }
  if (text.startsWith('{"op":10')) {
    void gatewayToken(options.place, randomUUID(), "viewer").then((token) =>
      socket.send(JSON.stringify({ op: 2, d: { token } })),
    )
  }
  return text.includes('{"op":0,"t":"ready"')
}

const connect = (index: number): Promise<LoadSocket> =>
  new Promise((resolve, reject) => {
    const path = options.speaks === "gateway" ? "/v1/gateway" : "/socket.io/?EIO=4&transport=websocket"
    const socket = new LoadSocket(
      index,
      { port: options.port, path },
      {
        opened: () => {},
        frame: (of, payload) => {
          if (greet(of, payload.toString("latin1", 0, 32))) resolve(of)
          hear(index, payload)
        },
        closed: (_, code) => reject(new Error(`a viewer's socket was closed (${code})`)),
      },
    )
    if (options.speaks === "gateway") setInterval(() => socket.send('{"op":1,"d":{"t0":0}}'), HEARTBEAT_MS).unref()
  })

const open = async (given: FansOptions): Promise<void> => {
  options = given
  const startedAt = performance.now()
  const joining: Promise<LoadSocket>[] = []
  for (let index = 0; index < given.viewers; index++) {
    const dueIn = startedAt + (index * 1000) / given.joinsPerSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    joining.push(connect(index))
  }
  fans.push(...(await Promise.all(joining)))
}

const react = (n: number): void => {
  const fan = fans[n % Math.ceil(fans.length / 10)]
  const text =
    options.speaks === "gateway"
      ? JSON.stringify({ op: 3, id: String(n), t: "reaction.send", d: { kind: "clap", n: 1 } })
      : `42${n}${JSON.stringify(["reaction", { kind: "clap", n: 1 }])}`
  fan?.send(text)
  uncounted.push(performance.now())
}

const cheer = async ({ perSecond, seconds }: CheerOptions): Promise<Applause> => {
  const before = { sent, counted, tallies }
  latencies = []
  uncounted = []
  const startedAt = performance.now()
  const wanted = perSecond * seconds
  for (let n = 0; n < wanted; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    react(sent++)
  }
  for (let received = -1; received !== tallies; ) {
    received = tallies
    await sleep(1200)
  }
  return {
    sent: sent - before.sent,
    counted: counted - before.counted,
    tallies: tallies - before.tallies,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}

answerParent({ open, cheer })
