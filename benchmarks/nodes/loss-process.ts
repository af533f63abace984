/**
 * Clients that note every numbered message, and senders that send them, over several servers; one of the servers dies on the way.
 * Clients and senders of a dead server connect to the next one. A sender sends again, under the same id, what was not acknowledged.
 */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { type Dialect, gatewayDialect, SOCKET_IO_PATH, socketIoDialect } from "../support/dialect.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"

export interface LossOptions {
  readonly ports: ReadonlyArray<number>
  readonly sockets: number
  readonly speaks: "gateway" | "socket.io"
  readonly place: GatewayPlace
}

export interface Losses {
  readonly sent: number
  readonly acknowledged: number
  /** Clients whose server died. */
  readonly cut: number
  /** Acknowledged messages times clients that did not get them. */
  readonly missedByOthers: number
  readonly missedByCut: number
  /** Messages that a client got more than once. */
  readonly repeats: number
  readonly resumed: number
  readonly backP50Ms: number
  readonly backMaxMs: number
}

interface Client {
  at: number
  wasCut: boolean
  readonly seen: Set<number>
  repeats: number
  epoch: string
  event: number
  cutAt: number
}

interface Sender {
  at: number
  socket: LoadSocket | undefined
  readonly waiting: Map<number, string>
}

const HEARTBEAT_MS = 10_000
const SETTLE_MS = 4000
const MESSAGE = /"text":"m (\d+)"/g

let options: LossOptions | undefined
let isOver = false
const clients: Client[] = []
const senders: Sender[] = []
const acknowledged = new Set<number>()
const backMs: number[] = []
let sent = 0
let resumed = 0

const current = (): LossOptions => {
  if (options === undefined) throw new Error("open first")
  return options
}

/** Our client's first try is within 2 s; that of Socket.IO is after 1 s, half of it at random. */
const retryMs = (): number => (current().speaks === "gateway" ? Math.random() * 2000 : 500 + Math.random() * 1000)

const portAt = (at: number): number => current().ports[at % current().ports.length] ?? 0

/** Notes the numbers in a frame; true when the client is in, be it by a snapshot, or by a replay that comes with what it missed. */
const note = (client: Client, dialect: Dialect, of: LoadSocket, payload: Buffer): boolean => {
  const resume = client.event === 0 ? undefined : { epoch: client.epoch, cursors: { event: client.event } }
  const meaning = dialect.read(of, payload, resume)
  const text = payload.toString("utf8")
  for (const [, number] of text.matchAll(MESSAGE)) {
    if (client.seen.has(Number(number))) client.repeats += 1
    client.seen.add(Number(number))
  }
  if (meaning.kind === "dispatches") client.event = Math.max(client.event, meaning.last)
  if (meaning.kind === "joined") {
    client.epoch = meaning.epoch || client.epoch
    client.event = Math.max(client.event, meaning.s ?? 0)
  }
  const isResumed = text.includes('"resumed":true')
  if (isResumed) resumed += 1
  return isResumed || meaning.kind === "joined"
}

const connectClient = (client: Client, dialect: Dialect): Promise<void> =>
  new Promise((entered) => {
    const enter = (): void => {
      entered()
      if (client.cutAt === 0) return
      backMs.push(performance.now() - client.cutAt)
      client.cutAt = 0
    }
    new LoadSocket(
      clients.indexOf(client),
      { port: portAt(client.at), path: dialect.path },
      {
        opened: () => {},
        frame: (of, payload) => {
          if (note(client, dialect, of, payload)) enter()
        },
        closed: () => {
          if (isOver) return
          client.wasCut = true
          if (client.cutAt === 0) client.cutAt = performance.now()
          client.at += 1
          setTimeout(() => void connectClient(client, dialect), retryMs())
        },
      },
    )
  })

const sendOn = (sender: Sender, n: number, id: string): void => {
  const text = `m ${n}`
  sender.socket?.send(
    current().speaks === "gateway"
      ? JSON.stringify({ op: 3, id, t: "announce", d: { text } })
      : `42${n}${JSON.stringify(["say", text])}`,
  )
}

