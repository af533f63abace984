/**
 * Rung in process after a commit that took something away that grants rest on, or changed a role: open sockets are looked at at
 * once. Other processes look now and then.
 */
import { Context, Effect, Layer } from "effect"

/** The grants that are concerned: those that agree with every field. */
export interface GrantChange {
  readonly workspaceId?: string
  readonly userId?: string
  readonly accountId?: string
  readonly sessionId?: string
  readonly keyId?: string
  readonly eventId?: string
}

export class GrantBell extends Context.Service<
  GrantBell,
  {
    readonly ring: (change: GrantChange) => void
    /** Returns how to stop listening. */
    readonly onRing: (listener: (change: GrantChange) => void) => () => void
  }
>()("gathercue/GrantBell") {
  static readonly layer: Layer.Layer<GrantBell> = Layer.sync(GrantBell, () => {
    const listeners = new Set<(change: GrantChange) => void>()
    return {
      ring: (change) => {
        for (const listener of listeners) listener(change)
      },
      onRing: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  })
}

/** Rings the bell, as an effect that can wait for a commit. */
export const ringing = (change: GrantChange): Effect.Effect<void, never, GrantBell> =>
  Effect.map(GrantBell, ({ ring }) => ring(change))
