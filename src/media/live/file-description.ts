/**
 * Init segment for an encoder's files. It may arrive shortly after the first file, and ffmpeg sends it once: after a restart of the server,
 * or another encoder in between, the files continue without it.
 */
import type { Timers } from "../../clock/timers.ts"
import type { Init } from "../broadcast/fmp4/init.ts"

/** Maximum wait of a file that arrived before its init segment. */
const WITHIN_MS = 5000
/** Maximum wait where another init segment can be used instead. */
const WITHIN_MS_OTHERWISE = 1000

export class FileDescription {
  readonly #timers: Timers
  #present: Init | undefined
  /** Init segment of the last files, perhaps from before the server's start. */
  #last: Init | undefined
  readonly #waiting: Array<() => void> = []

  constructor(timers: Timers, last: Init | undefined) {
    this.#timers = timers
    this.#last = last
  }

  /** Init segment of the encoder that now pushes files. */
  get present(): Init | undefined {
    return this.#present
  }

  came(init: Init): void {
    this.#present = init
    this.#last = init
    for (const call of this.#waiting.splice(0)) call()
  }

  /** Called when another encoder took over: the files may come back. */
  leave(): void {
    this.#present = undefined
  }

  /** Called when no files can come back, because their address was replaced. */
  forget(): void {
    this.#present = undefined
    this.#last = undefined
  }

  /** Init segment for a file without one; `undefined` when it cannot be read. */
  async find(): Promise<Init | undefined> {
    if (this.#present === undefined) await this.#coming()
    return this.#present ?? this.#last
  }

  #coming(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#timers.after(this.#last === undefined ? WITHIN_MS : WITHIN_MS_OTHERWISE, resolve)
      this.#waiting.push(() => {
        stop()
        resolve()
      })
    })
  }
}
