/**
 * The people of one event, in a process of their own: each has a socket, writes in its turn, and receives what everybody writes. Speaks our
 * gateway's protocol or Socket.IO's.
 */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { type Dialect, gatewayDialect, socketIoDialect } from "../support/dialect.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"
import { numberOf, textOf } from "./message.ts"
import { Receipts } from "./receipts.ts"

export interface PeopleOptions {
  readonly port: number
  readonly place: GatewayPlace
  readonly people: number
  readonly speaks: "gateway" | "socket.io"
  readonly joinsPerSecond: number
}

export interface Talk {
  /** Messages of all people together. */
  readonly perSecond: number
  readonly seconds: number
}

export interface Talked {
  readonly accepted: number
  readonly refused: number
  /** The first refusal, as it came. */
  readonly refusal: string
  /** Accepted messages times sockets, received and not received. */
  readonly deliveries: number
  readonly missing: number
  readonly ackP50Ms: number
  readonly ackP99Ms: number
  /** From the message sent to its receipt: by any receiver, and by the last one. */
  readonly receiptP50Ms: number
  readonly receiptP99Ms: number
  readonly lastP50Ms: number
  readonly lastP99Ms: number
}

const HEARTBEAT_MS = 10_000
/** What has not come so long after the last message is missing. */
const PATIENCE_MS = 10_000
const LOOK_MS = 20

interface Dispatch {
  readonly t: string
  readonly s?: number
  readonly d?: { readonly message?: { readonly text?: string } }
}

/** What happens to the messages of one talk. */
class TalkRecord {
  readonly sentAt = new Map<number, number>()
  readonly acks: number[] = []
  readonly accepted: number[] = []
  refused = 0
  refusal = ""

  get waiting(): number {
    return this.sentAt.size - this.accepted.length - this.refused
  }

  answered(n: number, answer: string): void {
    const sentAt = this.sentAt.get(n)
    if (sentAt === undefined) return
    if (answer.includes('"ok":true')) {
      this.acks.push(performance.now() - sentAt)
      this.accepted.push(n)
    } else {
      this.refused += 1
      if (this.refusal === "") this.refusal = answer
    }
  }
}

class People {
  readonly #options: PeopleOptions
  readonly #dialect: Dialect
  readonly #sockets: LoadSocket[] = []
  readonly #receipts: Receipts
  #record = new TalkRecord()
  #joined = 0
  #said = 0

