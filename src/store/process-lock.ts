/**
 * One server per database: a session-level advisory lock on a session of its own. It is gone the moment the process or its
 * session ends, so nothing is left behind by kill -9. A lost session is replaced and the lock taken again. Nodes that share a
 * database hold the lock shared (cluster/node-session.ts), so that a server that runs alone and nodes exclude each other.
 *
 * The holder runs a statement on that session every two seconds, which the server records as the session's `state_change`:
 * that is the holder's heartbeat. A starter that finds a holder silent for ten seconds (its machine lost power, the network
 * to it is cut, it is frozen) ends the holder's session and takes the lock. The fence makes that safe: a holder that
 * comes back finds its lock taken and its events under newer fencing tokens, and can commit nothing.
 */
import {
  giveUpAfter,
  identityOf,
  openSession,
  type Session,
  type SessionIdentity,
  terminateSession,
} from "./pool/session.ts"
import type { Queryable } from "./pool/statement.ts"

/** "gathercue" as a number; any constant would do. */
const LOCK_KEY = 7_160_928_441
/** Sessions of this name have the heartbeat; those of older builds do not, and never count as silent. */
const HOLDER_NAME = "gathercue server"
/** Session name of nodes, which run a statement much more often. */
export const NODE_NAME = "gathercue node"
const HEARTBEAT_EVERY_MS = 2_000
/** Timeout of a heartbeat, after which the session is given up. */
const HEARTBEAT_WITHIN_MS = 5_000
const SILENT_AFTER_MS = 10_000
/** Consecutive checks after which a silent holder counts as lost: after a freeze of the database its next heartbeat may be imminent. */
const SILENT_LOOKS = 8
const RETAKE_EVERY_MS = 250
const CONNECT_WITHIN_MS = 5_000
/** A server that was just killed may hold its lock until the database detects the end. */
const PATIENCE_MS = 3_000
const LOOK_EVERY_MS = 250
/** Time after which a starter without the lock gives up and reports it. */
const GIVE_UP_MS = 30_000
/** Extra time for a starter's statements, after which its session is given up. */
const LAST_ANSWER_MS = 5_000

export interface ProcessLock {
  /** Whether the lock is held now. */
  readonly held: () => boolean
  /** Whether another process was found to hold a lock that this one has lost. */
  readonly isElsewhere: () => boolean
  readonly release: () => Promise<void>
}

type LockMode = "exclusive" | "shared"

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const open = (url: string): Promise<Session> =>
  openSession(
    url,
    { application_name: HOLDER_NAME, statement_timeout: HEARTBEAT_WITHIN_MS, lock_timeout: HEARTBEAT_WITHIN_MS },
    CONNECT_WITHIN_MS,
  )

