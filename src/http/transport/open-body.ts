/**
 * Body of a response that stays open, in chunks. The engine does not tell how much it has buffered, and does not drain its buffer by itself.
 * So after a write that the client did not take at once, everything waits here until the engine asks for more.
 */

/** The used part of the engine's response. */
interface EngineResponse {
  readonly write: (chunk: string) => boolean
  readonly end: () => unknown
  readonly close: () => unknown
  readonly cork: (call: () => void) => unknown
  readonly onWritable: (call: () => boolean) => unknown
}

/** Comment of an event stream, written when the engine asks for more and nothing waits: only a write drains its buffer. */
const NOTHING = ":\n\n"

export class OpenBody {
  readonly #res: EngineResponse
  #waiting: string[] = []
  #waitingBytes = 0
  /** Bytes in the engine's buffer, at most. */
  #inEngine = 0
  #state: "open" | "ending" | "gone" = "open"
  #onGone: () => void = () => {}
  #onDrained: () => void = () => {}

  constructor(res: EngineResponse) {
    this.#res = res
    res.onWritable(() => {
      this.#flush()
      return true
    })
  }

  write(text: string): void {
    if (this.#state !== "open") return
    if (this.#inEngine === 0) this.#res.cork(() => this.#pass(text))
    else {
      this.#waiting.push(text)
      this.#waitingBytes += Buffer.byteLength(text)
    }
  }

  end(): void {
    if (this.#state !== "open") return
    this.#state = "ending"
    if (this.#inEngine === 0) this.#finish()
  }

  discard(): void {
    this.#waiting = []
    this.#waitingBytes = 0
  }

  destroy(): void {
    if (this.#state !== "gone") this.#res.close()
  }

  buffered(): number {
    return this.#waitingBytes + this.#inEngine
  }

  whenGone(call: () => void): void {
    if (this.#state === "gone") call()
    else this.#onGone = call
  }

  whenDrained(call: () => void): void {
    this.#onDrained = call
  }

  /** Called when the client is gone. */
  aborted(): void {
    this.#gone()
  }

  #pass(text: string): void {
    if (!this.#res.write(text)) this.#inEngine += Buffer.byteLength(text)
  }

  #flush(): void {
    if (this.#state === "gone") return
    this.#inEngine = 0
    const text = this.#waiting.join("")
    this.discard()
    this.#res.cork(() => this.#pass(text === "" ? NOTHING : text))
    if (this.#inEngine > 0) return
    if (this.#state === "ending") this.#finish()
    else this.#onDrained()
  }

  #finish(): void {
    // Not with the engine's `closeConnection`, which would write a header into the body.
    this.#res.cork(() => this.#res.end())
    this.#gone()
  }

  #gone(): void {
    if (this.#state === "gone") return
    this.#state = "gone"
    this.discard()
    this.#onGone()
  }
}
