/** Answer of a request, read when the component is mounted and again on demand. */
import { useCallback, useEffect, useRef, useState } from "react"

export interface Loaded<A> {
  /** Undefined before the first answer. A later failure leaves it unchanged. */
  readonly value: A | undefined
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
  /** Replaces the value by the answer of a change. */
  readonly replace: (value: A) => void
}

interface State<A> {
  readonly value: A | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

/** Calls `reload` periodically while the component is mounted. */
export const useReloadEvery = (ms: number, reload: () => void): void =>
  useEffect(() => {
    const timer = setInterval(reload, ms)
    return () => clearInterval(timer)
  }, [ms, reload])

/** `key` identifies the data; another key reads again. `known` is an existing value used instead of the first read. */
export const useLoaded = <A>(
  key: string,
  read: (signal: AbortSignal) => Promise<A>,
  known?: () => A | undefined,
): Loaded<A> => {
  const [first] = useState(() => ({ key, value: known?.() }))
  const [state, change] = useState<State<A>>({ value: first.value, error: null, isLoading: first.value === undefined })
  const [round, next] = useState(0)
  const latest = useRef(read)
  latest.current = read
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names what `read` reads, and a round reads it again.
  useEffect(() => {
    if (round === 0 && key === first.key && first.value !== undefined) return
    const ended = new AbortController()
    change((now) => ({ ...now, isLoading: true }))
    latest.current(ended.signal).then(
      (value) => {
        if (!ended.signal.aborted) change({ value, error: null, isLoading: false })
      },
      (error: unknown) => {
        if (!ended.signal.aborted) change((now) => ({ ...now, error, isLoading: false }))
      },
    )
    return () => ended.abort()
  }, [key, round])
  const reload = useCallback(() => next((now) => now + 1), [])
  const replace = useCallback((value: A) => change({ value, error: null, isLoading: false }), [])
  return { ...state, reload, replace }
}
