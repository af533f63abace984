/** Promises for what has not happened yet: each look settles those that hold, and a deadline rejects the others. */
import { PATIENCE_MS } from "../patience.ts"

export class Signals<A> {
  readonly #waiting = new Set<(happened: A) => void>()

  /** Resolves with the first signal from now on for which `holds`. */
  next(holds: (happened: A) => boolean, what: string, deadlineMs = PATIENCE_MS): Promise<A> {
    return new Promise((resolve, reject) => {
      // timed: the deadline of a wait that would last for ever.
      const deadline = setTimeout(() => {
        this.#waiting.delete(look)
        reject(new Error(`${what}: not seen within ${deadlineMs} ms`))
      }, deadlineMs)
      const look = (happened: A) => {
        if (!holds(happened)) return
        clearTimeout(deadline)
        this.#waiting.delete(look)
        resolve(happened)
      }
      this.#waiting.add(look)
    })
  }

  tell(happened: A): void {
    for (const look of [...this.#waiting]) look(happened)
  }
}
