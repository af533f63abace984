/**
 * Encoders that send by WebRTC (WHIP, RFC 9725): an offer is answered by the media server, and the session is a stream of the broadcast like
 * that of an encoder that pushes MP4. The credential is the token of an encoder's address. There is nothing to trickle, because the server
 * has its candidates at once and learns the encoder's from its checks.
 */
import { timingSafeEqual } from "node:crypto"
import { Effect, Exit } from "effect"
import type { BearerLinks } from "../../../identity/links/bearer-links.ts"
import { hashSecret } from "../../../identity/secrets.ts"
import type { EncoderPort, StreamPort } from "../../../media/placed/encoder-port.ts"
import { LiveBroadcasts } from "../../../media/placed/live-broadcasts.ts"
import type { EncoderServer } from "../../../media/rooms/encoder-sessions.ts"
import {
  BadRequest,
  Conflict,
  NotFound,
  PayloadTooLarge,
  Unauthorized,
  UnsupportedMediaType,
} from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import type { Problems } from "../../transport/problem.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"
import { refusalResponse } from "../refusal.ts"
import { problemOf, type RunIngest, replaced } from "./ingest.ts"

/** An offer of Chromium with all its codecs has some ten thousand bytes. */
const MOST_BYTES = 65_536
const SDP = "application/sdp"
const IS_SDP = /^application\/sdp\s*(?:;|$)/i
const TOKEN = /^bearer ([\w.~+/-]{1,256}=*)$/i

const off = new Conflict({
  detail: "This server takes no encoders by WebRTC: MEDIA_PORT or BROADCAST_INGEST is off.",
})
const noToken = new Unauthorized({ detail: "Send the token of an encoder's address as a bearer token." })
const notSdp = new UnsupportedMediaType({ detail: `Send the offer as ${SDP}.` })
const tooLarge = new PayloadTooLarge({ limitBytes: MOST_BYTES })

const tokenHashOf = ({ headers }: RequestHead): Uint8Array | undefined => {
  const token = TOKEN.exec(headers["authorization"] ?? "")?.[1]
  return token === undefined ? undefined : hashSecret(token)
}

type Server = NonNullable<typeof EncoderServer.Service>

export class Whip {
  readonly #run: RunIngest
  readonly #problems: Problems
  readonly #links: BearerLinks["Service"]
  readonly #server: Server | null
  readonly #sessions = new Map<string, WhipSession>()

  constructor(run: RunIngest, problems: Problems, links: BearerLinks["Service"], server: Server | null) {
    this.#run = run
    this.#problems = problems
    this.#links = links
    this.#server = server
  }

