/**
 * The reading of one session's messages: which SQL each Bind runs, which statements are unanswered, how the transaction stands.
 * A cycle is what one ReadyForQuery answers: the messages up to a Sync, or one simple Query.
 */
import type { Statement } from "./rules.ts"
import { type Message, oneText, type TransactionState, transactionState, twoTexts } from "./wire.ts"

export interface Cycle {
  readonly statements: Array<Statement>
  /** The client has said all that belongs to it. */
  closed: boolean
  /** The reply is kept back until it is complete, and then its first part is sent and the connection cut. */
  cutReplyAfter: number | undefined
  readonly keptBack: Array<Buffer>
  delayMs: number
}

const NEWEST_STATEMENTS = 200

export class Session {
  transaction: TransactionState = "idle"
  statementCount = 0
  readonly statements: Array<string> = []
  readonly cycles: Array<Cycle> = []
  readonly #prepared = new Map<string, string>()
  readonly #portals = new Map<string, string>()
  #hasBegun = false

  /** Takes note of a client's message. Returns the SQL when it runs a statement. */
  sqlOf({ type, bytes }: Message): string | undefined {
    if (type === "P") {
      const [name, sql] = twoTexts(bytes)
      this.#prepared.set(name, sql)
    } else if (type === "B") {
      const [portal, name] = twoTexts(bytes)
      this.#portals.set(portal, this.#prepared.get(name) ?? "")
    } else if (type === "E") return this.#note(this.#portals.get(oneText(bytes)) ?? "")
    else if (type === "Q") return this.#note(oneText(bytes))
    return undefined
  }

  #note(sql: string): string {
    this.statementCount++
    this.statements.push(sql)
    if (this.statements.length > NEWEST_STATEMENTS) this.statements.shift()
    return sql
  }

  /** The cycle that the client is in the middle of, or a new one. */
  openCycle(): Cycle {
    const last = this.cycles.at(-1)
    if (last !== undefined && !last.closed) return last
    const cycle: Cycle = { statements: [], closed: false, cutReplyAfter: undefined, keptBack: [], delayMs: 0 }
    this.cycles.push(cycle)
    return cycle
  }

  /** The cycle that the server answers now; none while the session begins. */
  get answering(): Cycle | undefined {
    return this.#hasBegun ? this.cycles[0] : undefined
  }

  /** Takes note of a server's message. Returns the cycle that it ends. */
  endedBy({ type, bytes }: Message): Cycle | undefined {
    if (type !== "Z") return undefined
    this.transaction = transactionState(bytes)
    if (this.#hasBegun) return this.cycles.shift()
    this.#hasBegun = true
    return undefined
  }

  get unanswered(): number {
    return this.cycles.reduce((sum, { statements }) => sum + statements.length, 0)
  }
}
