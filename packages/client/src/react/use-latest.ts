import { useLayoutEffect, useRef } from "react"

/** Value of the newest committed render, for functions that are called later. */
export const useLatest = <A>(value: A): { readonly current: A } => {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
