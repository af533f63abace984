/** What came of a command, by its name. */
import type { CommandName, ReplyData } from "../protocol/contract.ts"

export type { ReplyData } from "../protocol/contract.ts"

/** A command that was accepted, with what came of it and the live event's version then. */
export type AnsweredCommand = {
  readonly [T in CommandName]: { readonly t: T; readonly v: number; readonly d: ReplyData<T> }
}[CommandName]
