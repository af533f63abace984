/** The step after a failed attempt or a lost connection: another attempt after a wait, or the end. */
import { Backoff, type BackoffOptions } from "./backoff.ts"
import { adviceFor } from "./close-advice.ts"
import { askedWait, ConnectionClosed, isFinal } from "./failures.ts"

export interface Next {
  readonly cause: unknown
  /** Wait before the next attempt; null when the client stops. */
  readonly retryInMs: number | null
  readonly needsToken: boolean
}

/** Error for a connection that ended with this code. */
export const endOf = (code: number, reason: string): ConnectionClosed => new ConnectionClosed(code, reason)

export class Retries {
  readonly #backoff: Backoff
  #askedMs: number | undefined
  #mustWait = false

  constructor(options: BackoffOptions | undefined) {
    this.#backoff = new Backoff(options)
  }

  /** Whether the server asked for a wait, which no sign of a better network shortens. */
  get mustWait(): boolean {
    return this.#mustWait
  }

  /** Sets the wait after the next loss. */
  ask(ms: number): void {
    this.#askedMs = ms
  }

  /** Called when an attempt failed before there was a connection. */
  failed(cause: unknown): Next {
    if (isFinal(cause)) return { cause, retryInMs: null, needsToken: false }
    return this.#next(cause, true, askedWait(cause))
  }

  closed(code: number, reason: string): Next {
    const advice = adviceFor(code)
    const cause = endOf(code, reason)
    if (advice === "stop") return { cause, retryInMs: null, needsToken: false }
    const next = this.#next(cause, advice === "backOff", this.#askedMs)
    this.#mustWait ||= advice === "backOff"
    return { ...next, needsToken: advice === "newToken" }
  }

  /** Called when the connection was established. */
  reset(): void {
    this.#backoff.reset()
  }

  #next(cause: unknown, isSlow: boolean, askedMs: number | undefined): Next {
    this.#askedMs = undefined
    this.#mustWait = askedMs !== undefined && askedMs > 0
    return { cause, retryInMs: askedMs ?? this.#backoff.next(isSlow), needsToken: false }
  }
}
