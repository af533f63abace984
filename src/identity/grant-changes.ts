/**
 * Signalled in process after a commit that took away a basis of grants, or changed a role: open sockets are checked at once.
 * Other processes check theirs from time to time.
 */
import { Context, Effect, Layer } from "effect"
import { Listeners } from "../model/listeners.ts"

/** The grants that are concerned: those that agree with every field. */
export interface GrantChange {
  readonly workspaceId?: string
  readonly userId?: string
  readonly accountId?: string
  readonly sessionId?: string
  readonly keyId?: string
  readonly eventId?: string
  /** A partner's guest, by their id at an event. */
  readonly guestId?: string
}

export class GrantChanges extends Context.Service<
  GrantChanges,
  {
    readonly publish: (change: GrantChange) => void
    /** Returns a function that removes the listener. */
    readonly subscribe: (listener: (change: GrantChange) => void) => () => void
  }
>()("gathercue/GrantChanges") {
  static readonly layer: Layer.Layer<GrantChanges> = Layer.sync(GrantChanges, () => {
    const { notify: publish, subscribe } = new Listeners<GrantChange>()
    return { publish, subscribe }
  })
}

/** Sends the signal, as an effect that can wait for a commit. */
export const publishing = (change: GrantChange): Effect.Effect<void, never, GrantChanges> =>
  Effect.map(GrantChanges, ({ publish }) => publish(change))
