/** Access to the owner of an event's broadcasts, wherever it is. The owner is on the node that has the live event. */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../../model/errors.ts"
import type { OwnerAnswer, OwnerRequest } from "./protocol.ts"

export interface BroadcastOwners {
  /** Name of this process. */
  readonly node: string
  /** A repeatable request is sent again while the event moves to another node. */
  readonly ask: (eventId: string, request: OwnerRequest) => Effect.Effect<OwnerAnswer, Unavailable>
}

/** Null when this process owns all broadcasts. */
export const BroadcastOwners = Context.Reference<BroadcastOwners | null>("gathercue/BroadcastOwners", {
  defaultValue: () => null,
})
