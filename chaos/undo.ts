/** Steps that end all that was started: in reverse order, each step bounded in time, whatever the others do. */
const STEP_MS = 20_000

export type Defer = (what: string, step: () => Promise<unknown> | unknown) => void

export class Undo {
  readonly #steps: Array<{ readonly what: string; readonly step: () => Promise<unknown> | unknown }> = []
  #unwinding: Promise<void> | undefined

  readonly defer: Defer = (what, step) => {
    this.#steps.push({ what, step })
  }

  /** Idempotent; callers that come later wait for the first. */
  unwind(): Promise<void> {
    this.#unwinding ??= this.#run().finally(() => {
      this.#unwinding = undefined
    })
    return this.#unwinding
  }

  async #run(): Promise<void> {
    for (let next = this.#steps.pop(); next !== undefined; next = this.#steps.pop()) {
      const { what, step } = next
      let late: NodeJS.Timeout | undefined
      const givenUp = new Promise<void>((resolve) => {
        late = setTimeout(() => {
          console.error(`giving up on: ${what}`)
          resolve()
        }, STEP_MS)
      })
      await Promise.race([Promise.resolve().then(step), givenUp]).catch((cause: unknown) => console.error(what, cause))
      clearTimeout(late)
    }
  }
}
