/**
 * One participant of a soak: resumes after every cut, as the protocol says, and holds every ordered dispatch of each of its
 * streams against the place before it. What it must never see is counted: a hole, a repeat, a fault of the server's.
 */
import { randomUUID } from "node:crypto"
import type { EventRole } from "../../src/model/roles.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"

/** The counts of all clients together. */
export interface Ledger {
  ordered: number
  ephemeral: number
  holes: number
  repeats: number
  resumed: number
  snapshots: number
  accepted: number
  refused: { [code: string]: number }
  closes: { [code: string]: number }
}

export interface Place extends GatewayPlace {
  readonly port: number
}

type Frame = any // decoded JSON whose shape `op` and `t` decide

const HEARTBEAT_MS = 20_000
/** Codes after which a client does not come back. */
const FINAL = (code: number): boolean => code >= 4300 && code < 4400

export class SoakClient {
  readonly participantId = randomUUID()
  readonly #place: Place
  readonly #role: EventRole
  readonly #ledger: Ledger
  readonly #onFrame: (client: SoakClient, frame: Frame) => void
  #socket: LoadSocket | undefined
  #epoch = ""
  #cursors: { [stream: string]: number } = {}
  #ids = 0
  #isGone = false
  readonly #heartbeat: NodeJS.Timeout
  isReady = false
  /** Commands it may send now. */
  can: ReadonlyArray<string> = []

  constructor(place: Place, role: EventRole, ledger: Ledger, onFrame: (client: SoakClient, frame: Frame) => void) {
    this.#place = place
    this.#role = role
    this.#ledger = ledger
    this.#onFrame = onFrame
    this.#open()
    this.#heartbeat = setInterval(() => this.#send({ op: 1, d: { t0: Date.now() } }), HEARTBEAT_MS)
  }

  /** Where it stands in the event's stream. */
  get eventCursor(): number {
    return this.#cursors["event"] ?? 0
  }

  command(t: string, d: object = {}): void {
    if (this.isReady) this.#send({ op: 3, id: `${this.#ids++}`, t, d })
  }

  /** Drops the link without a word; comes back by itself. */
  cut(): void {
    this.#socket?.cut()
  }

  /** Goes for good. */
  leave(): void {
    this.#isGone = true
    clearInterval(this.#heartbeat)
    this.#socket?.cut()
  }

  #send(object: object): void {
    this.#socket?.send(JSON.stringify(object))
  }

  #open(): void {
    if (this.#isGone) return
    const handlers = {
      opened: () => undefined,
      frame: (_: LoadSocket, payload: Buffer) => this.#read(payload.toString("utf8")),
      closed: (socket: LoadSocket, code: number | undefined) => this.#closed(socket, code),
    }
    this.#socket = new LoadSocket(0, { port: this.#place.port, path: "/v1/gateway" }, handlers)
  }

  #closed(socket: LoadSocket, code: number | undefined): void {
    if (socket !== this.#socket) return
    this.isReady = false
    if (code !== undefined) this.#ledger.closes[code] = (this.#ledger.closes[code] ?? 0) + 1
    if (this.#isGone || (code !== undefined && FINAL(code))) return
    setTimeout(() => this.#open(), Math.random() * 2000)
  }

  #read(text: string): void {
    const frame: Frame = JSON.parse(text)
    for (const object of Array.isArray(frame) ? frame : [frame]) this.#take(object)
  }

  #take(object: Frame): void {
    if (object.op === 10) this.#identify()
    else if (object.op === 4) this.#answered(object)
    else if (object.op === 0) this.#dispatched(object)
    this.#onFrame(this, object)
  }

  #identify(): void {
    const resume = this.#epoch === "" ? {} : { resume: { epoch: this.#epoch, cursors: this.#cursors } }
    void gatewayToken(this.#place, this.participantId, this.#role).then((token) =>
      this.#send({ op: 2, d: { token, ...resume } }),
    )
  }

  #answered({ ok, e }: Frame): void {
    if (ok) this.#ledger.accepted++
    else this.#ledger.refused[e.code] = (this.#ledger.refused[e.code] ?? 0) + 1
  }

  #dispatched({ t, d, st, s }: Frame): void {
    if (st !== undefined) {
      const before = this.#cursors[st] ?? 0
      if (s > before + 1) this.#ledger.holes++
      if (s <= before) this.#ledger.repeats++
      this.#cursors[st] = s
      this.#ledger.ordered++
      return
    }
    this.#ledger.ephemeral++
    if (t === "ready") this.#stand(d)
    if (t === "me.updated") this.can = d.can
    if (t === "subscribed") {
      for (const stream of d.dropped) delete this.#cursors[stream]
      Object.assign(this.#cursors, d.cursors)
    }
  }

  #stand(ready: Frame): void {
    if (ready.resumed) this.#ledger.resumed++
    else {
      this.#ledger.snapshots++
      this.#epoch = ready.epoch
      this.#cursors = { ...ready.cursors }
    }
    this.can = ready.me.can
    this.isReady = true
  }
}
