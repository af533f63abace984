/**
 * A bare gateway client for tests: sends objects, keeps every object it receives in order, waits for one with a deadline.
 * Everything it receives, and every command that was accepted, is held against the gateway's description.
 */
import { WebSocket } from "ws"
import { breaches } from "../support/breaches.ts"
import { breachOfReply, breachOfSent, breachOfTaken } from "../support/gateway-description.ts"
import { PATIENCE_MS } from "../support/patience.ts"

export type Frame = any // frames are looked into by assertions, which name what they expect

interface Closed {
  readonly code: number
  readonly reason: string
}

export class Client {
  readonly socket: WebSocket
  /** Every object received, arrays flattened. */
  readonly received: Frame[] = []
  /** Frames as they came: how many objects each held. */
  readonly frameSizes: number[] = []
  readonly closed: Promise<Closed>
  #isClosed: Closed | undefined
  #read = 0
  readonly #watchers = new Set<() => void>()
  #ids = 0
  /** Commands that wait for their reply, by id. */
  readonly #asked = new Map<string, Frame>()

  /** `headers`: of the request for the upgrade. */
  constructor(
    url: string,
    protocols: ReadonlyArray<string> = [],
    headers: { readonly [name: string]: string } = {},
    socket = new WebSocket(url, [...protocols], { perMessageDeflate: false, headers }),
  ) {
    this.socket = socket
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => {
        this.#isClosed = { code, reason: reason.toString() }
        resolve(this.#isClosed)
        this.#news()
      })
    })
    this.socket.on("error", () => undefined)
    this.socket.on("message", (data) => {
      const frame: unknown = JSON.parse(String(data))
      const objects = Array.isArray(frame) ? frame : [frame]
      this.frameSizes.push(objects.length)
      this.received.push(...objects)
      for (const object of objects) this.#compare(object)
      this.#news()
    })
  }

  /** A reply that accepts says that what was asked for had been described. */
  #compare(object: Frame): void {
    const asked = object.op === 4 ? this.#asked.get(object.id) : undefined
    const isDone = asked !== undefined && object.ok
    const found = [
      breachOfSent(object),
      isDone ? breachOfTaken(asked) : undefined,
      isDone && asked.op === 3 ? breachOfReply(asked.t, object) : undefined,
    ]
    breaches.push(...found.filter((breach) => breach !== undefined))
  }

  send(...objects: ReadonlyArray<Frame>): void {
    for (const object of objects) if (typeof object.id === "string") this.#asked.set(object.id, object)
    this.sendText(JSON.stringify(objects.length === 1 ? objects[0] : objects))
  }

  sendText(text: string): void {
    this.socket.send(text)
  }

  /** The next object not looked at yet that fits; those before it are passed over. */
  async next(fits: (frame: Frame) => boolean, what = "a frame"): Promise<Frame> {
    const index = await this.#find(this.#read, fits, what)
    this.#read = Math.max(this.#read, index + 1)
    return this.received[index]
  }

  /** Index of the first object from `from` on that fits, received already or yet to come. */
  #find(from: number, fits: (frame: Frame) => boolean, what: string): Promise<number> {
    let looked = from
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        const seen = this.received.map(({ op, t }) => (t === undefined ? `op ${op}` : t)).slice(-10)
        settle()
        reject(new Error(`${why} while waiting for ${what}; last seen: ${seen.join(", ")}`))
      }
      const look = (): void => {
        while (looked < this.received.length && !fits(this.received[looked])) looked++
        if (looked < this.received.length) {
          settle()
          resolve(looked)
        } else if (this.#isClosed !== undefined) fail(`closed ${this.#isClosed.code}`)
      }
      // timed: the deadline of a wait that would last for ever.
      const timer = setTimeout(() => fail("time ran out"), PATIENCE_MS)
      const settle = (): void => {
        clearTimeout(timer)
        this.#watchers.delete(look)
      }
      this.#watchers.add(look)
      look()
    })
  }

  #news(): void {
    for (const look of [...this.#watchers]) look()
  }

  dispatch(t: string): Promise<Frame> {
    return this.next((frame) => frame.op === 0 && frame.t === t, t)
  }

  hello(): Promise<Frame> {
    return this.next(({ op }) => op === 10, "hello")
  }

  /** Sends the token and waits for `ready`. */
  async identify(token: string, resume?: object): Promise<Frame> {
    await this.hello()
    this.send({ op: 2, d: { token, ...(resume === undefined ? {} : { resume }) } })
    return this.dispatch("ready")
  }

  /** Sends a command and waits for its reply. */
  command(t: string, d: object = {}, more: { readonly id?: string; readonly rev?: number } = {}): Promise<Frame> {
    const { id = `c${this.#ids++}` } = more
    const reply = this.#find(this.received.length, (frame) => frame.op === 4 && frame.id === id, `the reply to ${t}`)
    this.send({ op: 3, id, t, d, ...(more.rev === undefined ? {} : { rev: more.rev }) })
    return reply.then((index) => this.received[index])
  }

  /** Ordered dispatches of a stream, in the order they came. */
  ordered(stream = "event"): ReadonlyArray<Frame> {
    return this.received.filter(({ st }) => st === stream)
  }

  /** The code of the close, which must come by itself. */
  async closeCode(): Promise<number> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      // timed: the deadline of a wait that would last for ever.
      timer = setTimeout(() => reject(new Error("the socket was not closed in time")), PATIENCE_MS)
    })
    const { code } = await Promise.race([this.closed, late])
    clearTimeout(timer)
    return code
  }

  /** Drops the link without a word. */
  async cut(): Promise<void> {
    this.socket.terminate()
    await this.closed
  }
}
