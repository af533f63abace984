/** The session of one encoder that sends by WebRTC: a stream of its broadcast from the media server's answer on. */
import type { EncoderPort, StreamPort } from "../../../media/placed/encoder-port.ts"
import type { EncoderServer } from "../../../media/rooms/encoder-sessions.ts"
import { replaced } from "./ingest.ts"

export type MediaServer = NonNullable<typeof EncoderServer.Service>

interface Beginning {
  readonly server: MediaServer
  readonly sdp: string
  /** Calls `end` when the encoder's address ends. Returns a function that stops following it. */
  readonly follow: (end: () => void) => () => void
  /** Calls once if the request is aborted before its answer. */
  readonly whenAborted: (call: () => void) => void
}

export class WhipSession {
  readonly tokenHash: Uint8Array
  readonly #onOver: () => void
  #media: ReturnType<MediaServer["openEncoder"]> | undefined
  #stream: StreamPort | undefined
  /** A description that was not written yet. */
  #init: Uint8Array | undefined
  #isFull = false
  #isOver = false
  #release: () => void = () => undefined

  constructor(tokenHash: Uint8Array, onOver: () => void) {
    this.tokenHash = tokenHash
    this.#onOver = onOver
  }

  /**
   * Resolves to the media server's answer; the encoder before is cut then. A session whose broadcast or address ends before the answer, or
   * whose request is aborted, rejects and is over.
   */
  async begin(port: EncoderPort, { server, sdp, follow, whenAborted }: Beginning): Promise<string> {
    const { resets } = port
    const requirePlace = (): void => {
      if (this.#isOver || port.hasEnded || port.resets !== resets) throw replaced
    }
    try {
      whenAborted(() => this.leave())
      requirePlace()
      this.#media = server.openEncoder(sdp, {
        onPiece: (bytes, isInit) => this.#take(bytes, isInit),
        onEnded: () => this.leave(),
      })
      this.#release = follow(() => this.leave(true))
      const answer = await this.#media.answer
      // The broadcast may have ended, or left this process, meanwhile.
      requirePlace()
      this.#stream = port.openStream({
        onCut: () => this.leave(),
        onRoom: () => {
          this.#isFull = false
        },
      })
      return answer
    } catch (cause) {
      this.leave()
      throw cause
    }
  }

  leave(isAddressOver = false): void {
    this.#over()?.leave(isAddressOver)
  }

  /** Resolves when everything that came is stored. */
  async finish(): Promise<void> {
    this.#onOver()
    await this.#media?.finish()
    await this.#over()?.finish()
  }

  /** While the broadcast is stored more slowly than it comes, pictures are dropped: viewers see a gap, and memory stays bounded. */
  #take(bytes: Uint8Array, isInit: boolean): void {
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

  #over(): StreamPort | undefined {
    const stream = this.#stream
    this.#stream = undefined
    this.#isOver = true
    this.#release()
    this.#media?.close()
    this.#onOver()
    return stream
  }
}
