/**
 * A request that is sent once more when its answer is late; the first answer counts. A connection that died without a word then costs
 * a caller the time until the second request, and not the whole deadline (Dean and Barroso, The Tail at Scale, CACM 2013).
 */
interface Hedge<A> {
  readonly first: () => Promise<A>
  readonly second: () => Promise<A>
  /** From the first to the second, in milliseconds. */
  readonly afterMs: number
  /** Asked when the second is due. */
  readonly maySend: () => boolean
}

/** Rejects when all that was sent has failed, with the last failure. */
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
    // After the first, which may throw: then nothing waits for the second.
    const due = setTimeout(() => maySend() && send(second), afterMs)
  })
