/** How the owner of an event's broadcasts is reached, wherever it is. The owner is at the node that has the live event. */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../../model/errors.ts"
import type { OwnerAnswer, OwnerRequest } from "./protocol.ts"

export interface BroadcastOwners {
  /** The name of this process. */
  readonly node: string
  /** A request that may be repeated is sent again while the event moves to another node. */
  readonly ask: (eventId: string, request: OwnerRequest) => Effect.Effect<OwnerAnswer, Unavailable>
}

/** Null: this process owns all broadcasts. */
export const BroadcastOwners = Context.Reference<BroadcastOwners | null>("gathercue/BroadcastOwners", {
  defaultValue: () => null,
})
