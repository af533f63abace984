/** A command on its way: who sends it, the event as its checks see it, and its outcome. The same for a socket and for an HTTP request. */
import type { Answer } from "../../actors/commands.ts"
import type { ActivePhase } from "../../actors/state/state.ts"
import type { Basis } from "../../model/grants.ts"
import type { Ground } from "../../model/links.ts"
import type { Fault } from "../../model/schema-faults.ts"
import type { CommandName } from "../../protocol/contract.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
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

/** Outcome of a command: the members of the reply. `D`: the data of the reply. */
export type ReplyOutcome<D = Answer["result"]> =
  | { readonly v: number; readonly d: D; readonly isDuplicate: boolean }
  | { readonly refusal: Refusal }

/** A command that passed the checks of the gateway, with decoded data. */
export interface Accepted {
  readonly t: CommandName
  readonly d: unknown
  readonly frame: CommandFrame
}

/** `faults`: the faults of the data, by their paths in `d`. */
export interface NotAccepted {
  readonly refusal: Refusal
  readonly faults?: ReadonlyArray<Fault>
}
