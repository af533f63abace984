/** Browser events that indicate a changed network or a suspended page: the moments to check the connection. */

interface Target {
  addEventListener?(type: string, listener: () => void, options: { readonly signal: AbortSignal }): void
}

/** Calls `look` with the name of each event, until the returned function is called. Node has no such events. */
export const watchNetwork = (look: (sign: string) => void): (() => void) => {
  const page = globalThis as unknown as Target & { readonly document?: Target }
  const end = new AbortController()
  const watch = (target: Target | undefined, sign: string): void =>
    target?.addEventListener?.(sign, () => look(sign), end)
  for (const sign of ["online", "offline", "focus"]) watch(page, sign)
  watch(page.document, "visibilitychange")
  return () => end.abort()
}
