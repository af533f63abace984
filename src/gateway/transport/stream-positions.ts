/**
 * The position of an event stream's client, as the client itself would keep it: the highest number of each stream without a gap before it.
 * It is sent as the `id` of events, and comes back as `Last-Event-ID`.
 */
import type { Resume } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"

/** The members of a sent object that concern positions. */
export interface Positioned {
  readonly op: number
  readonly t?: string
  readonly st?: string
  readonly s?: number
  readonly d?: {
    readonly resumed?: boolean
    readonly epoch?: string
    readonly cursors?: { readonly [stream: string]: number }
    readonly dropped?: ReadonlyArray<string>
  }
}

export const objectsOf = (frame: string): ReadonlyArray<Positioned> => {
  const parsed = JSON.parse(frame) as Positioned | ReadonlyArray<Positioned>
  return "op" in parsed ? [parsed] : parsed
}

export class StreamPositions {
  #epoch: string
  readonly #cursors: Map<string, number>

  /** `resume`: the position from which the client goes on. */
  constructor(resume: Resume | undefined) {
    this.#epoch = resume?.epoch ?? ""
    this.#cursors = new Map(Object.entries(resume?.cursors ?? {}))
  }

  /** The position as text, if these objects have changed it. */
  after(objects: ReadonlyArray<Positioned>): string | undefined {
    let isChanged = false
    for (const object of objects) if (this.#take(object)) isChanged = true
    if (!isChanged) return undefined
    return JSON.stringify({ epoch: this.#epoch, cursors: Object.fromEntries(this.#cursors) } satisfies Resume)
  }

  #take({ op, t, st, s, d = {} }: Positioned): boolean {
    if (op !== OP.dispatch) return false
    if (t === "ready" && d.resumed !== true) {
      this.#epoch = d.epoch ?? ""
      this.#cursors.clear()
      this.#follow(d)
      return true
    }
    if (st !== undefined && s !== undefined && !this.#isNext(st, s)) return false
    if (t === "subscribed") this.#follow(d)
    return t === "subscribed" || st !== undefined
  }

  #follow({ cursors = {}, dropped = [] }: NonNullable<Positioned["d"]>): void {
    for (const stream of dropped) this.#cursors.delete(stream)
    for (const [stream, cursor] of Object.entries(cursors)) this.#cursors.set(stream, cursor)
  }

  /** A dispatch behind a gap moves nothing, so that a resume begins before the gap. */
  #isNext(stream: string, s: number): boolean {
    const cursor = this.#cursors.get(stream)
    if (cursor === undefined || s !== cursor + 1) return false
    this.#cursors.set(stream, s)
    return true
  }
}