/** Takes the lock if it is free now, for the session. */
export const tryLock = async (sql: Queryable, mode: LockMode): Promise<boolean> => {
  const [row] =
    mode === "exclusive"
      ? await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK_KEY}) as taken`
      : await sql<{ taken: boolean }[]>`select pg_try_advisory_lock_shared(${LOCK_KEY}) as taken`
  return row?.taken ?? false
}

interface Holder extends SessionIdentity {
  readonly hasHeartbeat: boolean
  /** Time of the last heartbeat, and its age. */
  readonly heartbeatAt: string
  readonly silentMs: number
}

/** Condition on rows of `pg_locks l`. */
const isProcessLock = (sql: Queryable) => sql`
  l.locktype = 'advisory' and l.granted and l.objsubid = 1
  and l.database = (select oid from pg_database where datname = current_database())
  and (l.classid::bigint << 32) + l.objid::bigint = ${LOCK_KEY}`

/** The node heard from last, if there are several: while one of them lives, the lock is held. */
const findHolder = async (sql: Queryable): Promise<Holder | undefined> => {
  const [row] = await sql<Holder[]>`
    select a.pid, a.backend_start::text as started_at, a.application_name in (${HOLDER_NAME}, ${NODE_NAME}) as has_heartbeat, a.state_change::text as heartbeat_at,
           (extract(epoch from clock_timestamp() - a.state_change) * 1000)::int as silent_ms
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where ${isProcessLock(sql)}
     order by a.state_change desc
     limit 1`
  return row
}

/** Number of sessions that hold the lock, exclusively or shared. */
export const countHolders = async (sql: Queryable): Promise<number> => {
  const [row] = await sql<{ holders: number }[]>`
    select count(distinct l.pid)::int as holders from pg_locks l where ${isProcessLock(sql)}`
  return row?.holders ?? 0
}

/**
 * Waits until the lock is taken, or returns false when its holder is known to live. A holder lives when two heartbeats are seen during the
 * wait; a single one may be the last of a holder that died just then. A holder without heartbeats is waited for until it counts as silent.
 */
export const outlast = async (sql: Queryable, mode: LockMode, giveUpMs = GIVE_UP_MS): Promise<boolean> => {
  const startedAt = performance.now()
  const heartbeats = new Set<string>()
  let silentLooks = 0
  while (!(await tryLock(sql, mode))) {
    const waitedMs = performance.now() - startedAt
    const holder = await findHolder(sql)
    if (holder !== undefined) {
      heartbeats.add(`${holder.pid} ${holder.heartbeatAt}`)
      if (lives(holder, heartbeats.size, waitedMs) || waitedMs > giveUpMs) return false
      silentLooks = holder.hasHeartbeat && holder.silentMs >= SILENT_AFTER_MS ? silentLooks + 1 : 0
    }
    if (holder !== undefined && silentLooks >= SILENT_LOOKS) await terminateSession(sql, holder)
    await pause(LOOK_EVERY_MS)
  }
  return true
}

/** `heartbeats` counts heartbeats at different moments, of which the first is from before the wait. */
const lives = ({ hasHeartbeat }: Holder, heartbeats: number, waitedMs: number): boolean =>
  heartbeats > 2 || (!hasHeartbeat && waitedMs > PATIENCE_MS)

const isSame = (a: SessionIdentity, b: SessionIdentity | undefined): boolean =>
  a.pid === b?.pid && a.startedAt === b.startedAt

/** The lock as seen by its holder. */
class Holding implements ProcessLock {
  readonly #url: string
  #session: Session
  #isHeld = true
  #isElsewhere = false
  #isReleased = false
  #isRetaking = false
  /** The last session that had the lock. */
  #identity: SessionIdentity | undefined

  constructor(url: string, session: Session, identity: SessionIdentity | undefined) {
    this.#url = url
    this.#session = session
    this.#identity = identity
    this.#watch(session)
  }

  readonly held = (): boolean => this.#isHeld

  readonly isElsewhere = (): boolean => this.#isElsewhere

  readonly release = async (): Promise<void> => {
    this.#isReleased = true
    this.#isHeld = false
    this.#session.connection.close()
  }

  #watch(session: Session): void {
    this.#session = session
    session.connection.onEnd = () => {
      this.#isHeld = false
      this.#isElsewhere = false
      void this.#retake()
    }
    void this.#beat(session)
  }

  /** Sends the session's heartbeat until the session is lost. */
  async #beat({ connection, sql }: Session): Promise<void> {
    while (connection.isOpen) {
      const answered = giveUpAfter(connection, HEARTBEAT_WITHIN_MS)
      await sql`select 1`.then(undefined, () => {})
      answered()
      await pause(HEARTBEAT_EVERY_MS)
    }
  }

  /** Tries until the lock is held again: by then another process may own the database, and keep it. */
  async #retake(): Promise<void> {
    if (this.#isRetaking) return
    this.#isRetaking = true
    while (!this.#isReleased && !this.#isHeld) {
      await pause(RETAKE_EVERY_MS * (0.5 + Math.random()))
      await this.#tryAgain().catch(() => {})
    }
    this.#isRetaking = false
    if (this.#isReleased) this.#session.connection.close()
  }

  async #tryAgain(): Promise<void> {
    if (!this.#session.connection.isOpen) this.#watch(await open(this.#url))
    const { connection, sql } = this.#session
    const isTaken = await tryLock(sql, "exclusive")
    if (isTaken) this.#identity = await identityOf(sql)
    else this.#isElsewhere = !(await this.#endPredecessor(sql))
    this.#isHeld = isTaken && connection.isOpen && !this.#isReleased
  }

  /**
   * A session that this process gave up may live on at the server, which has not detected the end, and hold the lock against us. Resolves
   * to false when another process holds it.
   */
  async #endPredecessor(sql: Queryable): Promise<boolean> {
    const holder = await findHolder(sql)
    if (holder === undefined) return true
    if (!isSame(holder, this.#identity)) return false
    await terminateSession(sql, holder)
    return true
  }
}

/** Resolves to `undefined` when another living process holds the database. Rejects when the database does not answer. */
export const takeProcessLock = async (url: string, giveUpMs = GIVE_UP_MS): Promise<ProcessLock | undefined> => {
  const session = await open(url)
  const late = setTimeout(() => session.connection.destroy("deadline"), giveUpMs + LAST_ANSWER_MS)
  try {
    if (await outlast(session.sql, "exclusive", giveUpMs))
      return new Holding(url, session, await identityOf(session.sql))
  } catch (cause) {
    session.connection.close()
    throw cause
  } finally {
    clearTimeout(late)
  }
  session.connection.close()
  return undefined
}
