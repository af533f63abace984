/** Typed listeners by name. A throwing listener does not keep the value from the others. */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<(value: never) => void>>()

  /** Returns a function that removes the listener. */
  readonly on = <Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): (() => void) => {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => {
      listeners.delete(listener)
    }
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as (value: Events[Name]) => void)(value)
      } catch (cause) {
        // Reported as an uncaught error of the listener's own, outside the protocol's work.
        queueMicrotask(() => {
          throw cause
        })
      }
    }
  }
}
