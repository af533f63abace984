/** Work that is done one after the other. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<A>(work: () => Promise<A>): Promise<A> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }
}

/** Turns of each key. Keys without work are forgotten. */
export class TurnsByKey {
  readonly #open = new Map<string, { readonly turns: Turns; waiting: number }>()

  async take<A>(key: string, work: () => Promise<A>): Promise<A> {
    const entry = this.#open.get(key) ?? { turns: new Turns(), waiting: 0 }
    this.#open.set(key, entry)
    entry.waiting += 1
    try {
      return await entry.turns.take(work)
    } finally {
      entry.waiting -= 1
      if (entry.waiting === 0) this.#open.delete(key)
    }
  }
}

/** Work of which so many go on at once, in the order in which it came. */
export class Slots {
  #free: number
  readonly #waiting: Array<() => void> = []

  constructor(count: number) {
    this.#free = count
  }

  async take<A>(work: () => Promise<A>): Promise<A> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free -= 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The place passes on, so that nobody who comes in between takes it.
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
