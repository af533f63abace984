/**
 * The connection pool. Invariants: a connection is checked out to a single statement or transaction; it is returned only when the server
 * itself reports that the session is in no transaction and every answer has come; any other connection is destroyed and counted. No
 * statement, transaction or caller waits longer than the deadline.
 */
import { Connector, type Ending, type PoolConnection, type SessionSettings } from "./connection.ts"
import { PoolError } from "./errors.ts"
import { hedged } from "./hedged.ts"
import { Opener } from "./opener.ts"
import { SERVER_KEEPALIVES } from "./session.ts"
import { type Bound, makeQueryable, type Queryable, type Rows } from "./statement.ts"
import { Transaction } from "./transaction.ts"
import { type Priority, StatementQueue } from "./waiting.ts"

export interface PoolOptions {
  readonly url: string
  /** Maximum number of connections. */
  readonly connections: number
  /** Maximum number of requests' statements and transactions that wait for a connection; further ones are refused at once. */
  readonly waiting: number
  /** Time limit of a statement or transaction in milliseconds, including the wait for a connection. */
  readonly deadlineMs: number
  /** Optional counters of the pool's events. */
  readonly observe?: PoolObserver
}

interface PoolObserver {
  readonly destroyed: (why: Ending) => void
  /** `server` means that the server ended a statement by its own limit, slightly before ours. */
  readonly pastDeadline: (what: "waiting" | "statement" | "server") => void
  /** Called when the queue is full. */
  readonly refused: () => void
}

interface PoolStats {
  readonly size: number
  readonly open: number
  readonly inUse: number
  readonly waiting: number
  /** Longest wait in milliseconds. */
  readonly oldestWaitMs: number
}

export interface TransactionOptions {
  readonly priority?: Priority
  /** Time limit in milliseconds instead of the pool's deadline: sweeps have their own. */
  readonly withinMs?: number
  /** Whether all statements read one snapshot and none may write (`repeatable read`, PostgreSQL). */
  readonly isSnapshot?: boolean
}

/**
 * Maximum number of waiting statements of live events. Each event has one commit or recovery at a time, so this bounds the events that
 * write at once. It is larger than the bound of requests, because a refusal costs a live event its memory, while a waiting statement has
 * not been sent.
 */
const LIVE_WAITING = 5_000
const CHECK_EVERY_MS = 50
/** A check this much later than the previous one shows a stall of this process and nothing about the database. */
const STALL_MS = 500
/** Part of the waiting queue open to new work. */
const NEWCOMERS_SHARE = 0.5
/** Maximum part of the deadline that a caller waits for a connection. */
const WAITING_SHARE = 0.4
/** Part of the deadline after which a live event's read is sent again. */
const AGAIN_SHARE = 0.2
/** The server's limit, as a fraction of the time left after the longest wait: a slow statement then costs an error and no connection. */
const SERVERS_SHARE = 0.9
const LOCK_SHARE = 0.8
const sessionSettings = (deadlineMs: number): SessionSettings => ({
  application_name: "gathercue",
  TimeZone: "UTC",
  statement_timeout: Math.round(deadlineMs * (1 - WAITING_SHARE) * SERVERS_SHARE),
  lock_timeout: Math.round(deadlineMs * (1 - WAITING_SHARE) * LOCK_SHARE),
  // A process gives a transaction up within the deadline. One that PostgreSQL cannot hear, such as a node without its network, must not
  // keep its locks for longer: another node owns its live events by then and would wait for them.
  idle_in_transaction_session_timeout: deadlineMs,
  // The server detects a client that is gone even while it works for it, and a client whose machine lost power.
  client_connection_check_interval: 1000,
  ...SERVER_KEEPALIVES,
})

/**
 * One open connection of the pool. It is mutated in place: maps that are filled and emptied for each statement keep their old tables, and
 * what they refer to, from the young generation's collector.
 */
