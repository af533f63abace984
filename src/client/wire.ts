/** The gateway's envelope as the client uses it, typed from the protocol. */
import type { CommandData, CommandName, DispatchData, DispatchName } from "../protocol/contract.ts"
import type { Cursors } from "../protocol/topics/fields.ts"
import type { ReplyFrame } from "../protocol/wire/frames.ts"
import type { ReplyData } from "./connection/replies.ts"

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

export type { CommandData, CommandName, Cursors, DispatchData, DispatchName }

type Accepted = Extract<ReplyFrame, { readonly ok: true }>

/** The answer of an accepted command. */
export type CommandReply<T extends CommandName = CommandName> = Omit<Accepted, "d"> & { readonly d: ReplyData<T> }
export type Refusal = Extract<ReplyFrame, { readonly ok: false }>["e"]

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
