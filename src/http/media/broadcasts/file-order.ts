/**
 * The order of an encoder's files. Each file is a request on a connection of its own and waits for the database by itself, and ffmpeg
 * begins the next one without an answer. A file that is taken after its successor would be played after it.
 */
import type { Cancel, Timers } from "../../../clock/timers.ts"

/** A file that is whole waits for at most so long for those that began before it: one of them may never end. */
const WAIT_MS = 5000

/** The place of one file among those of its encoder. */
export interface Turn {
  /** Calls once the files that began before have left, or after five seconds; those are waited for no more. */
  readonly take: (call: () => void) => void
  /** The file was taken, or is not coming. Harmless when repeated. */
  readonly leave: () => void
}

interface Waiting {
  call: (() => void) | undefined
  cancel: Cancel | undefined
}

export class FileOrder {
  readonly #timers: Timers
  /** Files under way by address, in the order in which they began. */
  readonly #lines = new Map<string, Set<Waiting>>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** A file begins to come at the address. */
  enter(address: string): Turn {
    const line = this.#lines.get(address) ?? new Set<Waiting>()
    this.#lines.set(address, line)
    const own: Waiting = { call: undefined, cancel: undefined }
    line.add(own)
    return {
      take: (call) => {
        own.call = call
        if (firstOf(line) === own || !line.has(own)) begin(own)
        else own.cancel = this.#timers.after(WAIT_MS, () => overtake(line, own))
      },
      leave: () => {
        own.cancel?.()
        if (!line.delete(own)) return
        if (line.size === 0) this.#lines.delete(address)
        const next = firstOf(line)
        if (next !== undefined) begin(next)
      },
    }
  }
}

const firstOf = (line: ReadonlySet<Waiting>): Waiting | undefined => line.values().next().value

const overtake = (line: Set<Waiting>, own: Waiting): void => {
  for (const before of line) {
    if (before === own) break
    line.delete(before)
  }
  begin(own)
}

const begin = (one: Waiting): void => {
  const { call } = one
  one.call = undefined
  call?.()
}
