/** Replies on their way to the client: in order, each no earlier than its time, none while the connection is silent. */
interface Item {
  readonly at: number
  readonly deliver: () => void
}

export class ReplyQueue {
  readonly #items: Array<Item> = []
  #timer: NodeJS.Timeout | undefined
  #isHeld = false
  #isClosed = false

  push(delayMs: number, deliver: () => void): void {
    if (this.#isClosed) return
    this.#items.push({ at: Date.now() + delayMs, deliver })
    this.#run()
  }

  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#run()
  }

  close(): void {
    this.#isClosed = true
    this.#items.length = 0
    clearTimeout(this.#timer)
  }

  #run(): void {
    clearTimeout(this.#timer)
    while (!this.#isHeld) {
      const [first] = this.#items
      if (first === undefined) return
      const wait = first.at - Date.now()
      if (wait > 0) {
        // timed: replies are late on purpose.
        this.#timer = setTimeout(() => this.#run(), wait)
        return
      }
      this.#items.shift()
      first.deliver()
    }
  }
}
