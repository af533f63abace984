/** Listeners in this process, called synchronously in the order in which they subscribed. */
export class Listeners<T = void> {
  readonly #listeners = new Set<(value: T) => void>()

  readonly notify = (value: T): void => {
    for (const listener of this.#listeners) listener(value)
  }

  /** Returns a function that removes the listener. */
  readonly subscribe = (listener: (value: T) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
