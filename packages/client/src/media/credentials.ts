/** Fresh TURN credentials of a call: those of a list end an hour after it. */
import type { PeerList } from "./call-rules.ts"

const REFRESH_MS = 50 * 60_000
/** Maximum wait of a restart for fresh credentials, which it needs only for a relay. */
const REFRESH_WITHIN_MS = 1500

export class Credentials {
  /** Joins again without a change, which is answered with a list; undefined when the call cannot be asked now. */
  readonly #ask: () => Promise<unknown> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: () => Promise<unknown> | undefined) {
    this.#ask = ask
  }

  /** Resolves when the credentials are there, or after a while. Never rejects. */
  async refresh(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, REFRESH_WITHIN_MS)
    })
    const asked = this.#ask()?.then(
      () => undefined,
      () => undefined,
    )
    if (asked !== undefined) await Promise.race([asked, late])
    clearTimeout(timer)
  }

  /** The answering list sets the next timer; without an answer this one does. */
  later(list: PeerList | undefined): void {
    this.stop()
    if (list?.iceServers.some(({ credential }) => credential !== undefined) !== true) return
    this.#timer = setTimeout(() => void this.refresh().then(() => this.later(list)), REFRESH_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
