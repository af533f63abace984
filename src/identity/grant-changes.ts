/**
 * In-process signal after a commit that removed a basis of grants, or changed a role: open sockets are checked at once. Other processes
 * check theirs periodically.
 */
import { Context, Effect, Layer } from "effect"
import { Listeners } from "../model/listeners.ts"

/** Selects the grants that match every field. */
export interface GrantChange {
  readonly workspaceId?: string
  readonly userId?: string
  readonly accountId?: string
  readonly sessionId?: string
  readonly keyId?: string
  readonly eventId?: string
  /** Id of a partner's guest at an event. */
  readonly guestId?: string
}

/** Version at which a live event had forgotten a role that it gave to a user. */
export interface ForgottenRole {
  readonly eventId: string
  readonly userId: string
  readonly version: number
}

/** Resolves when the sockets of a gateway reflect everything published before the call, and these forgotten roles. */
type Settling = (forgotten: ReadonlyArray<ForgottenRole>) => Promise<void>

export class GrantChanges extends Context.Service<
  GrantChanges,
  {
    readonly publish: (change: GrantChange) => void
    /** Returns a function that removes the listener. */
    readonly subscribe: (listener: (change: GrantChange) => void) => () => void
    /**
     * Resolves when every gateway of the deployment is settled. It does not resolve while a gateway cannot report; callers have a deadline.
     */
    readonly settled: Settling
    /** Adds a gateway of this process. Returns a function that removes it. */
    readonly addGateway: (settled: Settling) => () => void
  }
>()("gathercue/GrantChanges") {
  static readonly layer: Layer.Layer<GrantChanges> = Layer.sync(GrantChanges, () => grantChangesHere())
}

/** Grant changes of this process alone. */
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

/** Maximum wait of an answer for gateways: a node may be lost, or of the previous release, which does not report. */
const SETTLED_WITHIN = "1 second"

/** Sends the signals, and waits until the gateways have acted on them. The effect can be deferred until a commit. */
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