const settle = (sender: Sender, text: string): void => {
  const take = (n: number): void => {
    if (sender.waiting.delete(n)) acknowledged.add(n)
  }
  const socketIo = /^43(\d+)/.exec(text)
  if (socketIo !== null) take(Number(socketIo[1]))
  for (const [, id] of text.matchAll(/"id":"([0-9a-f-]{36})","ok":true/g)) {
    for (const [n, own] of sender.waiting) if (own === id) take(n)
  }
}

const connectSender = (sender: Sender, participantId: string): Promise<void> =>
  new Promise((entered) => {
    const { speaks, place } = current()
    const enter = (socket: LoadSocket): void => {
      sender.socket = socket
      for (const [n, id] of sender.waiting) sendOn(sender, n, id)
      entered()
    }
    const path = speaks === "gateway" ? "/v1/gateway" : SOCKET_IO_PATH
    new LoadSocket(
      0,
      { port: portAt(sender.at), path },
      {
        opened: () => {},
        frame: (of, payload) => {
          const text = payload.toString("utf8")
          if (text.startsWith('{"op":10')) {
            void gatewayToken(place, participantId, "host").then((token) =>
              of.send(JSON.stringify({ op: 2, d: { token } })),
            )
          } else if (text.includes('"t":"ready"') || text.startsWith("40")) enter(of)
          else if (text.startsWith("0") && speaks === "socket.io") of.send("40")
          else if (text === "2") of.send("3")
          settle(sender, text)
        },
        closed: () => {
          sender.socket = undefined
          if (isOver) return
          sender.at += 1
          setTimeout(() => void connectSender(sender, participantId), retryMs())
        },
      },
    )
  })

const open = async (given: LossOptions): Promise<void> => {
  options = given
  const ids = Array.from({ length: given.sockets }, () => randomUUID())
  const dialect =
    given.speaks === "gateway" ? gatewayDialect(given.place, (index) => ids[index] ?? "") : socketIoDialect()
  for (let n = 0; n < given.sockets; n++) {
    const client = { at: n, wasCut: false, seen: new Set<number>(), repeats: 0, epoch: "", event: 0, cutAt: 0 }
    clients.push(client)
    await connectClient(client, dialect)
  }
  for (let n = 0; n < given.ports.length; n++) {
    const sender: Sender = { at: n, socket: undefined, waiting: new Map() }
    senders.push(sender)
    await connectSender(sender, randomUUID())
  }
  if (given.speaks === "gateway") {
    setInterval(() => {
      for (const { socket } of senders) socket?.send('{"op":1,"d":{"t0":0}}')
    }, HEARTBEAT_MS).unref()
  }
}

/** Sends at the pace, in turns from all senders, and waits until everything is acknowledged and has arrived. */
const flow = async ({ perSecond, seconds }: { readonly perSecond: number; readonly seconds: number }) => {
  const startedAt = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueIn = startedAt + (n * 1000) / perSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    const sender = senders[n % senders.length]
    if (sender === undefined) continue
    const id = randomUUID()
    sender.waiting.set(n, id)
    sent += 1
    sendOn(sender, n, id)
  }
  await sleep(SETTLE_MS)
  isOver = true
  const missed = (client: Client): number => [...acknowledged].filter((n) => !client.seen.has(n)).length
  const sum = (of: ReadonlyArray<Client>, value: (client: Client) => number): number =>
    of.reduce((total, client) => total + value(client), 0)
  const cut = clients.filter(({ wasCut }) => wasCut)
  return {
    sent,
    acknowledged: acknowledged.size,
    cut: cut.length,
    missedByOthers: sum(
      clients.filter(({ wasCut }) => !wasCut),
      missed,
    ),
    missedByCut: sum(cut, missed),
    repeats: sum(clients, ({ repeats }) => repeats),
    resumed,
    backP50Ms: percentile(backMs, 0.5),
    backMaxMs: percentile(backMs, 1),
  } satisfies Losses
}

answerParent({ open, flow })
