/**
 * Where this client stands in each stream it hears: what makes a resume exact and a gap visible. Streams come and go with
 * the rooms their hearer is in; what is left of one that was left is not for this client.
 */
import type { Cursors } from "./wire.ts"

export class StreamPositions {
  readonly #epoch: string
  readonly #cursors: Map<string, number>

  constructor(epoch = "", cursors: Cursors = {}) {
    this.#epoch = epoch
    this.#cursors = new Map(Object.entries(cursors))
  }

  /** From here on these streams are heard too, from after their cursors, and those no more. */
  follow(cursors: Cursors, dropped: ReadonlyArray<string>): void {
    for (const stream of dropped) this.#cursors.delete(stream)
    for (const [stream, cursor] of Object.entries(cursors)) this.#cursors.set(stream, cursor)
  }

  /** `next`: to be applied, and the cursor moves on; `old`: seen before, or not heard; `gap`: something is missing before it. */
  place(stream: string, s: number): "next" | "old" | "gap" {
    const cursor = this.#cursors.get(stream)
    if (cursor === undefined || s <= cursor) return "old"
    if (s > cursor + 1) return "gap"
    this.#cursors.set(stream, s)
    return "next"
  }

  /** Are the server's heads ahead of us in any stream? Also in one that we should hear and do not know of. */
  behind(heads: Cursors): boolean {
    return Object.entries(heads).some(([stream, head]) => head > (this.#cursors.get(stream) ?? 0))
  }

  get resume(): { readonly epoch: string; readonly cursors: Cursors } {
    return { epoch: this.#epoch, cursors: Object.fromEntries(this.#cursors) }
  }
}
