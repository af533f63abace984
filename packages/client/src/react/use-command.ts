/** Commands of a component, with their state for a form. */
import { useCallback, useRef, useState } from "react"
import type { CommandData, CommandName, CommandReply, GatewayClient } from "../entry.ts"

export interface CommandSender {
  /** Sends a command, like `client.command`. Resolves with the reply, or with undefined and the reason in `error`: it never rejects. */
  readonly send: <T extends CommandName>(
    t: T,
    d: CommandData<T>,
    options?: { readonly rev?: number; readonly id?: string },
  ) => Promise<CommandReply<T> | undefined>
  /** Whether a command has no answer yet. */
  readonly isPending: boolean
  /** Reason why the last command failed: mostly a `CommandRefused` or a `CommandUnanswered`. Null from the next `send` on. */
  readonly error: Error | null
  /** Clears the error. */
  readonly reset: () => void
}

interface Sending {
  readonly open: number
  readonly error: Error | null
}

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** Each call has its own state: use one for each form. */
export const useCommand = (client: GatewayClient): CommandSender => {
  const [{ open, error }, change] = useState<Sending>({ open: 0, error: null })
  const newest = useRef(0)
  const send = useCallback<CommandSender["send"]>(
    async (t, d, options) => {
      newest.current += 1
      const number = newest.current
      const settle = (failure: Error | null): void =>
        // A later command may have been answered before: its error stays.
        change((now) => ({ open: now.open - 1, error: number === newest.current ? failure : now.error }))
      change((now) => ({ open: now.open + 1, error: null }))
      try {
        const reply = await client.command(t, d, options)
        settle(null)
        return reply
      } catch (cause) {
        settle(errorOf(cause))
        return undefined
      }
    },
    [client],
  )
  const reset = useCallback(() => change((now) => ({ ...now, error: null })), [])
  return { send, isPending: open > 0, error, reset }
}
