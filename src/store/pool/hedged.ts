/**
 * A hedged request: sent again when its answer is late; the first answer counts. A silently dead connection then costs a caller the time
 * until the second request instead of the whole deadline (Dean and Barroso, The Tail at Scale, CACM 2013).
 */
interface Hedge<A> {
  readonly first: () => Promise<A>
  readonly second: () => Promise<A>
  /** Delay of the second request in milliseconds. */
  readonly afterMs: number
  /** Whether the second request may be sent, asked when it is due. */
  readonly maySend: () => boolean
}

/** Rejects when all requests sent have failed, with the last failure. */
export const hedged = <A>({ first, second, afterMs, maySend }: Hedge<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    let underWay = 0
    const send = (request: () => Promise<A>): void => {
      underWay++
      request().then(
        (answer) => {
          clearTimeout(due)
          resolve(answer)
        },
        (cause: unknown) => {
          clearTimeout(due)
          if (--underWay === 0) reject(cause)
        },
      )
    }
    send(first)
    // Set after the first request, which may throw: then nothing waits for the second.
    const due = setTimeout(() => maySend() && send(second), afterMs)
  })
