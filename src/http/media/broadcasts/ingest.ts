/**
 * Ingest of encoder bytes: one endless stream, numbered pieces of it, or files as ffmpeg pushes them. A refusal closes the encoder's
 * connection, because ffmpeg notices nothing else.
 */
import { Effect, Exit } from "effect"
import type { Timers } from "../../../clock/timers.ts"
import { type BearerLinks, LINK_ENDED } from "../../../identity/links/bearer-links.ts"
import { hashSecret } from "../../../identity/secrets.ts"
import { EncoderRefused } from "../../../media/broadcast/fmp4/refusal.ts"
import { PieceOutOfOrder } from "../../../media/live/encoder-input.ts"
import type { EncoderPort, StreamPort } from "../../../media/placed/encoder-port.ts"
import { LiveBroadcasts } from "../../../media/placed/live-broadcasts.ts"
import {
  BadRequest,
  EncoderReplaced,
  type Failure,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  Unavailable,
} from "../../../model/errors.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"
import { refusalResponse } from "../refusal.ts"
import { FileOrder, type FileTurn } from "./file-order.ts"

export type RunIngest = <A, E>(
  effect: Effect.Effect<A, E, LiveBroadcasts>,
  onExit: (exit: Exit.Exit<A, E>) => void,
) => void

/** Ingest address of an admitted encoder. */
interface Address {
  /** Calls `end` when the address ends. Returns a function that stops following it. */
  readonly follow: (port: EncoderPort, end: () => void) => () => void
  /** Calls `then` with a refusal if the address has ended by now. */
  readonly confirm: (port: EncoderPort, then: (refusal: HttpResponse | undefined) => void) => void
}

/** Maximum size of a file or a piece. */
const MOST_BYTES = 32 * 1024 * 1024

const NUMBER = /^\d{1,9}$/
const FILE = /^[\w.-]{1,128}\.(mp4|m4s|cmfv|cmfa)$/i

const tooLarge = new PayloadTooLarge({ limitBytes: MOST_BYTES })
export const replaced = new Unavailable({
  detail: "Another encoder has taken over, or the broadcast is over.",
  retryAfterSeconds: 5,
})
const tooMany = new Unavailable({ detail: "Too many files of the broadcast come at once.", retryAfterSeconds: 2 })
const notStored = new Unavailable({ detail: "The broadcast could not be stored.", retryAfterSeconds: 2 })

const done = (status: number, headers: HttpResponse["headers"] = []): HttpResponse => ({ status, headers, body: "" })

/** Problem response for an encoder whose bytes are refused. */
export const problemOf = (problems: Problems, cause: unknown): HttpResponse => {
  if (cause instanceof EncoderRefused) return problems.of(new BadRequest({ detail: cause.message }))
  if (cause instanceof PieceOutOfOrder) {
    return problems.write("conflict", `The next piece is ${cause.next}.`, [["next-seq", String(cause.next)]])
  }
  const isExpected = cause instanceof RateLimited || cause instanceof Unavailable || cause instanceof EncoderReplaced
  return problems.of(isExpected ? cause : notStored)
}

export class Ingest {
  readonly #run: RunIngest
  readonly #problems: Problems
  readonly #links: BearerLinks["Service"]
  readonly #order: FileOrder

  constructor(run: RunIngest, problems: Problems, links: BearerLinks["Service"], timers: Timers) {
    this.#run = run
    this.#problems = problems
    this.#links = links
    this.#order = new FileOrder(timers)
  }

  #addressOf({ requestId }: RequestHead): Address {
    return {
      follow: ({ link }, end) => (link === null ? () => {} : this.#links.open(link, end)),
      confirm: ({ link }, then) =>
        this.#run(link === null ? Effect.void : this.#links.confirm(link), (exit) =>
          then(Exit.isSuccess(exit) ? undefined : refusalResponse(exit, this.#problems, requestId)),
        ),
    }
  }

  /** Handles `PUT` and `POST`. */
  take = (exchange: Exchange, head: RequestHead): void => {
    const { name = "" } = head.params
    const number = new URLSearchParams(head.query).get("seq")
    if (name === "stream" && number === null) this.#stream(exchange, head)
    else if (name === "stream") this.#piece(exchange, head, number ?? "")
    else if (name.endsWith(".m3u8")) this.#playlist(exchange, head)
    else if (FILE.test(name)) this.#file(exchange, head)
    else this.#refuseLater(exchange, NotFound.of("file of a broadcast"))
  }

  /** Handles `DELETE`, by which ffmpeg removes old segments. The server removes nothing. */
  remove = (exchange: Exchange, head: RequestHead): void => {
    this.#admit(head, (exit) => this.#answer(exchange, exit, head, () => exchange.send(done(204))))
  }

  #admit(head: RequestHead, onExit: (exit: Exit.Exit<EncoderPort, Failure>) => void): void {
    const admitted = Effect.flatMap(LiveBroadcasts, ({ admit }) => admit(hashSecret(head.params["token"] ?? "")))
    this.#run(admitted, onExit)
  }

