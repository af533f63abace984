/** Gathering as our gateway does it: the first after an idle time goes at once, and what follows goes together when the tick is over. */

interface Gathered<A> {
  readonly add: (item: A) => void
  /** Sends what waits now. */
  readonly flush: () => void
}

export const gathered = <A>(tickMs: number, send: (items: ReadonlyArray<A>) => void): Gathered<A> => {
  let waiting: A[] = []
  let flushedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    flushedAt = performance.now()
    const items = waiting
    waiting = []
    send(items)
  }
  return {
    flush,
    add: (item) => {
      waiting.push(item)
      const dueIn = flushedAt + tickMs - performance.now()
      if (dueIn <= 0) flush()
      else timer ??= setTimeout(flush, dueIn)
    },
  }
}
