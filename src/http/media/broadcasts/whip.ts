/**
 * Encoders that send by WebRTC (WHIP, RFC 9725): an offer is answered by the media server, and the session is a stream of the broadcast like
 * that of an encoder that pushes MP4. The credential is the token of an encoder's address. There is nothing to trickle, because the server
 * has its candidates at once and learns the encoder's from its checks.
 */
import { timingSafeEqual } from "node:crypto"
import { Effect, Exit } from "effect"
import type { BearerLinks } from "../../../identity/links/bearer-links.ts"
import { hashSecret } from "../../../identity/secrets.ts"
import type { EncoderPort } from "../../../media/placed/encoder-port.ts"
import { LiveBroadcasts } from "../../../media/placed/live-broadcasts.ts"
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
import { problemOf, type RunIngest } from "./ingest.ts"
import { type MediaServer, WhipSession } from "./whip-session.ts"

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

export class Whip {
  readonly #run: RunIngest
  readonly #problems: Problems
  readonly #links: BearerLinks["Service"]
  readonly #server: MediaServer | null
  readonly #sessions = new Map<string, WhipSession>()

  constructor(run: RunIngest, problems: Problems, links: BearerLinks["Service"], server: MediaServer | null) {
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
        this.#open(exchange, exit.value, offer).then(
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

  async #open(
    exchange: Exchange,
    port: EncoderPort,
    { server, tokenHash, sdp }: Offer,
  ): Promise<{ id: string; sdp: string }> {
    const id = newId()
    const session = new WhipSession(tokenHash, () => this.#sessions.delete(id))
    this.#sessions.set(id, session)
    const answer = await session.begin(port, {
      server,
      sdp,
      follow: (end) => (port.link === null ? () => {} : this.#links.open(port.link, end)),
      whenAborted: (call) => exchange.whenAborted(call),
    })
    return { id, sdp: answer }
  }
}

interface Offer {
  readonly server: MediaServer
  readonly tokenHash: Uint8Array
  readonly sdp: string
}
