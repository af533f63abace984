/**
 * A node's liveness, as seen by the other nodes: one session on the database that holds the lock of the process (shared), the lock of the
 * node's row and those of its shards. The locks are free at once when the process ends, and otherwise when the server ends a session that
 * was idle for `lostMs`.
 *
 * A lost session is replaced at once, as is one that does not answer while new ones do: `onReplaced` takes the locks before the new session
 * counts, so that the other nodes do not see the node end.
 */

import { PoolError } from "../pool/errors.ts"
import {
  giveUpAfter,
  identityOf,
  openSession,
  type Session,
  type SessionIdentity,
  terminateSession,
} from "../pool/session.ts"
import type { Queryable } from "../pool/statement.ts"
import { NODE_NAME, outlast, type ProcessLock, tryLock } from "../process-lock.ts"

/** Heartbeats per loss timeout, so that one or two may be late. */
const BEATS_PER_LOSS = 6
/** Attempts of a session per loss timeout. */
const TRIES_PER_LOSS = 3
/**
 * A statement unanswered for this fraction of the loss timeout makes the session doubtful. It is half of an attempt, so that a caller can
 * get its answer from another session in time.
 */
const DOUBTS_PER_LOSS = 6
/** Timeout of each step of a replacement, which a responsive database takes in milliseconds. */
const STEPS_PER_LOSS = 12
const RETRY_PAUSE_MS = 20
/** An abandoned session has ended after this many times `lostMs`: it may first have had a statement to run, and is idle then. */
const FORMER_LOSSES = 2

/** A server that runs alone holds the database. */
class HeldAlone extends Error {
  override readonly name = "HeldAlone"

  constructor() {
    super("A server that runs alone holds the database.")
  }
}

/** The doubtful session has answered. */
class Answered extends Error {
  override readonly name = "Answered"
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

/** Runs one statement, and abandons the session when it takes too long. */
export type Step = <A>(statement: (sql: Queryable) => Promise<A>) => Promise<A>

/** Takes the node's locks on its new session, and ends the `former` sessions, which may still hold them. */
type Retake = (step: Step, former: ReadonlyArray<SessionIdentity>) => Promise<void>

export const endFormer = async (step: Step, former: ReadonlyArray<SessionIdentity>): Promise<void> => {
  for (const one of former) await step((sql) => terminateSession(sql, one))
}

interface GivenUp {
  readonly identity: SessionIdentity
  readonly at: number
}

export class NodeSession implements ProcessLock {
  readonly #url: string
  readonly #lostMs: number
  #session: Session
  #identity: SessionIdentity | undefined
  /** Sessions of failed replacements, which may hold locks of this node. */
  #givenUp: ReadonlyArray<GivenUp> = []
  /**
   * Time at which the last answered statement was sent. The server ends the session `lostMs` after it ran the statement, and never earlier;
   * the answer may be read much later, after a pause of this process.
   */
  #heardAt: number
  #replacing: Promise<void> | undefined
  /** Session that a replacement is about to end, with the locks that its answers report. */
  #ending: Session | undefined
  #isReleased = false
  readonly #beat: NodeJS.Timeout
  /** Set by the component that takes locks. */
  onReplaced: Retake = endFormer

  private constructor(
    url: string,
    lostMs: number,
    { session, identity, heardAt }: { session: Session; identity: SessionIdentity | undefined; heardAt: number },
  ) {
    this.#url = url
    this.#lostMs = lostMs
    this.#session = session
    this.#identity = identity
    this.#heardAt = heardAt
    this.#watch(session)
    this.#beat = setInterval(() => this.#keepAlive(), lostMs / BEATS_PER_LOSS)
  }

  /**
   * Resolves to `undefined` when a server that runs alone holds the database. Rejects when the database does not answer. `lostMs` is the
   * silence after which the node counts as lost.
   */
  static async open(url: string, lostMs: number, giveUpMs?: number): Promise<NodeSession | undefined> {
    const session = await open(url, lostMs)
    try {
      if (await outlast(session.sql, "shared", giveUpMs)) {
        const heardAt = performance.now()
        return new NodeSession(url, lostMs, { session, identity: await identityOf(session.sql), heardAt })
      }
    } catch (cause) {
      session.connection.close()
      throw cause
    }
    session.connection.close()
    return undefined
  }

  /** Always false, because all nodes share the lock. */
  readonly isElsewhere = (): boolean => false

  /** Whether this node may still hold its locks. A process that was stopped for long learns from the clock that it does not. */
  readonly held = (): boolean =>
    !this.#isReleased && this.#session.connection.isOpen && performance.now() - this.#heardAt < this.#lostMs

