/**
 * One person at a live event. Follows all streams and resumes after every loss; sends one command at a time, and the same
 * one under the same id until it has a final answer.
 */
import { randomUUID } from "node:crypto"
import { WebSocket } from "ws"
import { type Chance, sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Streams } from "../ledger/streams.ts"
import type { HealthChecks } from "./health-checks.ts"
import { ANSWER_MS, type Json, type Rest } from "./rest.ts"

export interface Reply {
  readonly ok: boolean
  readonly dup?: boolean
  readonly d?: Json
  readonly e?: { readonly code: string; readonly temporary?: boolean; readonly retryAfterMs?: number }
}

/** An announcement that this socket was told of. */
export interface HeardHere {
  readonly mark: string
  readonly node: number
  readonly at: number
  readonly readyAt: number
}

export interface Place {
  readonly eventId: string
  /** Of the nodes. A socket that is lost goes to the next one. */
  readonly gateways: ReadonlyArray<string>
  readonly health: HealthChecks
  readonly rest: Rest
  readonly ledger: Ledger
  readonly streams: Streams
  readonly chance: Chance
  /** Told of what a reader of the run should know at once. */
  readonly noticed?: (line: string) => void
  readonly heard?: (heard: HeardHere) => void
}

interface Person {
  readonly session: string
  readonly name: string
  /** Longest pause before it connects again. */
  readonly backMs: number
  /** Which node it goes to first, counted on beyond the last one. */
  readonly seat: number
  readonly dispatched?: (t: string, d: Json) => void
}

type Settled = (reply: Reply, sentAt: number) => void

interface Outstanding {
  readonly id: string
  readonly t: string
  readonly d: object
  readonly settled: Settled
  /** When it was first asked on this connection, or asked at all. */
  sentAt: number
  tries: number
}

/** For the way to the server's greeting. */
const READY_MS = 10_000
/** Longest from `identify` to `ready` or a close: the server closes 4100 after two heartbeats, which is 40 s, and looks now and then. */
const IDENTIFY_MS = 45_000
const SWEEP_MS = 500
const LONGEST_RETRY_MS = 1000

export class Client {
  readonly #place: Place
  readonly #person: Person
  #socket: WebSocket | undefined
  #epoch = ""
  #cursors: Record<string, number> = {}
  #outstanding: Outstanding | undefined
  #isGone = false
  #node: number
  /** Of the next connection. */
  #nextNode: number
  #heardAt = Date.now()
  #openedAt = 0
  readonly #sweep: NodeJS.Timeout
  /** 0 when it has not identified on this connection. */
  #identifiedAt = 0
  #beatAt = 0
  #readyAt = 0
  #waitsSince = 0
  #readyHow = ""
  isReady = false
  participantId = ""
  can: ReadonlyArray<string> = []

  constructor(place: Place, person: Person) {
    this.#place = place
    this.#person = person
    this.#node = person.seat % place.gateways.length
    this.#nextNode = this.#node
    this.#sweep = setInterval(() => this.#look(), SWEEP_MS)
    void this.#follow()
  }

  get isIdle(): boolean {
    return this.isReady && this.#outstanding === undefined
  }

  get isAnswered(): boolean {
    return this.#outstanding === undefined
  }

  /** For a report of what it waits for. */
  get standing(): string {
    const waiting = this.#outstanding
    const where = this.isReady ? "ready" : "not ready"
    return waiting === undefined ? `${where}, idle` : `${where}, ${waiting.t} tried ${waiting.tries} times`
  }

  get eventCursor(): number {
    return this.#cursors["event"] ?? 0
  }

  /** The node it is connected to, or was last. */
  get node(): number {
    return this.#node
  }

  /** Since when its command waits on this connection; `undefined` when none does. */
  get waitsSince(): number | undefined {
    return this.isReady && this.#outstanding !== undefined ? this.#waitsSince : undefined
  }

