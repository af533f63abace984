/** A WebSocket that records its frames as they go over the wire, and can be cut like by a network failure. */
export interface RecordedFrame {
  readonly n: number
  readonly at: number
  readonly direction: "in" | "out"
  readonly text: string
}

const MOST_FRAMES = 500
/** Any code that browsers may send: the client treats every end but its own as a loss. */
const CUT = 3000

export class FrameLog {
  #frames: ReadonlyArray<RecordedFrame> = []
  #n = 0
  #socket: WebSocket | undefined
  readonly #listeners = new Set<() => void>()

  readonly opened = (socket: WebSocket): void => {
    this.#socket = socket
  }

  readonly add = (direction: RecordedFrame["direction"], data: unknown): void => {
    this.#n += 1
    const text = typeof data === "string" ? data : "(binary)"
    this.#frames = [...this.#frames, { n: this.#n, at: Date.now(), direction, text }].slice(-MOST_FRAMES)
    for (const changed of this.#listeners) changed()
  }

  readonly frames = (): ReadonlyArray<RecordedFrame> => this.#frames

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  readonly cut = (): void => this.#socket?.close(CUT)
}

/** Constructor for a gateway client whose frames go to the log. */
export const recordedSocket = (log: FrameLog): typeof WebSocket =>
  class extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols)
      log.opened(this)
      this.addEventListener("message", ({ data }) => log.add("in", data))
    }

    override send(data: Parameters<WebSocket["send"]>[0]): void {
      log.add("out", data)
      super.send(data)
    }
  }
