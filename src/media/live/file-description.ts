/**
 * The description of the files of an encoder. It may come a moment after the first file, and ffmpeg sends it once: after a restart of the server, or
 * another encoder in between, the files go on without it.
 */
import type { Timers } from "../../clock/timers.ts"
import type { Init } from "../broadcast/fmp4/init.ts"

/** A file that came before its description waits so long for it. */
const WITHIN_MS = 5000
/** Where there is one that the file can be read by otherwise. */
const WITHIN_MS_OTHERWISE = 1000

export class FileDescription {
  readonly #timers: Timers
  #present: Init | undefined
  /** Of the files that came last, perhaps before the server was started. */
  #last: Init | undefined
  readonly #waiting: Array<() => void> = []

  constructor(timers: Timers, last: Init | undefined) {
    this.#timers = timers
    this.#last = last
  }

  /** Of the encoder that pushes files now. */
  get present(): Init | undefined {
    return this.#present
  }

  came(init: Init): void {
    this.#present = init
    this.#last = init
    for (const call of this.#waiting.splice(0)) call()
  }

  /** Another encoder took over: the files may come back. */
  leave(): void {
    this.#present = undefined
  }

  /** No files come back: their address was replaced. */
  forget(): void {
    this.#present = undefined
    this.#last = undefined
  }

  /** For a file without one; `undefined`: it cannot be read. */
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