class Slot {
  readonly connection: PoolConnection
  isOut = false
  /** Time of the check-out, or of the last answered statement while idle, on the clock of `performance.now()`. */
  since = 0
  /** Time at which a checked-out connection is given up. */
  until = 0
  /** Reports to a transaction that its connection is lost, even while its body waits for something else. */
  lost: ((cause: PoolError) => void) | undefined

  /** Ends the check-out. */
  readonly giveBack: () => void

  constructor(connection: PoolConnection, giveBack: (slot: Slot) => void) {
    this.connection = connection
    this.giveBack = () => giveBack(this)
  }

  /** `until` is on the clock of `performance.now()`. */
  checkOut(until: number): this {
    this.isOut = true
    this.since = performance.now()
    this.until = until
    return this
  }
}

/** Limits of one transaction that replace those of the session. */
const limitsOf = (withinMs: number, patienceMs: number): string => {
  const server = Math.round((withinMs - patienceMs) * SERVERS_SHARE)
  return `set local statement_timeout = ${server}; set local lock_timeout = ${server};
    set local idle_in_transaction_session_timeout = ${Math.round(withinMs)}`
}

const NO_OBSERVER: PoolObserver = { destroyed: () => {}, pastDeadline: () => {}, refused: () => {} }

export class Pool {
  readonly #options: PoolOptions
  readonly #observe: PoolObserver
  readonly #connector: Connector
  readonly #opener: Opener
  readonly #waiting: StatementQueue<Slot>
  /**
   * A stack, so that the most recently used connection is used next: its statements are prepared, and the others may be closed without a
   * loss.
   */
  readonly #idle: Slot[] = []
  /** All open connections. */
  readonly #slots: Slot[] = []
  readonly #checks: NodeJS.Timeout
  #inUse = 0
  #checkedAt = performance.now()
  #wasLate = false
  #closed = false
  /** Reports a returned connection to a pool that is being closed. */
  #returned: () => void = () => {}
  /** Runs statements on any free connection, each in its own transaction. */
  readonly sql: Queryable
  /** Like `sql`, for live events, which do not wait behind requests. */
  readonly liveSql: Queryable
  /** Read-only statements of live events: one without an answer is sent again over another connection. */
  readonly liveReads: Queryable

