/** Serialises work. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<A>(work: () => Promise<A>): Promise<A> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }
}

/** Serialises work per key. Keys without work are forgotten. */
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
