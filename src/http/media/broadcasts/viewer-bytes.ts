/**
 * Delivery of broadcast bytes to viewers. Bytes for slow viewers stay in memory: bytes shared by several viewers count once, a stored
 * segment is read in pieces, and viewers beyond a limit are told to come back.
 */
import type { StoredFile } from "../../../media/storage/storage.ts"
import { Unavailable } from "../../../model/errors.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange } from "../../transport/uws-exchange.ts"
import { PIECE, piecesOf } from "../pieces.ts"

const MOST_BYTES = 256 * 1024 * 1024

const tooMany = new Unavailable({ detail: "Too many viewers wait for bytes of this server.", retryAfterSeconds: 2 })

type Answer = Pick<Exchange, "send" | "sendBytes" | "sendStream">

/** Bytes of a file, which is closed after they are sent. */
export interface Stretch {
  readonly file: Pick<StoredFile, "read" | "close">
  readonly offset: number
  readonly bytes: number
}

export class ViewerBytes {
  readonly #problems: Problems
  readonly #failed: (cause: unknown) => void
  readonly #most: number
  #bytes = 0
  /** Number of viewers that have not received all of a body. */
  readonly #shared = new Map<Uint8Array, number>()

  /** `failed` gets disk errors in the middle of an answer. */
  constructor(problems: Problems, failed: (cause: unknown) => void, most = MOST_BYTES) {
    this.#problems = problems
    this.#failed = failed
    this.#most = most
  }

  give(exchange: Answer, headers: HttpResponse["headers"], from: Uint8Array | Stretch): void {
    const isStretch = !(from instanceof Uint8Array)
    if (this.#bytes > this.#most && (isStretch || !this.#shared.has(from))) {
      if (isStretch) void from.file.close().catch(this.#failed)
      exchange.send(this.#problems.of(tooMany))
    } else if (isStretch) this.#stream(exchange, headers, from)
    else exchange.sendBytes(200, headers, from, () => this.#share(from))
  }

  /** Returns a function that releases the share. */
  #share(body: Uint8Array): () => void {
    const viewers = this.#shared.get(body) ?? 0
    if (viewers === 0) this.#bytes += body.byteLength
    this.#shared.set(body, viewers + 1)
    return () => {
      const left = (this.#shared.get(body) ?? 1) - 1
      if (left > 0) this.#shared.set(body, left)
      else {
        this.#shared.delete(body)
        this.#bytes -= body.byteLength
      }
    }
  }

  #stream(exchange: Answer, headers: HttpResponse["headers"], { file, offset, bytes }: Stretch): void {
    const held = Math.min(PIECE, bytes)
    this.#bytes += held
    exchange
      .sendStream(200, headers, bytes, piecesOf(file, offset, bytes))
      .finally(() => {
        this.#bytes -= held
        return file.close()
      })
      .catch(this.#failed)
  }
}
