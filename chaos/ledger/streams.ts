/**
 * Everything that all sockets received on numbered streams. Two sockets that receive one number of one epoch must receive the same
 * content; one socket must receive the numbers without a gap.
 */
import { createHash } from "node:crypto"
import type { Ledger } from "./ledger.ts"

export interface Received {
  readonly eventId: string
  /** The name that the history has on the wire. */
  readonly epoch: string
  /** As the store names it: a participant's own stream is `me:<id>`. */
  readonly stream: string
  readonly s: number
  readonly t: string
  /** The dispatch as JSON. */
  readonly text: string
  readonly d: unknown
}

interface StreamHead {
  readonly eventId: string
  readonly epoch: string
  readonly stream: string
  readonly s: number
}

/** A media seat is written into a dispatch when it is sent, for the room of that moment, and never stored. */
export const contentOf = (text: string): string => {
  const frame = JSON.parse(text) as { readonly d?: { readonly [field: string]: unknown } }
  const { media: _seat, ...d } = frame.d ?? {}
  return createHash("sha1")
    .update(JSON.stringify({ ...frame, d }))
    .digest("base64")
}

export class Streams {
  readonly #ledger: Ledger
  readonly #contents = new Map<string, string>()
  readonly #heads = new Map<string, StreamHead>()
  readonly #firsts = new Map<string, number>()
  /** Each of these dispatches once, in the order of their first receipt. */
  readonly elapsed: Array<Received> = []
  readonly announced: Array<Received> = []
  received = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  receive(received: Received): void {
    this.received++
    const { eventId, epoch, stream, s, t, text } = received
    const key = `${eventId} ${epoch} ${stream}`
    const content = contentOf(text)
    const known = this.#contents.get(`${key} ${s}`)
    if (known !== undefined) {
      if (known !== content) this.#ledger.violate("I2", `${stream} has two contents at number ${s} (one is ${t})`)
      return
    }
    this.#contents.set(`${key} ${s}`, content)
    if (!this.#firsts.has(key)) this.#firsts.set(key, s)
    if (s > (this.#heads.get(key)?.s ?? 0)) this.#heads.set(key, { eventId, epoch, stream, s })
    if (t === "timer.elapsed") this.elapsed.push(received)
    if (t === "announcement") this.announced.push(received)
  }

  /** Numbers below the head that no socket received: all of them had a snapshot instead, or nobody was there. */
  missing(stream: string): number {
    let count = 0
    for (const { eventId, epoch, stream: name, s } of this.#heads.values()) {
      if (name !== stream) continue
      const first = this.#firsts.get(`${eventId} ${epoch} ${name}`) ?? s
      for (let n = first; n < s; n++) if (!this.#contents.has(`${eventId} ${epoch} ${name} ${n}`)) count++
    }
    return count
  }

  get heads(): ReadonlyArray<StreamHead> {
    return [...this.#heads.values()]
  }

  contentAt(head: Omit<StreamHead, "s">, s: number): string | undefined {
    return this.#contents.get(`${head.eventId} ${head.epoch} ${head.stream} ${s}`)
  }
}
