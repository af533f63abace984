/**
 * Forwards a long encoder stream to the owner of its broadcast. Bytes not yet accepted by the owner wait here; above a limit the encoder
 * must wait. One call, which the owner answers when it cuts the stream, is always open.
 */

import { newId } from "../../../model/ids.ts"
import type { StreamEvents, StreamPort } from "../encoder-port.ts"
import { type OwnerAnswer, type OwnerRequest, toText } from "./protocol.ts"
import { causeOf, notStored } from "./refusals.ts"

/** Bytes per call. */
export const CHUNK_BYTES = 256 * 1024
const PAUSE_ABOVE = 1024 * 1024
const RESUME_BELOW = 256 * 1024

interface Given {
  readonly broadcastId: string
  readonly resets: number
  /** Address of the encoder. */
  readonly from: string
  readonly ask: (request: OwnerRequest) => Promise<OwnerAnswer>
}

export class ForwardedStream implements StreamPort {
  readonly #given: Given
  readonly #events: StreamEvents
  readonly #upload = newId()
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  #offset = 0
  #isFull = false
  #isOpen = false
  #isFinishing = false
  /** Whether the owner has the last byte, or accepts no more. */
  #isOver = false
  #working: Promise<void> | undefined
  #cause: unknown

  constructor(given: Given, events: StreamEvents) {
    this.#given = given
    this.#events = events
    this.#work()
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return false
    this.#queue.push(chunk)
    this.#queuedBytes += chunk.byteLength
    this.#work()
    this.#isFull ||= this.#queuedBytes > PAUSE_ABOVE
    return !this.#isFull
  }

  async finish(): Promise<void> {
    this.#isFinishing = true
    while (!this.#isOver) {
      this.#work()
      await this.#working
    }
    if (this.#cause !== undefined) throw this.#cause
  }

  leave(isAddressOver = false): void {
    if (this.#isOver || this.#isFinishing) return
    this.#end()
    void this.#ask({ type: "leave", isAddressOver }).catch(() => {})
  }

  #work(): void {
    if (this.#isOver) return
    this.#working ??= this.#send().finally(() => {
      this.#working = undefined
    })
  }

  /** The first call has no bytes: the previous encoder is cut when this one begins, and not at its first byte. */
  async #send(): Promise<void> {
    try {
      while (!this.#isOver && (!this.#isOpen || this.#queuedBytes > 0 || this.#isFinishing)) {
        const chunk = this.#isOpen ? this.#next() : new Uint8Array(0)
        const isLast = this.#isOpen && this.#isFinishing && this.#queuedBytes === 0
        await this.#deliver(chunk, isLast)
        if (!this.#isOpen) void this.#attend()
        this.#isOpen = true
        if (isLast) this.#end()
      }
    } catch (cause) {
      this.#cut(cause)
    }
  }

  /** Sends a chunk again while the owner's queue is full. */
  async #deliver(chunk: Uint8Array, isLast: boolean): Promise<void> {
    const { resets, from } = this.#given
    const form = { kind: "stream" } as const
    const bytes = toText(chunk)
    while (!this.#isOver) {
      const answer = await this.#ask({ type: "bytes", form, offset: this.#offset, resets, from, bytes, isLast })
      if (answer.type !== "taken") throw notStored
      if (answer.isTaken) break
    }
    this.#offset += chunk.byteLength
    if (!this.#isFull || this.#queuedBytes > RESUME_BELOW || this.#isOver) return
    this.#isFull = false
    this.#events.onRoom()
  }

  #next(): Uint8Array {
    const some: Uint8Array[] = []
    let bytes = 0
    for (let chunk = this.#queue[0]; chunk !== undefined && bytes < CHUNK_BYTES; chunk = this.#queue[0]) {
      this.#queue.shift()
      some.push(chunk)
      bytes += chunk.byteLength
    }
    this.#queuedBytes -= bytes
    return some.length === 1 ? (some[0] ?? new Uint8Array(0)) : Buffer.concat(some)
  }

  /** Waits until the owner cuts the stream or stops answering. */
  async #attend(): Promise<void> {
    try {
      while (!this.#isOver && !this.#isFinishing) await this.#ask({ type: "attend" })
    } catch (cause) {
      if (!this.#isFinishing) this.#cut(cause)
    }
  }

  async #ask(
    request:
      | Omit<Extract<OwnerRequest, { type: "bytes" }>, "broadcastId" | "upload">
      | { readonly type: "attend" }
      | { readonly type: "leave"; readonly isAddressOver: boolean },
  ): Promise<OwnerAnswer> {
    const { broadcastId, ask } = this.#given
    const answer = await ask({ ...request, broadcastId, upload: this.#upload })
    if (answer.type === "refused") throw causeOf(answer)
    return answer
  }

  #cut(cause: unknown): void {
    if (this.#isOver) return
    this.#cause = cause
    this.#end()
    this.#events.onCut(cause)
  }

  #end(): void {
    this.#isOver = true
    this.#queue = []
    this.#queuedBytes = 0
  }
}
