/** The signs of a browser that the network changed, or that the page stood still: the moments to look at the connection. */

interface Target {
  addEventListener?(type: string, listener: () => void, options: { readonly signal: AbortSignal }): void
}

/** Calls `look` with the name of each sign, until the function that it returns is called. On Node there is none. */
export const watchNetwork = (look: (sign: string) => void): (() => void) => {
  const page = globalThis as unknown as Target & { readonly document?: Target }
  const end = new AbortController()
  const watch = (target: Target | undefined, sign: string): void =>
    target?.addEventListener?.(sign, () => look(sign), end)
  for (const sign of ["online", "offline", "focus"]) watch(page, sign)
  watch(page.document, "visibilitychange")
  return () => end.abort()
}
