/**
 * The client's position in each stream it receives, which makes a resume exact and a gap visible. Streams begin and end with
 * the client's rooms; the remaining dispatches of a room that was left are not for this client.
 */
import type { Cursors } from "../wire.ts"

export class StreamPositions {
  readonly #epoch: string
  readonly #cursors: Map<string, number>

  constructor(epoch = "", cursors: Cursors = {}) {
    this.#epoch = epoch
    this.#cursors = new Map(Object.entries(cursors))
  }

  /** From here on the client receives these streams, from after their cursors, and no longer the dropped ones. */
  follow(cursors: Cursors, dropped: ReadonlyArray<string>): void {
    for (const stream of dropped) this.#cursors.delete(stream)
    for (const [stream, cursor] of Object.entries(cursors)) this.#cursors.set(stream, cursor)
  }

  /**
   * `next`: to be applied; the cursor moves on; `old`: seen before, or a foreign stream; `gap`: dispatches before it are missing.
   */
  place(stream: string, s: number): "next" | "old" | "gap" {
    const cursor = this.#cursors.get(stream)
    if (cursor === undefined || s <= cursor) return "old"
    if (s > cursor + 1) return "gap"
    this.#cursors.set(stream, s)
    return "next"
  }

  /** Are the server's heads ahead of us in any stream, also in one that we should receive and do not know of? */
  behind(heads: Cursors): boolean {
    return Object.entries(heads).some(([stream, head]) => head > (this.#cursors.get(stream) ?? 0))
  }

  get resume(): { readonly epoch: string; readonly cursors: Cursors } {
    return { epoch: this.#epoch, cursors: Object.fromEntries(this.#cursors) }
  }
}
