/** A value that changes with every key press, once no key was pressed for a moment. */
import { useEffect, useState } from "react"

const MOMENT_MS = 300

export const useSettled = <A>(value: A): A => {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), MOMENT_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
