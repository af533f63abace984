/**
 * Ordering of an encoder's files. Each file is a request on a connection of its own and waits for the database by itself, and ffmpeg starts
 * the next one before it has an answer. A file taken after its successor would be played after it.
 */
import type { Cancel, Timers } from "../../../clock/timers.ts"

/** Maximum wait of a complete file for the files that began before it: one of them may never end. */
const WAIT_MS = 5000

/** Position of one file among those of its encoder. */
export interface FileTurn {
  /** Calls back once the files that began before have left, or after five seconds; late files are then ignored. */
  readonly take: (call: () => void) => void
  /** Leaves the queue, because the file was taken or will not come. Idempotent. */
  readonly leave: () => void
}

interface Waiting {
  call: (() => void) | undefined
  cancel: Cancel | undefined
}

export class FileOrder {
  readonly #timers: Timers
  /** Files in transfer by address, in the order in which they began. */
  readonly #lines = new Map<string, Set<Waiting>>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Registers a file whose transfer to the address begins. */
  enter(address: string): FileTurn {
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
