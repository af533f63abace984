/** The actions of the proxy on statements, and the rules that choose them. */
import type { TransactionState } from "./wire.ts"

export interface Statement {
  readonly sql: string
  readonly connection: ConnectionReport
}

export interface ConnectionReport {
  readonly id: number
  /** `application_name` of the client. */
  readonly application: string
  /** As the server said it last. */
  readonly transaction: TransactionState
  /** How many statements the client has sent, and the newest of them, oldest first. */
  readonly statementCount: number
  readonly statements: ReadonlyArray<string>
  /** Statements that were forwarded and are not answered. */
  readonly unanswered: number
  /** Nothing is forwarded at present, or nothing more of what the client sends, since a statement was dropped. */
  readonly silent: boolean
}

export type Action =
  /** The connection is reset, and the server never sees the statement. */
  | { readonly kind: "cutBefore" }
  /** The server has done the statement; its reply is thrown away and the connection reset. The outcome is unknown. */
  | { readonly kind: "cutReply" }
  /** As `cutReply`, after the first half of the reply's bytes. */
  | { readonly kind: "cutWithinReply" }
  /** The statement and all that the client sends after it are swallowed. The connection stays open. */
  | { readonly kind: "drop" }
  /** The server is made to answer with this error (a SQLSTATE, such as 53100) and does not see the statement. */
  | { readonly kind: "fail"; readonly code: string; readonly message: string }
  /** The server gets the statement, and what the client sends after it, when the promise has resolved. */
  | { readonly kind: "hold"; readonly until: Promise<unknown> }
  /** The reply, and each reply after it, comes so much later. */
  | { readonly kind: "delay"; readonly ms: number }

export interface Rule {
  readonly match: RegExp | ((statement: Statement) => boolean)
  readonly action: Action
  /** Of acting on a statement that matches; 1 by default. */
  readonly probability?: number
  /** How many statements it acts on; all by default. */
  readonly times?: number
  /** How many matching statements it lets pass first; none by default. */
  readonly skip?: number
}

export interface RuleHandle {
  /** Statements it acted on. */
  readonly acted: () => number
  /** Resolves when it has acted on so many statements; rejects after the deadline. */
  readonly reached: (count: number, deadlineMs?: number) => Promise<void>
  readonly remove: () => void
}

export const matches = (match: Rule["match"], statement: Statement): boolean =>
  typeof match === "function" ? match(statement) : match.test(statement.sql)

/** A rule at work: counts what it lets pass and what it acts on. */
export class ActiveRule {
  readonly #rule: Rule
  readonly #random: () => number
  #passed = 0
  acted = 0

  constructor(rule: Rule, random: () => number) {
    this.#rule = rule
    this.#random = random
  }

  actionFor(statement: Statement): Action | undefined {
    const { match, action, probability = 1, times = Number.POSITIVE_INFINITY, skip = 0 } = this.#rule
    if (this.acted >= times || !matches(match, statement)) return undefined
    if (this.#passed < skip) {
      this.#passed++
      return undefined
    }
    if (probability < 1 && this.#random() >= probability) return undefined
    this.acted++
    return action
  }
}
