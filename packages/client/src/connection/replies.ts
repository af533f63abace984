/** Results of commands, by the command's name. */
import type { CommandName, ReplyData } from "../wire.ts"

/** An accepted command, with its result and the live event's version at that time. */
export type AnsweredCommand = {
  readonly [T in CommandName]: { readonly t: T; readonly v: number; readonly d: ReplyData<T> }
}[CommandName]
