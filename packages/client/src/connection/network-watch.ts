/** The signs of a browser that the network changed, or that the page stood still: the moments to look at the connection. */

/** `online`: there is a network again, and tries that began before are in vain. `changed`: the connection may be dead. */
export type NetworkSign = "online" | "changed"

interface Target {
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
  readonly visibilityState?: string
}

/** Calls `look` at each sign, until the function that it returns is called. On Node there is none. */
export const watchNetwork = (look: (sign: NetworkSign) => void): (() => void) => {
  const page = globalThis as unknown as Partial<Target> & { readonly document?: Target }
  const { document } = page
  const changed = (): void => {
    if (document?.visibilityState !== "hidden") look("changed")
  }
  const signs: ReadonlyArray<readonly [Partial<Target> | undefined, string, () => void]> = [
    [page, "online", () => look("online")],
    [page, "offline", () => look("changed")],
    [page, "focus", changed],
    [page, "pageshow", changed],
    [document, "visibilitychange", changed],
  ]
  for (const [target, type, listener] of signs) target?.addEventListener?.(type, listener)
  return () => {
    for (const [target, type, listener] of signs) target?.removeEventListener?.(type, listener)
  }
}
