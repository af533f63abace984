/**
 * People who each receive a dispatch of their own, and the host whose command causes it, in a process of their own:
 * the time from the host's command until everyone has received theirs. Speaks our gateway's protocol or Socket.IO's.
 */
import { randomUUID } from "node:crypto"
import { performance } from "node:perf_hooks"
import { answerParent } from "./child.ts"
import { percentile, sleep } from "./figures.ts"
import { type GatewayPlace, gatewayToken } from "./gateway-tokens.ts"
import { LoadSocket } from "./websocket.ts"

export interface CrowdOptions {
  readonly port: number
  readonly people: number
  readonly speaks: "gateway" | "socket.io"
  readonly place: GatewayPlace
}

export interface Ask {
  /** A command of ours, an event of Socket.IO. */
  readonly t: string
  readonly d: object
}

export interface Tell extends Ask {
  /** The dispatch that everyone is to get. */
  readonly awaits: string
}

export interface Told {
  /** From the host's command until half of them, and until all of them, had received theirs. */
  readonly p50Ms: number
  readonly allMs: number
}

const HEARTBEAT_MS = 15_000
const PATHS = { gateway: "/v1/gateway", "socket.io": "/socket.io/?EIO=4&transport=websocket" }

interface Reply {
  readonly op: number
  readonly id: string
  readonly ok: boolean
  readonly d: unknown
  readonly e: unknown
}

class Crowd {
  readonly #options: CrowdOptions
  readonly #sockets: LoadSocket[] = []
  readonly #replies = new Map<string, (reply: Reply) => void>()
  #joined = 0
  #news: () => void = () => {}
  /** Part of the frame that a person receives. */
  #awaits = Buffer.alloc(0)
  #since = 0
  #told = new Map<number, number>()

  constructor(options: CrowdOptions) {
    this.#options = options
    setInterval(() => this.#heartbeats(), HEARTBEAT_MS).unref()
  }

  /** Everyone joins at an even pace, then the host; done when all are in. */
  async join(perSecond: number): Promise<number> {
    const startedAt = performance.now()
    const { people } = this.#options
    for (let index = 0; index <= people; index++) {
      const dueIn = startedAt + (index * 1000) / perSecond - performance.now()
      if (dueIn > 1) await sleep(dueIn)
      this.#open(index)
    }
    await this.#until(() => this.#joined > people)
    return (performance.now() - startedAt) / 1000
  }

  /** Of the host: what the reply carries. */
  async ask({ t, d }: Ask): Promise<unknown> {
    const id = randomUUID()
    const answered = new Promise<Reply>((resolve) => this.#replies.set(id, resolve))
    this.#host.send(JSON.stringify({ op: 3, id, t, d }))
    const reply = await answered
    if (!reply.ok) throw new Error(`${t} was refused: ${JSON.stringify(reply.e)}`)
    return reply.d
  }

  /** The host sends the command, and everyone receives theirs once. */
  async tell({ t, d, awaits }: Tell): Promise<Told> {
    const { people, speaks } = this.#options
    this.#awaits = Buffer.from(speaks === "gateway" ? `"t":"${awaits}"` : `["${awaits}"`)
    this.#told = new Map()
    this.#since = performance.now()
    if (speaks === "gateway") void this.ask({ t, d })
    else this.#host.send(`42${JSON.stringify([t, d])}`)
    await this.#until(() => this.#told.size === people)
    const times = [...this.#told.values()]
    return { p50Ms: percentile(times, 0.5), allMs: percentile(times, 1) }
  }

  get #host(): LoadSocket {
    const host = this.#sockets[this.#options.people]
    if (host === undefined) throw new Error("nobody has joined")
    return host
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#news = resolve
      })
    }
  }

  #open(index: number): void {
    const { port, speaks } = this.#options
    this.#sockets[index] = new LoadSocket(
      index,
      { port, path: PATHS[speaks] },
      {
        opened: () => {},
        frame: (socket, payload) => {
          if (speaks === "gateway") this.#readGateway(socket, payload)
          else this.#readSocketIo(socket, payload)
        },
        closed: (_, code) => {
          throw new Error(`a socket was closed (${code})`)
        },
      },
    )
  }

  #readGateway(socket: LoadSocket, payload: Buffer): void {
    const isHost = socket.index === this.#options.people
    const text = payload.toString("latin1", 0, 20)
    if (text.startsWith('{"op":10')) void this.#identify(socket, isHost)
    else if (text.startsWith('{"op":0,"t":"ready"')) this.#enter()
    else if (isHost) this.#readReply(payload)
    else this.#hear(socket, payload)
  }

  #readSocketIo(socket: LoadSocket, payload: Buffer): void {
    const text = payload.toString("latin1", 0, 2)
    if (text === "42") this.#hear(socket, payload)
    else if (text === "40") this.#enter()
    else if (text.startsWith("0")) socket.send("40")
    else if (text.startsWith("2")) socket.send("3")
  }

  async #identify(socket: LoadSocket, isHost: boolean): Promise<void> {
    const token = await gatewayToken(this.#options.place, randomUUID(), isHost ? "host" : "participant")
    socket.send(JSON.stringify({ op: 2, d: { token } }))
  }

  #readReply(payload: Buffer): void {
    if (!payload.includes('"op":4')) return
    const frame = JSON.parse(payload.toString("utf8")) as Reply
    this.#replies.get(frame.id)?.(frame)
    this.#replies.delete(frame.id)
  }

  #hear({ index }: LoadSocket, payload: Buffer): void {
    if (this.#told.has(index) || !payload.includes(this.#awaits)) return
    this.#told.set(index, performance.now() - this.#since)
    if (this.#told.size === this.#options.people) this.#news()
  }

  #enter(): void {
    this.#joined += 1
    if (this.#joined > this.#options.people) this.#news()
  }

  #heartbeats(): void {
    if (this.#options.speaks === "gateway") for (const socket of this.#sockets) socket.send('{"op":1,"d":{"t0":0}}')
  }
}

let crowd: Crowd | undefined

const current = (): Crowd => {
  if (crowd === undefined) throw new Error("open a crowd first")
  return crowd
}

answerParent({
  open: (options: CrowdOptions) => {
    crowd = new Crowd(options)
  },
  join: (perSecond: number) => current().join(perSecond),
  ask: (asked: Ask) => current().ask(asked),
  tell: (told: Tell) => current().tell(told),
})
