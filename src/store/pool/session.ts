/** A session of one's own, outside the pool: for migrations and for the lock of the process, whose locks belong to it. */
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

/** Rejects when the database is not reached `withinMs`. */
export const openSession = async (url: string, settings: SessionSettings, withinMs: number): Promise<Session> => {
  const connector = new Connector(url, { ...SERVER_KEEPALIVES, ...settings })
  const connection = await connector.open(AbortSignal.timeout(withinMs))
  return { connection, sql: makeQueryable((bound) => connection.run(bound), connector.json) }
}

/** Resolves to the result of `work` on a session of its own. After `withinMs` the session is given up, and `work` with it. */
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