  constructor(options: PeopleOptions) {
    this.#options = options
    const { people, place, speaks } = options
    const ids = place.users?.ids ?? Array.from({ length: people }, () => randomUUID())
    const participantOf = (index: number): string => ids[index] ?? ""
    this.#dialect =
      speaks === "gateway"
        ? gatewayDialect(place, participantOf)
        : socketIoDialect((index) => gatewayToken(place, participantOf(index), "viewer"))
    this.#receipts = new Receipts(people)
    const { heartbeat } = this.#dialect
    if (heartbeat !== undefined) {
      setInterval(() => {
        for (const socket of this.#sockets) socket.send(heartbeat)
      }, HEARTBEAT_MS).unref()
    }
  }

  async join(): Promise<void> {
    const startedAt = performance.now()
    const { people, joinsPerSecond } = this.#options
    for (let index = 0; index < people; index++) {
      const dueIn = startedAt + (index * 1000) / joinsPerSecond - performance.now()
      if (dueIn > 1) await sleep(dueIn)
      this.#open(index)
    }
    while (this.#joined < people) await sleep(LOOK_MS)
  }

  /** Done when every message was answered and everybody has those that were accepted. */
  async talk({ perSecond, seconds }: Talk): Promise<Talked> {
    this.#record = new TalkRecord()
    this.#receipts.begin()
    const startedAt = performance.now()
    const wanted = perSecond * seconds
    for (let sent = 0; sent < wanted; ) {
      const due = Math.min(wanted, ((performance.now() - startedAt) * perSecond) / 1000)
      for (; sent < due; sent++) this.#say()
      await sleep(1)
    }
    const deadline = performance.now() + PATIENCE_MS
    while (!this.#isComplete() && performance.now() < deadline) await sleep(LOOK_MS)
    return this.#talked()
  }

  #say(): void {
    const n = this.#said++
    const socket = this.#sockets[n % this.#sockets.length]
    const d = { to: "event", text: textOf(n) }
    this.#record.sentAt.set(n, performance.now())
    if (this.#options.speaks === "gateway") {
      socket?.send(JSON.stringify({ op: 3, id: String(n), t: "chat.send", d }))
    } else socket?.send(`42${n}${JSON.stringify(["chat.send", d])}`)
  }

  #isComplete(): boolean {
    const { waiting, accepted } = this.#record
    return waiting === 0 && accepted.every((n) => this.#receipts.hasAll(n))
  }

  #talked(): Talked {
    const { accepted, refused, refusal, acks, sentAt, waiting } = this.#record
    const receipts = this.#receipts
    const deliveries = accepted.reduce((sum, n) => sum + receipts.countOf(n), 0)
    const last = accepted.filter((n) => receipts.hasAll(n)).map((n) => receipts.lastAt(n) - (sentAt.get(n) ?? 0))
    const sampled = receipts.sampled(sentAt)
    return {
      accepted: accepted.length,
      refused: refused + waiting,
      refusal: refusal === "" && waiting > 0 ? `${waiting} messages had no answer` : refusal,
      deliveries,
      missing: accepted.length * this.#options.people - deliveries,
      ackP50Ms: percentile(acks, 0.5),
      ackP99Ms: percentile(acks, 0.99),
      receiptP50Ms: percentile(sampled, 0.5),
      receiptP99Ms: percentile(sampled, 0.99),
      lastP50Ms: percentile(last, 0.5),
      lastP99Ms: percentile(last, 0.99),
    }
  }

  #open(index: number): void {
    this.#sockets[index] = new LoadSocket(
      index,
      { port: this.#options.port, path: this.#dialect.path },
      {
        opened: () => {},
        frame: (socket, payload) => this.#read(socket, payload),
        closed: (_, code) => {
          throw new Error(`a socket was closed (${code})`)
        },
      },
    )
  }

  #read(socket: LoadSocket, payload: Buffer): void {
    const head = payload.toString("latin1", 0, 7)
    if (head === '{"op":4' || head.startsWith("43")) {
      const answer = payload.toString("utf8")
      this.#record.answered(Number(/^(?:43|\{"op":4,"id":")(\d+)/.exec(answer)?.[1]), answer)
      return
    }
    const { index } = socket
    const meaning = this.#dialect.read(socket, payload, undefined)
    if (meaning.kind === "joined") {
      this.#receipts.joined(index, meaning.s ?? 0)
      this.#joined += 1
    } else if (meaning.kind === "dispatches") {
      this.#receipts.heard(index, meaning.last)
      if (index === 0) this.#note(payload.toString("utf8"))
    }
  }

  /** Of one socket: which message stands at which place. */
  #note(text: string): void {
    const content = text.startsWith("42") ? JSON.parse(text.slice(2))[1] : JSON.parse(text)
    const dispatches: ReadonlyArray<Dispatch> = Array.isArray(content) ? content : [content]
    for (const { t, s, d } of dispatches) {
      const n = t === "chat.message" ? numberOf(d?.message?.text ?? "") : undefined
      if (n !== undefined && s !== undefined) this.#receipts.stands(n, s)
    }
  }
}

let people: People | undefined

answerParent({
  open: (options: PeopleOptions) => {
    people = new People(options)
    return people.join()
  },
  talk: (talk: Talk) => {
    if (people === undefined) throw new Error("open the event first")
    return people.talk(talk)
  },
})
