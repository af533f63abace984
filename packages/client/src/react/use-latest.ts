import { useLayoutEffect, useRef } from "react"

/** The value of the newest render that is shown, for functions that are called later. */
export const useLatest = <A>(value: A): { readonly current: A } => {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