  constructor(options: PoolOptions) {
    this.#options = options
    this.#observe = options.observe ?? NO_OBSERVER
    this.#connector = new Connector(options.url, sessionSettings(options.deadlineMs))
    this.#waiting = new StatementQueue({ live: LIVE_WAITING, request: options.waiting })
    this.#opener = new Opener({
      open: (signal) => this.#connector.open(signal),
      wanted: () => Math.min(this.#waiting.size, options.connections - this.#slots.length),
      opened: (connection) => this.#adopt(connection),
    })
    const statement = (priority: Priority) => (bound: Bound) => this.#statement(bound, priority)
    this.sql = makeQueryable(statement("request"), this.#connector.json)
    this.liveSql = makeQueryable(statement("live"), this.#connector.json)
    this.liveReads = makeQueryable((bound) => this.#read(bound), this.#connector.json)
    this.#checks = setInterval(() => this.#check(), CHECK_EVERY_MS)
    this.#checks.unref()
  }

  get stats(): PoolStats {
    const since = this.#waiting.oldestSince
    return {
      size: this.#options.connections,
      open: this.#slots.length,
      inUse: this.#inUse,
      waiting: this.#waiting.size,
      oldestWaitMs: since === undefined ? 0 : performance.now() - since,
    }
  }

  /**
   * Whether so many callers wait that no new work should begin. The rest of the bound is for started work: work refused at its second
   * statement has wasted the first, and under a flood no work would ever finish.
   */
  get isCrowded(): boolean {
    return this.#waiting.sizeOf("request") >= this.#options.waiting * NEWCOMERS_SHARE
  }

  /**
   * Runs `body` in one transaction and commits it; when `body` rejects or a statement fails, it is rolled back. Rejects with a `PoolError`
   * when the connection is lost; during a commit the outcome is then unknown.
   */
  async transaction<A>(body: (sql: Queryable) => Promise<A>, options: TransactionOptions = {}): Promise<A> {
    const transaction = await this.begin(options)
    try {
      const lost = new Promise<never>((_, reject) => {
        transaction.onLost = reject
      })
      // The connection may be lost after the body has failed, when the promise has no other handler.
      lost.catch(() => {})
      const result = await Promise.race([body(transaction.sql), lost])
      await transaction.commit()
      return result
    } catch (cause) {
      await transaction.rollback()
      throw cause
    }
  }

  /** Begins a transaction that its caller must end within the deadline by `commit` or `rollback`. */
  async begin({
    priority = "request",
    withinMs = this.#options.deadlineMs,
    isSnapshot = false,
  }: TransactionOptions = {}): Promise<Transaction> {
    const slot = await this.#checkOut(priority, withinMs)
    const { connection } = slot
    const transaction = new Transaction(connection, this.#connector.json, slot.giveBack)
    slot.lost = (cause) => transaction.onLost(cause)
    try {
      await connection.control(isSnapshot ? "begin isolation level repeatable read read only" : "begin")
      if (withinMs !== this.#options.deadlineMs)
        await connection.control(limitsOf(withinMs, this.#patienceMs(withinMs)))
      return transaction
    } catch (cause) {
      slot.giveBack()
      throw cause
    }
  }

  /** Refuses new work, lets running work finish for `graceMs`, and closes every connection. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true
    this.#opener.close()
    this.#waiting.refuse(Number.POSITIVE_INFINITY, () => new PoolError("POOL_CLOSED"))
    for (const { connection } of this.#idle.splice(0)) connection.close()
    const until = performance.now() + graceMs
    while (this.#inUse > 0 && performance.now() < until) {
      await new Promise<void>((resolve) => {
        this.#returned = resolve
        setTimeout(resolve, Math.max(1, until - performance.now())).unref()
      })
    }
    for (const { connection } of [...this.#slots]) connection.destroy("closed")
    clearInterval(this.#checks)
  }

  /** A statement, once sent, has the deadline without the longest wait: the server's own limit has passed by then. */
  #statement(
    bound: Bound,
    priority: Priority,
    patienceMs = this.#patienceMs(this.#options.deadlineMs),
  ): Promise<Rows<ReadonlyArray<object>>> {
    const useMs = this.#options.deadlineMs * (1 - WAITING_SHARE)
    const slot = this.#take(useMs)
    return slot === undefined
      ? this.#wait(priority, patienceMs).then((waited) =>
          this.#runOn(waited.checkOut(performance.now() + useMs), bound),
        )
      : this.#runOn(slot, bound)
  }

  #read(bound: Bound): Promise<Rows<ReadonlyArray<object>>> {
    const { deadlineMs } = this.#options
    const afterMs = deadlineMs * AGAIN_SHARE
    return hedged({
      first: () => this.#statement(bound, "live"),
      // The retry waits less but does not run shorter: the server's own limit must pass first, or a slow server would cost connections.
      second: () => this.#statement(bound, "live", this.#patienceMs(deadlineMs) - afterMs),
      afterMs,
      // Holds back while callers wait: all connections are then in use, and the statement would not be sent.
      maySend: () => this.#waiting.size === 0 && !this.#closed,
    })
  }

  #runOn(slot: Slot, bound: Bound): Promise<Rows<ReadonlyArray<object>>> {
    return slot.connection.run(bound, slot.giveBack)
  }

  async #checkOut(priority: Priority, withinMs: number): Promise<Slot> {
    const slot = this.#take(withinMs)
    if (slot !== undefined) return slot
    const until = performance.now() + withinMs
    const patienceMs = this.#patienceMs(withinMs)
    const waited = await this.#wait(priority, patienceMs)
    // A stall of the process may have used up the wait and more; the transaction still gets its own part of the deadline.
    return waited.checkOut(Math.max(until, performance.now() + withinMs - patienceMs))
  }

  /** A connection that is free at once. */
  #take(withinMs: number): Slot | undefined {
    if (this.#closed) throw new PoolError("POOL_CLOSED")
    // No caller overtakes the queue.
    const slot = this.#waiting.size > 0 ? undefined : this.#idle.pop()
    if (slot !== undefined) this.#inUse++
    return slot?.checkOut(performance.now() + withinMs)
  }

  /** A connection whose deadline the caller sets. */
  async #wait(priority: Priority, patienceMs: number): Promise<Slot> {
    const waiting = this.#waiting.enter(priority, patienceMs)
    if (waiting === undefined) {
      this.#observe.refused()
      throw new PoolError("POOL_FULL")
    }
    this.#opener.wake()
    return waiting
  }

