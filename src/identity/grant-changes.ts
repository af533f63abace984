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

export class GrantChanges extends Context.Service<
  GrantChanges,
  {
    readonly publish: (change: GrantChange) => void
    /** Returns how to stop listening. */
    readonly subscribe: (listener: (change: GrantChange) => void) => () => void
  }
>()("gathercue/GrantChanges") {
  static readonly layer: Layer.Layer<GrantChanges> = Layer.sync(GrantChanges, () => {
    const listeners = new Set<(change: GrantChange) => void>()
    return {
      publish: (change) => {
        for (const listener of listeners) listener(change)
      },
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  })
}

/** Rings the bell, as an effect that can wait for a commit. */
export const publishing = (change: GrantChange): Effect.Effect<void, never, GrantChanges> =>
  Effect.map(GrantChanges, ({ publish: ring }) => ring(change))
