/**
 * Commands that wait for their reply. They outlive a lost connection and are sent again under the same id after it. The number of commands
 * in flight is bounded; the others wait here instead of being refused by the server.
 */
import type { Refusal } from "../contract/types.ts"
import type { AnsweredCommand, CommandName, CommandReply } from "../wire.ts"

/** The server refused the command; nothing was done. `code` is the reason (`rate_limited`, `conflict`, `forbidden`, …). */
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

/** The connection ended for good, or no reply arrived in time: whether the command was executed is unknown. */
export class CommandUnanswered extends Error {
  override readonly name = "CommandUnanswered"
}

/** Half of the server's limit of unanswered commands per connection. */
const ON_THE_WIRE = 16
/** Wait after a temporary refusal without a time. */
const RETRY_MS = 1000

interface Pending {
  readonly t: CommandName
  readonly frame: string
  readonly resolve: (reply: CommandReply) => void
  readonly reject: (cause: Error) => void
  readonly timer: ReturnType<typeof setTimeout>
  /** Number of times the command was sent. From the second time on, only the server knows whether an earlier one was executed. */
  sends: number
}

export class PendingCommands {
  readonly #pending = new Map<string, Pending>()
  /** Ids sent over the current connection and not yet answered. */
  readonly #sent = new Set<string>()
  /** Ids refused temporarily, which are sent again after a wait. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #due: () => void

  /** `due` is called when a command must be sent again. */
  constructor(due: () => void) {
    this.#due = due
  }

  /** Registers a command; the promise settles with its reply, whichever connection delivers it. */
  add(t: CommandName, id: string, frame: string, timeoutMs: number): Promise<CommandReply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#take(id)
        reject(new CommandUnanswered(`no reply within ${timeoutMs} ms`))
      }, timeoutMs)
      this.#pending.set(id, { t, frame, resolve, reject, timer, sends: 0 })
    })
  }

  /** Settles the command's promise, and returns the accepted command with its reply. The caller's promise settles a moment later. */
  settle(
    reply: CommandReply | { readonly id: string; readonly ok: false; readonly e: Refusal },
  ): AnsweredCommand | undefined {
    if (this.#mustAskAgain(reply)) return undefined
    const pending = reply.id === undefined ? undefined : this.#take(reply.id)
    if (pending === undefined) return undefined
    if (!reply.ok) {
      pending.reject(new CommandRefused(reply.e))
      return undefined
    }
    pending.resolve(reply)
    return { t: pending.t, v: reply.v, d: reply.d } as AnsweredCommand
  }

  /** A temporary refusal does not cover earlier sends: a command sent over a lost connection may have been executed. */
  #mustAskAgain(reply: Parameters<PendingCommands["settle"]>[0]): boolean {
    const pending = this.#pending.get(reply.id ?? "")
    if (pending === undefined || reply.ok || pending.sends < 2 || reply.e.temporary !== true) return false
    const { id, e } = reply
    this.#sent.delete(id)
    this.#resting.set(
      id,
      setTimeout(() => {
        this.#resting.delete(id)
        this.#due()
      }, e.retryAfterMs ?? RETRY_MS),
    )
    return true
  }

  /** Sends the commands that may be sent now, in the order of the calls. */
  pump(send: (frame: string) => void): void {
    for (const [id, pending] of this.#pending) {
      if (this.#sent.size >= ON_THE_WIRE) return
      if (this.#sent.has(id) || this.#resting.has(id)) continue
      this.#sent.add(id)
      pending.sends++
      send(pending.frame)
    }
  }

  /** Called after a lost connection: its unanswered commands must be sent again. */
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
    clearTimeout(this.#resting.get(id))
    this.#resting.delete(id)
    clearTimeout(pending?.timer)
    return pending
  }
}
