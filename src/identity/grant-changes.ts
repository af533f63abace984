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

/** The version at which a live event had forgotten the role that it gave to a user. */
export interface ForgottenRole {
  readonly eventId: string
  readonly userId: string
  readonly version: number
}

/** Resolves when the sockets of a gateway agree with what was published before the call, and with these. */
type Settling = (forgotten: ReadonlyArray<ForgottenRole>) => Promise<void>

export class GrantChanges extends Context.Service<
  GrantChanges,
  {
    readonly publish: (change: GrantChange) => void
    /** Returns a function that removes the listener. */
    readonly subscribe: (listener: (change: GrantChange) => void) => () => void
    /** Resolves when it is so at every gateway of the deployment. While one cannot tell it does not: callers have a deadline. */
    readonly settled: Settling
    /** Adds a gateway of this process. Returns a function that removes it. */
    readonly addGateway: (settled: Settling) => () => void
  }
>()("gathercue/GrantChanges") {
  static readonly layer: Layer.Layer<GrantChanges> = Layer.sync(GrantChanges, () => grantChangesHere())
}

/** Of this process alone. */
export const grantChangesHere = (): GrantChanges["Service"] => {
  const { notify: publish, subscribe } = new Listeners<GrantChange>()
  const gateways = new Set<Settling>()
  return {
    publish,
    subscribe,
    settled: async (forgotten) => {
      await Promise.all([...gateways].map((settled) => settled(forgotten)))
    },
    addGateway: (settled) => {
      gateways.add(settled)
      return () => gateways.delete(settled)
    },
  }
}

/** An answer does not wait longer for gateways: a node may be lost, or of the release before, which does not tell. */
const SETTLED_WITHIN = "1 second"

/** Sends the signals, and waits for the gateways to have acted on them. An effect that can wait for a commit. */
export const publishing = (
  changes: ReadonlyArray<GrantChange>,
  forgotten: ReadonlyArray<ForgottenRole> = [],
): Effect.Effect<void, never, GrantChanges> =>
  Effect.flatMap(GrantChanges, ({ publish, settled }) => {
    for (const change of changes) publish(change)
    return Effect.asVoid(
      Effect.timeoutOption(
        Effect.promise(() => settled(forgotten)),
        SETTLED_WITHIN,
      ),
    )
  })