  /** Ends the session, and with it all locks. */
  readonly release = async (): Promise<void> => {
    this.#isReleased = true
    clearInterval(this.#beat)
    if (this.#session.connection.isOpen) this.#session.connection.close()
  }

  /**
   * Runs a statement on the session. It may run twice, on two sessions, when the first one is replaced meanwhile. Rejects after a little
   * more than a third of `lostMs`.
   */
  async run<A>(statement: (sql: Queryable) => Promise<A>): Promise<A> {
    const until = performance.now() + this.#lostMs / TRIES_PER_LOSS
    while (true) {
      if (!this.#session.connection.isOpen) await this.#replace()
      const session = this.#session
      let failure: unknown = new PoolError("POOL_CONNECTION_LOST")
      try {
        const result = await this.#ask(session, statement)
        // A lock taken by a session that was ended meanwhile is gone, whenever its answer arrives.
        if (session === this.#session && session !== this.#ending) return result
      } catch (cause) {
        if (session.connection.isOpen) throw cause
        failure = cause
      }
      if (performance.now() > until) throw failure
      await this.#replacing?.catch(() => {})
    }
  }

  async #ask<A>(session: Session, statement: (sql: Queryable) => Promise<A>): Promise<A> {
    const askedAt = performance.now()
    const doubt = setTimeout(() => void this.#doubt(session, askedAt), this.#lostMs / DOUBTS_PER_LOSS)
    const answered = giveUpAfter(session.connection, this.#lostMs / TRIES_PER_LOSS)
    try {
      const result = await statement(session.sql)
      this.#heardAt = Math.max(this.#heardAt, askedAt)
      return result
    } finally {
      clearTimeout(doubt)
      answered()
    }
  }

  #keepAlive(): void {
    if (performance.now() - this.#heardAt < this.#lostMs / BEATS_PER_LOSS) return
    this.run(async (sql) => void (await sql`select 1`)).catch(() => {})
  }

  /** The session ends with its locks, which other nodes notice within a quarter of a second. */
  #watch(session: Session): void {
    session.connection.onEnd = () => {
      if (!this.#isReleased && session === this.#session) this.#replace().catch(() => {})
    }
  }

  /** When the database is slow for everyone, no new session opens before this one answers. */
  async #doubt(session: Session, askedAt: number): Promise<void> {
    const hasAnswered = (): boolean => session.connection.isOpen && this.#heardAt >= askedAt
    const check = (): void => {
      if (hasAnswered()) throw new Answered()
    }
    while (!this.#isReleased && session === this.#session && session.connection.isOpen && !hasAnswered()) {
      await this.#replace(check).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
    }
  }

  /** Runs once at a time. `check` throws when the previous session turns out to be good. */
  #replace(check: () => void = () => {}): Promise<void> {
    this.#replacing ??= this.#open(check).finally(() => {
      this.#replacing = undefined
    })
    return this.#replacing
  }

  async #open(check: () => void): Promise<void> {
    this.#rejectReleased()
    const session = await open(this.#url, this.#lostMs)
    const { connection, sql } = session
    let heardAt = performance.now()
    const stepped: Step = (statement) => {
      heardAt = performance.now()
      const late = setTimeout(() => connection.destroy("deadline"), this.#lostMs / STEPS_PER_LOSS)
      return statement(sql).finally(() => clearTimeout(late))
    }
    let identity: SessionIdentity | undefined
    try {
      identity = await stepped(identityOf)
      if (!(await stepped((one) => tryLock(one, "shared")))) throw new HeldAlone()
      check()
      this.#ending = this.#session
      await this.onReplaced(stepped, this.#former())
      this.#rejectReleased()
    } catch (cause) {
      connection.close()
      if (identity !== undefined && this.#ending !== undefined)
        this.#givenUp = [...this.#givenUp, { identity, at: performance.now() }]
      throw cause
    } finally {
      this.#ending = undefined
    }
    const before = this.#session
    this.#session = session
    this.#identity = identity
    this.#givenUp = []
    this.#heardAt = heardAt
    this.#watch(session)
    before.connection.destroy("deadline")
  }

  /** Former sessions, without those that must have ended because the server heard nothing from them. */
  #former(): ReadonlyArray<SessionIdentity> {
    const since = performance.now() - FORMER_LOSSES * this.#lostMs
    this.#givenUp = this.#givenUp.filter(({ at }) => at > since)
    const former = this.#givenUp.map(({ identity }) => identity)
    return this.#identity === undefined ? former : [this.#identity, ...former]
  }

  #rejectReleased(): void {
    if (this.#isReleased) throw new Error("The node's session is closed.")
  }
}
