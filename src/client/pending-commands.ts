/**
 * Commands that wait for their reply. They outlive a lost connection and are sent again under the same id after it. Only
 * so many are on the wire at once; the rest wait their turn here instead of being refused there.
 */
import type { CommandName } from "../model/permissions.ts"
import type { AnsweredCommand } from "./replies.ts"
import type { CommandReply, Refusal } from "./wire.ts"

/** The server refused the command; nothing was done. `code` says why (`rate_limited`, `conflict`, `forbidden`, …). */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused"
  readonly code: Refusal["code"]
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.code = refusal.code
    this.refusal = refusal
  }
}

/** The connection ended for good, or no reply came in time: whether the command was done is not known. */
export class CommandUnanswered extends Error {
  override readonly name = "CommandUnanswered"
}

/** Half of what the server lets one connection leave unanswered. */
const ON_THE_WIRE = 16

interface Pending {
  readonly t: CommandName
  readonly frame: string
  readonly resolve: (reply: CommandReply) => void
  readonly reject: (cause: Error) => void
  readonly timer: ReturnType<typeof setTimeout>
}

export class PendingCommands {
  readonly #pending = new Map<string, Pending>()
  /** Ids sent over the present connection and not yet answered. */
  readonly #sent = new Set<string>()

  /** Registers a command; the promise settles with its reply, whichever connection brings it. */
  add(t: CommandName, id: string, frame: string, timeoutMs: number): Promise<CommandReply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#take(id)
        reject(new CommandUnanswered(`no reply within ${timeoutMs} ms`))
      }, timeoutMs)
      this.#pending.set(id, { t, frame, resolve, reject, timer })
    })
  }

  /** Gives the command that was accepted, if the reply was to one. Whoever asked for it hears of it a moment later. */
  settle(
    reply: CommandReply | { readonly id: string; readonly ok: false; readonly e: Refusal },
  ): AnsweredCommand | undefined {
    const pending = reply.id === undefined ? undefined : this.#take(reply.id)
    if (pending === undefined) return undefined
    if (!reply.ok) {
      pending.reject(new CommandRefused(reply.e))
      return undefined
    }
    pending.resolve(reply)
    return { t: pending.t, v: reply.v, d: reply.d } as AnsweredCommand
  }

  /** Sends what may be sent now, in the order it was asked for. */
  pump(send: (frame: string) => void): void {
    for (const [id, { frame }] of this.#pending) {
      if (this.#sent.size >= ON_THE_WIRE) return
      if (this.#sent.has(id)) continue
      this.#sent.add(id)
      send(frame)
    }
  }

  /** The connection was lost: whatever was sent over it and not answered is to be sent again. */
  unsend(): void {
    this.#sent.clear()
  }

  abandon(why: string): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(new CommandUnanswered(why))
  }

  #take(id: string): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    this.#sent.delete(id)
    clearTimeout(pending?.timer)
    return pending
  }
}
