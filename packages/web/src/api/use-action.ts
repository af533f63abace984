/** Request of a form: whether it is pending, and why the last one failed. */
import { useCallback, useRef, useState } from "react"

interface Action<A extends ReadonlyArray<unknown>, B> {
  /** Never rejects: undefined without a result, with the reason in `error`. */
  readonly run: (...given: A) => Promise<B | undefined>
  readonly isPending: boolean
  readonly error: unknown
  readonly reset: () => void
}

export const useAction = <A extends ReadonlyArray<unknown>, B>(body: (...given: A) => Promise<B>): Action<A, B> => {
  const [{ open, error }, change] = useState<{ readonly open: number; readonly error: unknown }>({
    open: 0,
    error: null,
  })
  const latest = useRef(body)
  latest.current = body
  const run = useCallback(async (...given: A): Promise<B | undefined> => {
    change((now) => ({ open: now.open + 1, error: null }))
    try {
      const result = await latest.current(...given)
      change((now) => ({ ...now, open: now.open - 1 }))
      return result
    } catch (failure) {
      change((now) => ({ open: now.open - 1, error: failure }))
      return undefined
    }
  }, [])
  const reset = useCallback(() => change((now) => ({ ...now, error: null })), [])
  return { run, isPending: open > 0, error, reset }
}