  #patienceMs(withinMs: number): number {
    return Math.min(withinMs, this.#options.deadlineMs) * WAITING_SHARE
  }

  #adopt(connection: PoolConnection): void {
    // More attempts than wanted may have begun, because the first ones seemed to hang.
    if (this.#closed || !connection.isOpen || this.#slots.length >= this.#options.connections) {
      connection.close()
      return
    }
    const slot = new Slot(connection, (one) => this.#giveBack(one))
    this.#slots.push(slot)
    connection.onEnd = (why) => this.#ended(slot, why)
    connection.onServersLimit = () => this.#observe.pastDeadline("server")
    this.#offer(slot)
  }

  #giveBack(slot: Slot): void {
    const { connection } = slot
    slot.isOut = false
    slot.lost = undefined
    this.#inUse--
    this.#returned()
    if (!connection.isOpen) return
    if (connection.inFlight > 0) connection.destroy("unfinished")
    else if (connection.status !== "idle") connection.destroy("in_transaction")
    else if (this.#closed) connection.close()
    else this.#offer(slot)
  }

  #offer(slot: Slot): void {
    slot.since = performance.now()
    if (this.#waiting.serve(slot)) {
      this.#inUse++
      // Provisional deadline until the caller resumes, later in this turn of the loop.
      slot.checkOut(performance.now() + this.#options.deadlineMs)
      return
    }
    this.#idle.push(slot)
  }

  #ended(slot: Slot, why: Ending): void {
    this.#observe.destroyed(why)
    for (const slots of [this.#slots, this.#idle]) {
      const at = slots.indexOf(slot)
      if (at >= 0) slots.splice(at, 1)
    }
    // The server ends an idle transaction at about the same time as this pool.
    const isPastDeadline = why === "deadline" || performance.now() >= slot.until
    slot.lost?.(new PoolError(isPastDeadline ? "POOL_DEADLINE" : "POOL_CONNECTION_LOST"))
    this.#opener.wake()
  }

  #check(): void {
    const now = performance.now()
    const isLate = now - this.#checkedAt > STALL_MS
    const wasLate = this.#wasLate
    this.#checkedAt = now
    this.#wasLate = isLate
    // The process was stopped or busy: answers that came meanwhile are not read yet, so the next check judges,
    if (isLate && !wasLate) return
    // and gives the loop two turns for them, because on a busy machine it may come before the loop has read anything.
    if (wasLate) setImmediate(() => setImmediate(() => this.#endLate()))
    else this.#endLate()
  }

  #endLate(): void {
    const now = performance.now()
    for (const { connection, isOut, until, since } of [...this.#slots]) {
      if (!isOut || now < until) continue
      this.#observe.pastDeadline("statement")
      connection.destroy("deadline")
      // The server's own limit has passed: the server is frozen or its network is cut, and for other connections too.
      for (const idle of this.#idle.filter((one) => one.since < since)) idle.connection.destroy("suspect")
    }
    this.#waiting.refuse(now, () => {
      this.#observe.pastDeadline("waiting")
      return new PoolError("POOL_TIMEOUT", this.#opener.lastCause)
    })
    if (this.#waiting.size > 0) this.#opener.wake()
  }
}
