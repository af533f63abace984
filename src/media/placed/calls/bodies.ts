/**
 * Encoder bodies that reach the owner through other nodes. Files and pieces are gathered until they are whole; a stream is processed as it
 * arrives. A body that its node does not continue is given up.
 */
import { LRUCache } from "lru-cache"
import type { Timers } from "../../../clock/timers.ts"
import { Unavailable } from "../../../model/errors.ts"
import type { OpenBroadcast } from "../../live/open-broadcasts.ts"
import { ownPort, type StreamPort } from "../encoder-port.ts"
import { type BytesRequest, type OwnerAnswer, toBytes } from "./protocol.ts"
import { refusedBecause } from "./refusals.ts"

/** Maximum number of bodies, for all broadcasts of this process. */
const MOST_BODIES = 1000
/** Silence after which a body is given up; its node calls more often. */
const SILENT_MS = 15_000
/** Most time for which an answer is held back; the asking node waits longer. */
const HOLD_MS = 3000

const replaced = new Unavailable({
  detail: "Another encoder has taken over, or the broadcast is over.",
  retryAfterSeconds: 5,
})
const unknown = new Unavailable({ detail: "The broadcast has moved; begin again.", retryAfterSeconds: 1 })
const tooMany = new Unavailable({ detail: "Too many files of the broadcast come at once.", retryAfterSeconds: 2 })

const DONE: OwnerAnswer = { type: "done" }
const TAKEN: OwnerAnswer = { type: "taken", isTaken: true, next: null }
const LATER: OwnerAnswer = { type: "taken", isTaken: false, next: null }

/** A request for bytes that was or is being processed. */
interface TakenRequest {
  /** Offset and length, as text. */
  readonly name: string
  readonly answer: Promise<OwnerAnswer>
}

const nameOf = ({ offset, bytes, isLast }: BytesRequest): string => `${offset} ${bytes.length} ${isLast}`

interface Body {
  readonly one: OpenBroadcast
  /** Port of a stream; `undefined` when the bytes are gathered. */
  readonly stream: StreamPort | undefined
  readonly chunks: Uint8Array[]
  size: number
  heardAt: number
  /** Reason why the body is no longer accepted. */
  refusal: OwnerAnswer | undefined
  isOver: boolean
  takesMore: boolean
  /** Called at each change of `refusal` and `takesMore`, and at the end. */
  readonly waiting: Set<() => void>
}

const wake = (body: Body): void => {
  for (const call of [...body.waiting]) call()
}

export class Bodies {
  readonly #timers: Timers
  readonly #bodies = new Map<string, Body>()
  /** Last request of each body, kept for a while after its end. */
  readonly #last = new LRUCache<string, TakenRequest>({ max: MOST_BODIES })

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /**
   * Processes the next bytes of a body. The cluster engine repeats a call whose connection was lost: the bytes are processed once, and the
   * second call gets the answer of the first.
   */
  async take(one: OpenBroadcast, request: BytesRequest): Promise<OwnerAnswer> {
    const { upload } = request
    const name = nameOf(request)
    const before = this.#last.get(upload)
    if (before?.name === name) return before.answer
    const answer = this.#take(one, request)
    this.#last.set(upload, { name, answer })
    // The queue was full: the node sends the bytes again as new ones.
    if ((await answer) === LATER) this.#last.delete(upload)
    return answer
  }

