/** Which packets of one source have been taken: the window of RFC 3711, 3.3.2. */

const WINDOW = 1024

export class ReplayWindow {
  /** The greatest number so far; -1 before the first packet. */
  #top = -1
  readonly #taken = new Uint8Array(WINDOW)

  get top(): number {
    return this.#top
  }

  isNew(number: number): boolean {
    if (number > this.#top) return true
    return number > this.#top - WINDOW && this.#taken[number % WINDOW] === 0
  }

  /** Only for a packet that is authentic. */
  take(number: number): void {
    for (let passed = Math.max(this.#top + 1, number - WINDOW); passed < number; passed++)
      this.#taken[passed % WINDOW] = 0
    this.#taken[number % WINDOW] = 1
    this.#top = Math.max(this.#top, number)
  }
}
