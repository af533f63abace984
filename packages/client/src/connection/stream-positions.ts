/**
 * The client's position in each stream it receives, which makes a resume exact and a gap visible. Streams begin and end with the client's
 * rooms; remaining dispatches of a room that it left are not for this client.
 */
import type { Cursors } from "../wire.ts"

export class StreamPositions {
  readonly #epoch: string
  readonly #cursors: Map<string, number>

  constructor(epoch = "", cursors: Cursors = {}) {
    this.#epoch = epoch
    this.#cursors = new Map(Object.entries(cursors))
  }

  /** Starts receiving these streams after their cursors, and stops receiving the dropped ones. */
  follow(cursors: Cursors, dropped: ReadonlyArray<string>): void {
    for (const stream of dropped) this.#cursors.delete(stream)
    for (const [stream, cursor] of Object.entries(cursors)) this.#cursors.set(stream, cursor)
  }

  /**
   * `next` is applied and moves the cursor; `old` was seen before, or belongs to a foreign stream; `gap` means that earlier dispatches are
   * missing.
   */
  place(stream: string, s: number): "next" | "old" | "gap" {
    const cursor = this.#cursors.get(stream)
    if (cursor === undefined || s <= cursor) return "old"
    if (s > cursor + 1) return "gap"
    this.#cursors.set(stream, s)
    return "next"
  }

  /** Whether the server's heads are ahead of ours in any stream, including one that we should receive and do not know. */
  behind(heads: Cursors): boolean {
    return Object.entries(heads).some(([stream, head]) => head > (this.#cursors.get(stream) ?? 0))
  }

  get resume(): { readonly epoch: string; readonly cursors: Cursors } {
    return { epoch: this.#epoch, cursors: Object.fromEntries(this.#cursors) }
  }
}
