/** Where this client stands in each stream: what makes a resume exact and a gap visible. */
import type { Cursors } from "./wire.ts"

export class StreamPositions {
  readonly #epoch: string
  readonly #cursors: Map<string, number>

  constructor(epoch = "", cursors: Cursors = {}) {
    this.#epoch = epoch
    this.#cursors = new Map(Object.entries(cursors))
  }

  /** `next`: to be applied, and the cursor moves on; `old`: seen before; `gap`: something before it is missing. */
  place(stream: string, s: number): "next" | "old" | "gap" {
    const cursor = this.#cursors.get(stream) ?? 0
    if (s <= cursor) return "old"
    if (s > cursor + 1) return "gap"
    this.#cursors.set(stream, s)
    return "next"
  }

  /** Are the server's heads ahead of us in any stream that we follow? */
  behind(heads: Cursors): boolean {
    return Object.entries(heads).some(([stream, head]) => head > (this.#cursors.get(stream) ?? 0))
  }

  get resume(): { readonly epoch: string; readonly cursors: Cursors } {
    return { epoch: this.#epoch, cursors: Object.fromEntries(this.#cursors) }
  }
}