  /** Handles `POST` with an offer. */
  begin = (exchange: Exchange, head: RequestHead): void => {
    const tokenHash = tokenHashOf(head)
    const server = this.#server
    const refuse = (failure: Parameters<Problems["of"]>[0]): void => exchange.refuse(this.#problems.of(failure))
    exchange.whenAborted(() => undefined)
    exchange.readBody(
      MOST_BYTES,
      (body) => {
        if (server === null) refuse(off)
        else if (tokenHash === undefined) refuse(noToken)
        else if (!IS_SDP.test(head.headers["content-type"] ?? "")) refuse(notSdp)
        else this.#admit(exchange, head, { server, tokenHash, sdp: Buffer.from(body).toString("latin1") })
      },
      () => refuse(tooLarge),
    )
  }

  /** Handles `DELETE` of a session. */
  end = (exchange: Exchange, head: RequestHead): void => {
    const tokenHash = tokenHashOf(head)
    const session = this.#sessions.get(head.params["session"] ?? "")
    const refuse = (failure: Parameters<Problems["of"]>[0]): void =>
      void setImmediate(() => exchange.refuse(this.#problems.of(failure)))
    if (tokenHash === undefined) refuse(noToken)
    else if (session === undefined) refuse(NotFound.of("session of an encoder"))
    else if (!timingSafeEqual(session.tokenHash, tokenHash)) refuse(noToken)
    else {
      exchange.whenAborted(() => undefined)
      session.finish().then(
        () => exchange.send({ status: 200, headers: [], body: "" }),
        (cause: unknown) => exchange.send(problemOf(this.#problems, cause)),
      )
    }
  }

  #admit(exchange: Exchange, head: RequestHead, offer: Offer): void {
    const admitted = Effect.flatMap(LiveBroadcasts, ({ admit }) => admit(offer.tokenHash))
    this.#run(admitted, (exit) => {
      if (Exit.isFailure(exit)) exchange.send(refusalResponse(exit, this.#problems, head.requestId))
      else
        this.#open(exit.value, offer).then(
          ({ id, sdp }) => {
            const location = `/v1/whip/${id}`
            const headers = [
              ["content-type", SDP],
              ["location", location],
            ] as const
            exchange.send({ status: 201, headers, body: sdp })
          },
          (cause: unknown) =>
            exchange.send(cause instanceof BadRequest ? this.#problems.of(cause) : problemOf(this.#problems, cause)),
        )
    })
  }

  /** The encoder before is cut once the offer is answered. */
  async #open(port: EncoderPort, { server, tokenHash, sdp }: Offer): Promise<{ id: string; sdp: string }> {
    if (port.hasEnded) throw replaced
    const id = newId()
    const session = new WhipSession(tokenHash, () => this.#sessions.delete(id))
    const opened = server.openEncoder(sdp, {
      onPiece: (bytes, isInit) => session.take(bytes, isInit),
      onEnded: () => session.leave(),
    })
    const answer = await opened.answer
    session.begin(port, opened.close, (end) => (port.link === null ? () => {} : this.#links.open(port.link, end)))
    this.#sessions.set(id, session)
    return { id, sdp: answer }
  }
}

interface Offer {
  readonly server: Server
  readonly tokenHash: Uint8Array
  readonly sdp: string
}

/** The stream of one encoder, from the media server to the broadcast. */
class WhipSession {
  readonly tokenHash: Uint8Array
  readonly #onOver: () => void
  #stream: StreamPort | undefined
  /** A description that was not written yet. */
  #init: Uint8Array | undefined
  #isFull = false
  #isOver = false
  #close: () => void = () => undefined
  #release: () => void = () => undefined

  constructor(tokenHash: Uint8Array, onOver: () => void) {
    this.tokenHash = tokenHash
    this.#onOver = onOver
  }

  /** Throws `EncoderReplaced`. */
  begin(port: EncoderPort, close: () => void, follow: (end: () => void) => () => void): void {
    this.#close = close
    if (this.#isOver) throw replaced
    try {
      this.#stream = port.openStream({
        onCut: () => this.leave(),
        onRoom: () => {
          this.#isFull = false
        },
      })
    } catch (cause) {
      close()
      throw cause
    }
    this.#release = follow(() => this.leave(true))
  }

  /** While the broadcast is stored more slowly than it comes, pictures are dropped: viewers see a gap, and memory stays bounded. */
  take(bytes: Uint8Array, isInit: boolean): void {
    if (isInit) this.#init = bytes
    const stream = this.#stream
    if (stream === undefined || this.#isFull) return
    try {
      const pieces = isInit || this.#init === undefined ? [bytes] : [this.#init, bytes]
      this.#init = undefined
      for (const piece of pieces) if (!stream.write(piece)) this.#isFull = true
    } catch {
      // The broadcast tells its staff the reason.
      this.leave()
    }
  }

  leave(isAddressOver = false): void {
    const stream = this.#over()
    stream?.leave(isAddressOver)
  }

  /** Resolves when everything is stored. */
  async finish(): Promise<void> {
    await this.#over()?.finish()
  }

  #over(): StreamPort | undefined {
    const stream = this.#stream
    this.#stream = undefined
    this.#isOver = true
    this.#release()
    this.#close()
    this.#onOver()
    return stream
  }
}
