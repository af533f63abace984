/** What came of a command, by its name. */
import type { ReplyData } from "../gateway/protocol/replies.ts"
import type { CommandName } from "../model/permissions.ts"

export type { ReplyData } from "../gateway/protocol/replies.ts"

/** A command that was accepted, with what came of it and the live event's version then. */
export type AnsweredCommand = {
  readonly [T in CommandName]: { readonly t: T; readonly v: number; readonly d: ReplyData<T> }
}[CommandName]
