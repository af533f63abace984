/** The gateway's envelope as used by the client, typed from the contract. */
import type { Commands } from "./contract/commands.ts"
import type { Dispatches } from "./contract/dispatches.ts"
import type { Ready, Refusal, ReplyFrame } from "./contract/types.ts"

export type CommandName = keyof Commands
/** Value of `d` in a command. */
export type CommandData<T extends CommandName> = Commands[T]["data"]
/** Value of `d` in the reply to an accepted command. */
export type ReplyData<T extends CommandName> = Commands[T]["reply"]
export type DispatchName = keyof Dispatches
/** Value of `d` in a dispatch. */
export type DispatchData<T extends DispatchName> = Dispatches[T]
/** Position in each stream. */
export type Cursors = Ready["cursors"]

/** A dispatch with the data of its name. Names unknown to this client are ignored before they get here. */
export type Dispatch = {
  readonly [T in DispatchName]: {
    readonly t: T
    readonly d: DispatchData<T>
    readonly v: number
    readonly ts: number
    /** Stream of an ordered dispatch. */
    readonly st?: string | undefined
  }
}[DispatchName]

/** `lobby` means connected and waiting for admission by a host; `waiting` means waiting for the next connection attempt. */
export type ConnectionStatus = "idle" | "connecting" | "lobby" | "ready" | "waiting" | "closed"

type Accepted = Extract<ReplyFrame, { readonly ok: true }>

/** Answer of an accepted command. */
export type CommandReply<T extends CommandName = CommandName> = Omit<Accepted, "d"> & { readonly d: ReplyData<T> }

/** An accepted command by its name, with its result and the live event's version at that time. */
export type AnsweredCommand = {
  readonly [T in CommandName]: { readonly t: T; readonly v: number; readonly d: ReplyData<T> }
}[CommandName]

/** Content of a full `ready`. */
export type Snapshot = Extract<Ready, { readonly resumed: false }>

/** One object of a server frame, before its `op` is examined. */
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