  /** `settled` is called with the final reply, once; never when there is none by the end of the run. */
  command(t: string, d: object, settled: Settled = () => undefined): void {
    if (this.#outstanding !== undefined) return
    this.#waitsSince = Date.now()
    this.#outstanding = { id: randomUUID(), t, d, settled, sentAt: Date.now(), tries: 0 }
    this.#place.ledger.count("commands sent")
    this.#ask()
  }

  /** Drops the link without a word; it comes back by itself, to the next node or to the given one. */
  cut(node = this.#nextNode): void {
    this.#nextNode = node
    this.#socket?.terminate()
  }

  leave(): void {
    this.#isGone = true
    clearInterval(this.#sweep)
    this.#socket?.terminate()
  }

  async #follow(): Promise<void> {
    while (!this.#isGone) {
      const token = await this.#token()
      if (this.#isGone) return
      if (token !== undefined) await this.#connect(token)
      this.isReady = false
      await sleep(this.#place.chance.between(this.#person.backMs / 4, this.#person.backMs))
    }
  }

  async #token(): Promise<string | undefined> {
    const { rest, eventId, ledger } = this.#place
    const path = "/v1/auth/gateway-token"
    const answer = await rest.try({ method: "POST", path, body: { eventId }, bearer: this.#person.session })
    if (answer === undefined) return undefined
    if (answer.status === 200) return String(answer.body.token)
    if (answer.status < 500 && answer.status !== 429) {
      const text = JSON.stringify(answer.body).slice(0, 40)
      ledger.violate("truth", `the gateway token of a live event is answered ${answer.status}: ${text}`)
    }
    return undefined
  }

  /** Resolves when the connection is gone. */
  #connect(token: string): Promise<void> {
    return new Promise((resolve) => {
      const { gateways, health } = this.#place
      this.#node = health.from(this.#nextNode)
      this.#nextNode = (this.#node + 1) % gateways.length
      const socket = new WebSocket(gateways[this.#node] ?? "", {
        handshakeTimeout: READY_MS,
        perMessageDeflate: false,
      })
      this.#socket = socket
      this.#openedAt = Date.now()
      socket.on("message", (data: Buffer) => this.#read(data.toString("utf8"), token))
      socket.on("error", () => undefined)
      socket.once("close", (code: number) => {
        this.isReady = false
        this.#identifiedAt = 0
        this.#place.ledger.count(`sockets closed: ${code}`)
        resolve()
      })
    })
  }

  #hangUp(): void {
    this.#identifiedAt = 0
    this.#openedAt = Date.now()
    this.#socket?.terminate()
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }

  #read(text: string, token: string): void {
    this.#heardAt = Date.now()
    const frame: Json = JSON.parse(text)
    for (const one of Array.isArray(frame) ? frame : [frame]) this.#take(one, token)
  }

  #take(frame: Json, token: string): void {
    if (frame.op === 10) this.#identify(token)
    else if (frame.op === 4) this.#replied(frame)
    else if (frame.op === 0) this.#dispatched(frame)
  }

  #identify(token: string): void {
    const resume = this.#epoch === "" ? {} : { resume: { epoch: this.#epoch, cursors: this.#cursors } }
    this.#send({ op: 2, d: { token, ...resume } })
    this.#identifiedAt = Date.now()
  }

