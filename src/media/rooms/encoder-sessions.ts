/** Encoders that send by WebRTC to the process of the forwarding unit. Each has a session there, which ends with the process. */
import { Context } from "effect"
import type { Cancel, Timers } from "../../clock/timers.ts"
import { BadRequest, Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import type { EncoderNews, SfuTask } from "../../sfu/process-protocol.ts"

interface EncoderListener {
  /** Fragmented MP4: a description with which a stream begins, or a fragment. */
  readonly onPiece: (bytes: Uint8Array, isInit: boolean) => void
  /** The encoder has left or is silent, or the process has ended. */
  readonly onEnded: () => void
}

interface EncoderSession {
  /** The answer to the offer. Rejects with `BadRequest` or `Unavailable`, and the session is over. */
  readonly answer: Promise<string>
  readonly close: () => void
  /** Ends the session. Resolves when the last pieces have come; a process that does not answer has none. */
  readonly finish: () => Promise<void>
}

/** Null: no port for media is configured. */
export const EncoderServer = Context.Reference<{
  readonly openEncoder: (sdp: string, listener: EncoderListener) => EncoderSession
} | null>("gathercue/EncoderServer", { defaultValue: () => null })

interface Session {
  readonly listener: EncoderListener
  readonly settle: { readonly resolve: (sdp: string) => void; readonly reject: (cause: unknown) => void }
  /** Ends the wait for the process: for its answer, or for the last pieces. */
  readonly stopWaiting: Cancel
}

const ANSWER_MS = 5000
const MOST_SESSIONS = 256

const late = new Unavailable({ detail: "The media server does not answer.", retryAfterSeconds: 2 })
const closed = new Unavailable({ detail: "The session ended before its answer.", retryAfterSeconds: 2 })
const full = new Unavailable({ detail: "Too many encoders send to this server at once.", retryAfterSeconds: 10 })

export class EncoderSessions {
  readonly #send: (task: SfuTask) => void
  readonly #timers: Timers
  readonly #sessions = new Map<string, Session>()

  constructor(send: (task: SfuTask) => void, timers: Timers) {
    this.#send = send
    this.#timers = timers
  }

  open(sdp: string, maxKbps: number, listener: EncoderListener): EncoderSession {
    const session = newId()
    const answer = new Promise<string>((resolve, reject) => {
      if (this.#sessions.size >= MOST_SESSIONS) {
        reject(full)
        return
      }
      const stopWaiting = this.#timers.after(ANSWER_MS, () => this.#refuse(session, late))
      this.#sessions.set(session, { listener, settle: { resolve, reject }, stopWaiting })
      this.#send({ type: "openEncoder", session, sdp, maxKbps })
    })
    return { answer, close: () => this.#close(session), finish: () => this.#finish(session) }
  }

  hear(news: EncoderNews): void {
    const found = this.#sessions.get(news.session)
    if (found === undefined) return
    if (news.type === "encoderPiece") found.listener.onPiece(news.bytes, news.isInit)
    else if (news.type === "encoderEnded") this.#end(news.session)
    else if (news.type === "encoderRefused") this.#refuse(news.session, new BadRequest({ detail: news.why }))
    else {
      found.stopWaiting()
      found.settle.resolve(news.sdp)
    }
  }

  /** The process has ended, and knows none of them any more. */
  endAll(): void {
    for (const session of [...this.#sessions.keys()]) this.#end(session)
  }

  #finish(session: string): Promise<void> {
    const found = this.#sessions.get(session)
    if (found === undefined) return Promise.resolve()
    found.stopWaiting()
    return new Promise((resolve) => {
      const cancel = this.#timers.after(ANSWER_MS, () => this.#close(session))
      const stopWaiting = (): void => {
        cancel()
        resolve()
      }
      const { onPiece } = found.listener
      this.#sessions.set(session, { ...found, listener: { onPiece, onEnded: () => undefined }, stopWaiting })
      this.#send({ type: "finishEncoder", session })
    })
  }

  #refuse(session: string, cause: BadRequest | Unavailable): void {
    this.#sessions.get(session)?.settle.reject(cause)
    this.#close(session)
  }

  #end(session: string): void {
    const found = this.#sessions.get(session)
    this.#refuse(session, late)
    found?.listener.onEnded()
  }

  #close(session: string): void {
    const found = this.#sessions.get(session)
    if (found === undefined) return
    found.stopWaiting()
    // Without effect where the answer is there.
    found.settle.reject(closed)
    this.#sessions.delete(session)
    this.#send({ type: "closeEncoder", session })
  }
}
