/** The gateway's envelope as the client uses it, typed from the contract. */
import type { Commands } from "./contract/commands.ts"
import type { Dispatches } from "./contract/dispatches.ts"
import type { Ready, Refusal, ReplyFrame } from "./contract/types.ts"

export type CommandName = keyof Commands
/** `d` of a command. */
export type CommandData<T extends CommandName> = Commands[T]["data"]
/** `d` of the reply to an accepted command. */
export type ReplyData<T extends CommandName> = Commands[T]["reply"]
export type DispatchName = keyof Dispatches
/** `d` of a dispatch. */
export type DispatchData<T extends DispatchName> = Dispatches[T]
/** The position in each stream. */
export type Cursors = Ready["cursors"]

/** A dispatch with the data of its name. Names this client does not know are ignored before they get here. */
export type Dispatch = {
  readonly [T in DispatchName]: {
    readonly t: T
    readonly d: DispatchData<T>
    readonly v: number
    readonly ts: number
    /** The stream, where the dispatch has a place in one. */
    readonly st?: string | undefined
  }
}[DispatchName]

/** `lobby`: connected, and waiting for a host to let us in. `waiting`: for the next try to connect. */
export type ConnectionStatus = "idle" | "connecting" | "lobby" | "ready" | "waiting" | "closed"

type Accepted = Extract<ReplyFrame, { readonly ok: true }>

/** The answer of an accepted command. */
export type CommandReply<T extends CommandName = CommandName> = Omit<Accepted, "d"> & { readonly d: ReplyData<T> }

/** One object of a server's frame, before its `op` is looked at. */
export interface ServerObject {
  readonly op: number
  readonly id?: string
  readonly t?: string
  readonly st?: string
  readonly s?: number
  readonly v?: number
  readonly ts?: number
  readonly ok?: boolean
  readonly d?: any // decoded JSON whose shape `op` and `t` decide
  readonly e?: Refusal
}