  async #take(one: OpenBroadcast, request: BytesRequest): Promise<OwnerAnswer> {
    const known = this.#bodies.get(request.upload)
    if (known === undefined && request.offset > 0) return refusedBecause(unknown)
    const body = known ?? this.#begin(one, request)
    if (body === undefined) return refusedBecause(tooMany)
    body.heardAt = this.#timers.elapsed()
    if (body.refusal !== undefined) return this.#end(request.upload, body, body.refusal)
    if (body.size !== request.offset) return this.#end(request.upload, body, refusedBecause(unknown))
    try {
      return body.stream === undefined
        ? await this.#gather(body, request)
        : await this.#write(body, body.stream, request)
    } catch (cause) {
      return this.#end(request.upload, body, refusedBecause(cause))
    }
  }

  /** Resolves when the stream is cut, or after a while. */
  async attend(upload: string): Promise<OwnerAnswer> {
    const body = this.#bodies.get(upload)
    if (body === undefined) return refusedBecause(unknown)
    body.heardAt = this.#timers.elapsed()
    await this.#until(body, () => body.refusal !== undefined || body.isOver)
    body.heardAt = this.#timers.elapsed()
    return body.refusal ?? DONE
  }

  leave(upload: string, isAddressOver?: boolean): void {
    const body = this.#bodies.get(upload)
    if (body !== undefined) this.#end(upload, body, DONE, isAddressOver)
  }

  /** Gives up bodies that are not continued. */
  sweep(): void {
    const before = this.#timers.elapsed() - SILENT_MS
    for (const [upload, body] of this.#bodies) if (body.heardAt < before) this.#end(upload, body, DONE)
  }

  #begin(one: OpenBroadcast, { upload, form, resets, from = "" }: BytesRequest): Body | undefined {
    if (this.#bodies.size >= MOST_BODIES) return undefined
    const isCut = one.input.resets !== resets || one.live.hasEnded
    const stream =
      form.kind !== "stream" || isCut
        ? undefined
        : ownPort(one, null, from).openStream({
            onCut: () => {
              body.refusal = refusedBecause(replaced)
              wake(body)
            },
            onRoom: () => {
              body.takesMore = true
              wake(body)
            },
          })
    const body: Body = {
      one,
      stream,
      chunks: [],
      size: 0,
      heardAt: this.#timers.elapsed(),
      refusal: isCut ? refusedBecause(replaced) : undefined,
      isOver: false,
      takesMore: true,
      waiting: new Set(),
    }
    this.#bodies.set(upload, body)
    return body
  }

  async #write(body: Body, stream: StreamPort, { upload, bytes, isLast }: BytesRequest): Promise<OwnerAnswer> {
    if (!body.takesMore) await this.#until(body, () => body.takesMore || body.refusal !== undefined || body.isOver)
    if (body.refusal !== undefined) return this.#end(upload, body, body.refusal)
    if (body.isOver) return refusedBecause(unknown)
    if (!body.takesMore) return LATER
    const chunk = toBytes(bytes)
    body.size += chunk.byteLength
    if (chunk.byteLength > 0) body.takesMore = stream.write(chunk)
    if (!isLast) return TAKEN
    const stored = stream.finish()
    this.#end(upload, body, TAKEN)
    return stored.then(() => TAKEN, refusedBecause)
  }

  async #gather(body: Body, { upload, form, resets, from = "", bytes, isLast }: BytesRequest): Promise<OwnerAnswer> {
    const { input } = body.one
    const chunk = toBytes(bytes)
    body.size += chunk.byteLength
    body.chunks.push(chunk)
    if (!input.gather(chunk.byteLength)) return this.#end(upload, body, refusedBecause(tooMany))
    if (!isLast) return TAKEN
    const whole = Buffer.concat(body.chunks)
    this.#end(upload, body, TAKEN)
    // The body may have taken minutes, and the address may have been replaced meanwhile.
    if (input.resets !== resets) return refusedBecause(replaced)
    try {
      if (form.kind === "piece") {
        return { type: "taken", isTaken: true, next: await input.putPiece(form.number, whole, from) }
      }
      await input.putFile(whole, from)
      return TAKEN
    } catch (cause) {
      return refusedBecause(cause)
    }
  }

  /** Forgets the body. */
  #end(upload: string, body: Body, answer: OwnerAnswer, isAddressOver?: boolean): OwnerAnswer {
    if (!body.isOver) {
      body.isOver = true
      this.#bodies.delete(upload)
      if (body.stream === undefined) body.one.input.release(body.size)
      else body.stream.leave(isAddressOver)
      wake(body)
    }
    return answer
  }

  /** Resolves when the condition holds, or after a while. */
  #until(body: Body, isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        body.waiting.delete(look)
        stop()
        resolve()
      }
      const look = (): void => {
        if (isSo()) done()
      }
      const stop = this.#timers.after(HOLD_MS, done)
      body.waiting.add(look)
      look()
    })
  }
}