  #dispatched(frame: Json): void {
    const { t, d, st, s } = frame
    if (st !== undefined) this.#ordered(frame, st, s)
    else if (t === "ready") this.#stand(d)
    else if (t === "me.updated") this.can = d.can
    else if (t === "subscribed") {
      for (const stream of d.dropped) Reflect.deleteProperty(this.#cursors, stream)
      Object.assign(this.#cursors, d.cursors)
    }
    this.#person.dispatched?.(t, d)
  }

  #ordered(frame: Json, st: string, s: number): void {
    const { ledger, streams, eventId } = this.#place
    const before = this.#cursors[st]
    const stream = st === "me" ? `me:${this.participantId}` : st
    if (before !== undefined && s > before + 1) {
      ledger.violate("I2", `${st} has a hole before a ${frame.t}`)
      this.#place.noticed?.(
        `hole: ${this.#place.eventId.slice(-4)} ${stream} ${before} -> ${s} (${frame.t}), ${Date.now() - this.#readyAt} ms after ready (${this.#readyHow})`,
      )
    }
    if (before !== undefined && s <= before) this.#place.noticed?.(`late: ${stream} ${s} after ${before} (${frame.t})`)
    streams.receive({ eventId, epoch: this.#epoch, stream, s, t: frame.t, d: frame.d, text: JSON.stringify(frame) })
    if (before === undefined || s > before) this.#cursors[st] = s
    if (frame.t !== "announcement") return
    this.#place.heard?.({ mark: frame.d.text, node: this.#node, at: Date.now(), readyAt: this.#readyAt })
  }

  #stand(ready: Json): void {
    const { ledger } = this.#place
    ledger.count(ready.resumed ? "sockets resumed" : `sockets ready (${this.#reasonOf(ready)})`)
    if (!ready.resumed) {
      if (this.#epoch === ready.epoch) this.#lookBack(ready.cursors)
      this.#epoch = ready.epoch
      this.#cursors = { ...ready.cursors }
    }
    this.participantId = ready.me.participantId
    this.can = ready.me.can
    this.isReady = true
    this.#readyAt = Date.now()
    this.#waitsSince = Date.now()
    this.#readyHow = ready.resumed ? `resumed at ${JSON.stringify(this.#cursors)}` : ready.reason
    this.#ask()
  }

  /** A participant whose room changed while they were away has other streams, which no replay continues. */
  #reasonOf({ reason, cursors }: Json): string {
    const namesOf = (of: object): string => Object.keys(of).sort().join()
    return reason === "gap" && namesOf(cursors) !== namesOf(this.#cursors) ? "gap: other streams" : reason
  }

  /** A snapshot of the same history may lag by a moment and never by what was acknowledged to this client. */
  #lookBack(cursors: Record<string, number>): void {
    const behind = (cursors["me"] ?? 0) < (this.#cursors["me"] ?? 0)
    if (behind) this.#place.ledger.violate("I2", "a participant's own stream went back")
  }

  #ask(): void {
    const waiting = this.#outstanding
    if (waiting === undefined || !this.isReady) return
    waiting.tries++
    waiting.sentAt = Date.now()
    this.#send({ op: 3, id: waiting.id, t: waiting.t, d: waiting.d })
  }

  #replied({ id, ...reply }: Reply & { readonly id: string }): void {
    const waiting = this.#outstanding
    if (waiting === undefined || waiting.id !== id) return
    const { ledger } = this.#place
    if (!reply.ok && reply.e?.temporary === true && !(reply.e.code === "rate_limited" && waiting.tries === 1)) {
      ledger.count(`commands: ${reply.e.code}, asked again`)
      setTimeout(() => this.#ask(), Math.min(reply.e.retryAfterMs ?? 0, LONGEST_RETRY_MS, this.#person.backMs))
      waiting.sentAt = Number.POSITIVE_INFINITY
      return
    }
    this.#outstanding = undefined
    ledger.count(reply.ok ? `commands: done${reply.dup ? " before" : ""}` : `commands: ${reply.e?.code}`)
    waiting.settled(reply, Math.min(waiting.sentAt, Date.now()))
  }

  /** Deadlines: of the way in, of a command, and the heartbeat. */
  #look(): void {
    const { ledger } = this.#place
    const now = Date.now()
    if (!this.isReady) {
      if (this.#identifiedAt > 0 && ledger.waitedSince(this.#identifiedAt) > IDENTIFY_MS) {
        ledger.violate("liveness", `a socket that identified has no ready after ${IDENTIFY_MS / 1000} s`)
        this.#hangUp()
      } else if (this.#identifiedAt === 0 && ledger.waitedSince(this.#openedAt) > READY_MS) this.#hangUp()
      return
    }
    if (now - this.#beatAt > 15_000) {
      this.#beatAt = now
      this.#send({ op: 1, d: { t0: now } })
    }
    const waiting = this.#outstanding
    if (waiting !== undefined && ledger.waitedSince(waiting.sentAt) > ANSWER_MS) {
      ledger.violate("liveness", `${waiting.t} has no reply after ${ANSWER_MS / 1000} s on an open socket`)
      this.#socket?.terminate()
    } else if (ledger.waitedSince(this.#heardAt) > 45_000) this.#socket?.terminate()
  }
}
