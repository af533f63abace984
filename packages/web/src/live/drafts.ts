/** Drafts: unsent texts. A named draft outlives its form, so that switching tabs of the page, or turning a phone, loses nothing. */
import { useCallback, useEffect, useId, useSyncExternalStore } from "react"

const drafts = new Map<string, string>()
const listeners = new Set<() => void>()

const subscribe = (changed: () => void): (() => void) => {
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
  }
}

const put = (name: string, text: string): void => {
  if (text === "") drafts.delete(name)
  else drafts.set(name, text)
  for (const changed of [...listeners]) changed()
}

interface Draft {
  readonly text: string
  readonly write: (text: string) => void
  /** Removes the sent text. A text written meanwhile stays. */
  readonly sent: (text: string) => void
}

/** `name` is undefined for a draft that ends with its form. */
export const useDraft = (name: string | undefined): Draft => {
  const own = useId()
  const key = name ?? own
  const text = useSyncExternalStore(subscribe, () => drafts.get(key) ?? "")
  const write = useCallback((next: string) => put(key, next), [key])
  const sent = useCallback(
    (gone: string) => {
      if (drafts.get(key) === gone) put(key, "")
    },
    [key],
  )
  useEffect(
    () => () => {
      if (name === undefined) drafts.delete(own)
    },
    [name, own],
  )
  return { text, write, sent }
}
