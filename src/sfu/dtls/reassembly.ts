/** Messages of the handshake from their fragments, in order (RFC 6347, 4.2.3). */
import { Malformed, Reader } from "../bytes.ts"
import type { HandshakeMessage } from "./handshake-messages.ts"

/** A hello with keys that withstand quantum computers and a certificate have about two thousand bytes. */
const MOST_BYTES = 8192
/** No side sends more messages than that in a flight. */
const AHEAD = 6

interface Partial {
  readonly type: number
  readonly body: Buffer
  /** Each byte is 1 once the byte of the body at the same offset has arrived. */
  readonly arrived: Uint8Array
  missing: number
}

export class Reassembly {
  readonly #partial = new Map<number, Partial>()
  #next = 0

  /** Number of the message that is awaited. */
  get next(): number {
    return this.#next
  }

  /**
   * Takes the fragments of a record. Answers the messages that are whole now, in their order, and whether a message came again, as it does
   * when the other side has not heard the answer. @throws Malformed
   */
  add(record: Buffer): { readonly messages: ReadonlyArray<HandshakeMessage>; readonly isRepeated: boolean } {
    const reader = new Reader(record)
    let isRepeated = false
    while (reader.left > 0) {
      const type = reader.uint(1)
      const length = reader.uint(3)
      const number = reader.uint(2)
      const from = reader.uint(3)
      const bytes = reader.take(reader.uint(3))
      if (length > MOST_BYTES || from + bytes.length > length)
        throw new Malformed("The fragment is out of its message.")
      if (number < this.#next) isRepeated = true
      else if (number < this.#next + AHEAD) this.#put(number, type, length, from, bytes)
    }
    return { messages: this.#whole(), isRepeated }
  }

  #put(number: number, type: number, length: number, from: number, bytes: Buffer): void {
    const known = this.#partial.get(number)
    const partial = known ?? { type, body: Buffer.alloc(length), arrived: new Uint8Array(length), missing: length }
    if (partial.type !== type || partial.body.length !== length) throw new Malformed("Two fragments disagree.")
    this.#partial.set(number, partial)
    for (const [at, byte] of bytes.entries()) {
      if (partial.arrived[from + at] === 1) continue
      partial.arrived[from + at] = 1
      partial.body[from + at] = byte
      partial.missing -= 1
    }
  }

  #whole(): ReadonlyArray<HandshakeMessage> {
    const messages: Array<HandshakeMessage> = []
    for (let partial = this.#partial.get(this.#next); partial?.missing === 0; partial = this.#partial.get(this.#next)) {
      messages.push({ type: partial.type, number: this.#next, body: partial.body })
      this.#partial.delete(this.#next)
      this.#next += 1
    }
    return messages
  }
}
