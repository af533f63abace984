/** The place of a replay. It moves on at the replay's speed, also without a connection, and the next connection begins there. */

export interface ReplayOptions {
  /** Milliseconds since the start of the event. */
  readonly from: number
  /** From 0, at which the replay stands still, to 16. Default 1. */
  readonly speed?: number
}

export class ReplayPlace {
  readonly speed: number
  #from: number
  #since: number | undefined

  constructor({ from, speed = 1 }: ReplayOptions) {
    this.speed = speed
    this.#from = from
  }

  get current(): Required<ReplayOptions> {
    const passed = this.#since === undefined ? 0 : (performance.now() - this.#since) * this.speed
    return { from: Math.round(this.#from + passed), speed: this.speed }
  }

  /** Called at a `ready`. */
  began(): void {
    this.#from = this.current.from
    this.#since = performance.now()
  }
}
