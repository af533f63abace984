/**
 * A node's life, as the other nodes see it: one session on the database that holds the lock of the process (shared), the lock of
 * the node's row and those of its shards. All of them are free the moment the process ends, and `lostMs` after it was last heard
 * of, when the server ends a session that is idle for so long. A session that was lost is replaced; the locks of its row and its
 * shards are not taken again here.
 */

import {
  endSession,
  giveUpAfter,
  identityOf,
  openSession,
  type Session,
  type SessionIdentity,
} from "../pool/session.ts"
import type { Queryable } from "../pool/statement.ts"
import { NODE_NAME, outlast, type ProcessLock, tryLock } from "../process-lock.ts"

/** Beats in the time after which a silent node is lost, so that one or two may come late. */
const BEATS_PER_LOSS = 6
/** Tries of a session in that time. */
const TRIES_PER_LOSS = 3

/** A server that runs alone holds the database. */
export class HeldAlone extends Error {
  override readonly name = "HeldAlone"

  constructor() {
    super("A server that runs alone holds the database.")
  }
}

const open = (url: string, lostMs: number): Promise<Session> => {
  const withinMs = Math.ceil(lostMs / TRIES_PER_LOSS)
  const settings = {
    application_name: NODE_NAME,
    idle_session_timeout: lostMs,
    statement_timeout: withinMs,
    lock_timeout: withinMs,
  }
  return openSession(url, settings, withinMs)
}

export class NodeSession implements ProcessLock {
  readonly #url: string
  readonly #lostMs: number
  #session: Session
  #identity: SessionIdentity | undefined
  #number = 1
  #answeredAt = performance.now()
  #opening: Promise<void> | undefined
  #isReleased = false
  readonly #beat: NodeJS.Timeout

  private constructor(url: string, lostMs: number, session: Session, identity: SessionIdentity | undefined) {
    this.#url = url
    this.#lostMs = lostMs
    this.#session = session
    this.#identity = identity
    this.#beat = setInterval(() => this.#keepAlive(), lostMs / BEATS_PER_LOSS)
  }

  /**
   * Resolves to `undefined` when a server that runs alone holds the database. Rejects when the database does not answer.
   * `lostMs`: the node is lost when it was silent for so long.
   */
  static async open(url: string, lostMs: number, giveUpMs?: number): Promise<NodeSession | undefined> {
    const session = await open(url, lostMs)
    try {
      if (await outlast(session.sql, "shared", giveUpMs)) {
        return new NodeSession(url, lostMs, session, await identityOf(session.sql))
      }
    } catch (cause) {
      session.connection.close()
      throw cause
    }
    session.connection.close()
    return undefined
  }

  /** Counts the sessions: locks that were taken under another number are lost. */
  get number(): number {
    return this.#number
  }

  /** May this node still be the holder of its locks? A process that was stopped for long knows by the clock that it is not. */
  readonly held = (): boolean =>
    !this.#isReleased && this.#session.connection.isOpen && performance.now() - this.#answeredAt < this.#lostMs

  /** Ends the session, and with it all locks. */
  readonly release = async (): Promise<void> => {
    this.#isReleased = true
    clearInterval(this.#beat)
    if (this.#session.connection.isOpen) this.#session.connection.close()
  }

  /** Runs a statement on the session, which is opened anew if it was lost. Rejects after a third of `lostMs`. */
  async run<A>(statement: (sql: Queryable, number: number) => Promise<A>): Promise<A> {
    if (!this.#session.connection.isOpen) await this.#reopen()
    const { connection, sql } = this.#session
    const answered = giveUpAfter(connection, this.#lostMs / TRIES_PER_LOSS)
    const result = await statement(sql, this.#number).finally(answered)
    this.#answeredAt = performance.now()
    return result
  }

  #keepAlive(): void {
    if (performance.now() - this.#answeredAt < this.#lostMs / BEATS_PER_LOSS) return
    this.run(async (sql) => void (await sql`select 1`)).catch(() => {})
  }

  /** Once at a time. */
  #reopen(): Promise<void> {
    this.#opening ??= this.#replace().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #replace(): Promise<void> {
    if (this.#isReleased) throw new Error("The node's session is closed.")
    const session = await open(this.#url, this.#lostMs)
    try {
      // The server may not have noticed the end of the session before, which holds the locks against this one.
      if (this.#identity !== undefined) await endSession(session.sql, this.#identity)
      if (!(await tryLock(session.sql, "shared"))) throw new HeldAlone()
      this.#identity = await identityOf(session.sql)
      if (this.#isReleased) throw new Error("The node's session is closed.")
    } catch (cause) {
      session.connection.close()
      throw cause
    }
    this.#session = session
    this.#number++
    this.#answeredAt = performance.now()
  }
}
