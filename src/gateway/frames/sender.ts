/** Who sends a command, and the event as its checks see it, for a socket and for an HTTP request. */
import type { ActivePhase } from "../../actors/state/state.ts"
import type { Basis } from "../../model/grants.ts"
import type { Ground } from "../../model/links.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { ParticipantMemory } from "../event/participant-memory.ts"
import type { ReactionCounts } from "../event/reaction-counts.ts"

export interface Sender {
  readonly identity: Identity
  /** The address in the form that rate limits count. */
  readonly address: string
  readonly basis: Basis | undefined
  readonly roomId: string | null
  /** The ground of addresses given to a sender who is no participant. */
  readonly ground?: Ground | undefined
  /** The command came by an HTTP request, whose sender may have no connection. */
  readonly isRequest?: true
}

export interface EventNow {
  readonly eventId: string
  readonly phase: ActivePhase
  /** Version up to which connections have received everything. */
  readonly version: number
  readonly hasEnded: boolean
  readonly memory: ParticipantMemory
  readonly reactions: Pick<ReactionCounts, "add">
}
