/** Waits for versions of an event that a gateway has not applied yet. */
export class AwaitedVersions {
  #applied = 0
  #waiting: Array<{ readonly version: number; readonly then: () => void }> = []

  /** Resolves when the version is applied, or when the event is no longer followed. `undefined`: it is applied already. */
  wait(version: number): Promise<void> | undefined {
    return version <= this.#applied ? undefined : new Promise((then) => this.#waiting.push({ version, then }))
  }

  applied(version: number): void {
    this.#applied = version
    if (this.#waiting.length === 0) return
    const reached = this.#waiting.filter((one) => one.version <= version)
    this.#waiting = this.#waiting.filter((one) => one.version > version)
    for (const { then } of reached) then()
  }
}
