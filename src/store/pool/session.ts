/** A separate session outside the pool: for migrations, and for the locks of the process, which belong to it. */
import { Connector, type PoolConnection, type SessionSettings } from "./connection.ts"
import { makeQueryable, type Queryable } from "./statement.ts"

export interface Session {
  readonly connection: PoolConnection
  readonly sql: Queryable
}

/** Ten idle seconds, then three probes five seconds apart: a server detects within 25 s that a client's machine is gone. */
export const SERVER_KEEPALIVES: SessionSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
}

/** Rejects when the database is not reached within `withinMs`. */
export const openSession = async (url: string, settings: SessionSettings, withinMs: number): Promise<Session> => {
  const connector = new Connector(url, { ...SERVER_KEEPALIVES, ...settings })
  const connection = await connector.open(AbortSignal.timeout(withinMs))
  return { connection, sql: makeQueryable((bound) => connection.run(bound), connector.json) }
}

/** A session as the server knows it: a later one may have the same pid. */
export interface SessionIdentity {
  readonly pid: number
  readonly startedAt: string
}

export const identityOf = async (sql: Queryable): Promise<SessionIdentity | undefined> => {
  const [row] = await sql<SessionIdentity[]>`
    select pid, backend_start::text as started_at from pg_stat_activity where pid = pg_backend_pid()`
  return row
}

/** Ends the session, if it still exists, with its locks, and waits a second for its end. */
export const terminateSession = async (sql: Queryable, { pid, startedAt }: SessionIdentity): Promise<void> => {
  await sql`
    select pg_terminate_backend(pid, 1000) from pg_stat_activity
     where pid = ${pid} and backend_start::text = ${startedAt} and pid <> pg_backend_pid()`
}

const STALL_MS = 500

/**
 * Gives up the connection after `ms`, unless the returned function is called before. After a pause of this process an unread answer may
 * have arrived, so the connection gets another moment.
 */
export const giveUpAfter = (connection: PoolConnection, ms: number): (() => void) => {
  let late = setTimeout(() => {
    late = setTimeout(() => connection.destroy("deadline"), STALL_MS)
  }, ms)
  return () => clearTimeout(late)
}

/** Resolves to the result of `work` on a separate session. After `withinMs` the session and `work` are given up. */
export const withSession = async <A>(
  url: string,
  settings: SessionSettings,
  limits: { readonly connectMs: number; readonly withinMs: number },
  work: (session: Session) => Promise<A>,
): Promise<A> => {
  const session = await openSession(url, settings, limits.connectMs)
  const late = setTimeout(() => session.connection.destroy("deadline"), limits.withinMs)
  try {
    return await work(session)
  } finally {
    clearTimeout(late)
    if (session.connection.isOpen) session.connection.close()
  }
}