  #answer(
    exchange: Exchange,
    exit: Exit.Exit<EncoderPort, Failure>,
    { requestId }: RequestHead,
    onOpen: (port: EncoderPort) => void,
  ): void {
    if (Exit.isSuccess(exit)) onOpen(exit.value)
    else exchange.refuse(refusalResponse(exit, this.#problems, requestId))
  }

  /** Delayed, because the answer may close the connection: the engine reads no further request from it meanwhile. */
  #refuseLater(exchange: Exchange, failure: Failure): void {
    setImmediate(() => exchange.refuse(this.#problems.of(failure)))
  }

  /** Accepts and ignores the encoder's playlist: the server writes its own. */
  #playlist(exchange: Exchange, head: RequestHead): void {
    this.#whole(exchange, head, () => exchange.send(done(200)))
  }

  #file(exchange: Exchange, head: RequestHead): void {
    const take = (port: EncoderPort, bytes: Uint8Array): void => {
      port.putFile(bytes).then(
        () => exchange.send(done(204)),
        (cause: unknown) => exchange.send(problemOf(this.#problems, cause), true),
      )
    }
    this.#whole(exchange, head, take, { enter: () => this.#order.enter(head.params["token"] ?? "") })
  }

  #piece(exchange: Exchange, head: RequestHead, number: string): void {
    if (!NUMBER.test(number)) {
      this.#refuseLater(exchange, BadRequest.ofParameter("seq", "must be the number of a piece, from 0"))
      return
    }
    const take = (port: EncoderPort, bytes: Uint8Array): void => {
      port.putPiece(Number(number), bytes).then(
        (next) => exchange.send(done(204, [["next-seq", String(next)]])),
        (cause: unknown) => exchange.send(problemOf(this.#problems, cause)),
      )
    }
    // A page reuses the connection, and reads no answer before it has sent its piece.
    this.#whole(exchange, head, take, { closes: false })
  }

  /** Gathers a body, and passes it on once the token is accepted. */
  #whole(
    exchange: Exchange,
    head: RequestHead,
    then: (port: EncoderPort, bytes: Uint8Array) => void,
    options: BodyOptions = {},
  ): void {
    if (Number(head.headers["content-length"] ?? 0) > MOST_BYTES) {
      this.#refuseLater(exchange, tooLarge)
      return
    }
    const body = new GatheredBody(exchange, this.#problems, then, this.#addressOf(head), options)
    exchange.pause()
    this.#admit(head, (exit) => {
      if (Exit.isSuccess(exit)) body.begin(exit.value)
      else body.refuse(refusalResponse(exit, this.#problems, head.requestId))
    })
  }

  #stream(exchange: Exchange, head: RequestHead): void {
    const stream = new Stream(exchange, this.#problems, this.#addressOf(head))
    exchange.pause()
    this.#admit(head, (exit) => this.#answer(exchange, exit, head, (open) => stream.begin(open)))
  }
}

interface BodyOptions {
  /** Whether a refusal closes the connection at once. */
  readonly closes?: boolean
  /** Takes a position for the body among those of its address. */
  readonly enter?: () => FileTurn
}

const ANY_TURN: FileTurn = { take: (call) => call(), leave: () => {} }

/** Body of a file or a piece. Few bytes arrive before the token is accepted, because the connection is paused. */
class GatheredBody {
  readonly #exchange: Exchange
  readonly #problems: Problems
  readonly #then: (port: EncoderPort, bytes: Uint8Array) => void
  readonly #address: Address
  readonly #closes: boolean
  readonly #turn: FileTurn
  #chunks: Uint8Array[] = []
  #size = 0
  #port: EncoderPort | undefined
  #resets = 0
  #isWhole = false
  #release: (() => void) | undefined
  /** Answer to send at the end of the body, whose bytes are no longer kept. */
  #refusal: HttpResponse | undefined

  constructor(
    exchange: Exchange,
    problems: Problems,
    then: (port: EncoderPort, bytes: Uint8Array) => void,
    address: Address,
    { closes = true, enter = () => ANY_TURN }: BodyOptions,
  ) {
    this.#exchange = exchange
    this.#problems = problems
    this.#then = then
    this.#address = address
    this.#closes = closes
    this.#turn = enter()
    exchange.receive((chunk, isLast) => this.#take(chunk, isLast), { maySlow: true })
    exchange.whenAborted(() => this.#drop())
  }

  begin(port: EncoderPort): void {
    this.#port = port
    this.#resets = port.resets
    if (!port.gather(this.#size)) {
      this.refuse(this.#problems.of(tooMany))
      return
    }
    this.#release = this.#address.follow(port, () => this.refuse(this.#problems.of(LINK_ENDED)))
    this.#exchange.resume()
    this.#finish()
  }

  refuse(response: HttpResponse): void {
    this.#drop()
    if (this.#closes || this.#isWhole) this.#exchange.send(response, this.#closes)
    else this.#refusal = response
    this.#exchange.resume()
  }

  #take(chunk: Uint8Array, isLast: boolean): void {
    this.#isWhole = isLast
    this.#size += chunk.byteLength
    if (this.#refusal !== undefined) {
      // A caller without a valid token may not keep the connection busy for ever.
      if (isLast || this.#size > MOST_BYTES) this.#exchange.send(this.#refusal, !isLast)
      return
    }
    this.#chunks.push(chunk)
    const isFull = this.#port?.gather(chunk.byteLength) === false
    if (this.#size > MOST_BYTES) this.#cut(tooLarge)
    else if (isFull) this.#cut(tooMany)
    else this.#finish()
  }

  #cut(failure: Failure): void {
    this.#drop()
    this.#exchange.refuse(this.#problems.of(failure))
  }

  #finish(): void {
    const port = this.#port
    if (port === undefined || !this.#isWhole) return
    this.#exchange.waitForAnswer()
    // The body may have taken minutes, and the address may have ended meanwhile.
    this.#address.confirm(port, (refusal) => {
      if (refusal !== undefined) this.refuse(refusal)
      else this.#turn.take(() => this.#hand(port))
    })
  }

  #hand(port: EncoderPort): void {
    if (this.#port === undefined) return
    if (port.resets === this.#resets) {
      this.#then(port, Buffer.concat(this.#chunks))
      this.#drop()
    } else this.refuse(this.#problems.of(replaced))
  }

  /** Releases the bytes gathered so far. */
  #drop(): void {
    this.#port?.release(this.#size)
    this.#port = undefined
    this.#release?.()
    this.#chunks = []
    this.#size = 0
    this.#turn.leave()
  }
}

/** One active stream. Few bytes arrive before the token is accepted, because the connection is paused. */
class Stream {
  readonly #exchange: Exchange
  readonly #problems: Problems
  readonly #early: Uint8Array[] = []
  readonly #address: Address
  #port: StreamPort | undefined
  #release: (() => void) | undefined
  #isWhole = false
  #isOver = false

  constructor(exchange: Exchange, problems: Problems, address: Address) {
    this.#exchange = exchange
    this.#problems = problems
    this.#address = address
    exchange.receive(
      (chunk, isLast) => {
        this.#isWhole = isLast
        if (this.#port === undefined) this.#early.push(chunk)
        else this.#write(chunk)
        if (isLast) this.#finish()
      },
      { maySlow: true },
    )
    exchange.whenAborted(() => this.#leave())
  }

  begin(port: EncoderPort): void {
    if (this.#isOver) return
    if (port.hasEnded) {
      this.#refuse(this.#problems.of(replaced))
      return
    }
    try {
      this.#port = port.openStream({
        onCut: (cause) => this.#refuse(problemOf(this.#problems, cause ?? replaced)),
        onRoom: () => this.#exchange.resume(),
      })
    } catch (cause) {
      this.#refuse(problemOf(this.#problems, cause))
      return
    }
    this.#release = this.#address.follow(port, () => this.#refuse(this.#problems.of(LINK_ENDED), true))
    this.#exchange.resume()
    for (const chunk of this.#early.splice(0)) this.#write(chunk)
    if (this.#isWhole) this.#finish()
  }

  #write(chunk: Uint8Array): void {
    if (this.#isOver || this.#port === undefined) return
    try {
      if (!this.#port.write(chunk)) this.#exchange.pause()
    } catch (cause) {
      this.#refuse(problemOf(this.#problems, cause))
    }
  }

  #finish(): void {
    if (this.#isOver || this.#port === undefined) return
    this.#isOver = true
    this.#release?.()
    this.#exchange.waitForAnswer()
    this.#port.finish().then(
      () => this.#exchange.send(done(204)),
      (cause: unknown) => this.#exchange.send(problemOf(this.#problems, cause), true),
    )
  }

  #refuse(response: HttpResponse, isAddressOver = false): void {
    if (this.#isOver) return
    this.#leave(isAddressOver)
    this.#exchange.refuse(response)
  }

  #leave(isAddressOver = false): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#release?.()
    this.#port?.leave(isAddressOver)
  }
}
