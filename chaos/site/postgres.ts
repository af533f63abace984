/** The PostgreSQL under the server, seen from outside: its processes, its sessions, and ways to stop and start it. */
import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import postgres from "postgres"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/postgres.ts"
import { sleep } from "../chance.ts"
import { childrenOf, signal } from "./processes.ts"

export interface PostgresUnderTest {
  /** For a connection of our own, past every proxy. */
  readonly url: () => string
  readonly postmaster: () => number
}

/** Runs statements over a connection of its own. */
export const ask = async <A>(of: PostgresUnderTest, work: (sql: postgres.Sql) => Promise<A>): Promise<A> => {
  const sql = postgres(of.url(), { max: 1, connect_timeout: 5, onnotice: () => undefined })
  return work(sql).finally(() => sql.end({ timeout: 1 }))
}

const allProcesses = async (of: PostgresUnderTest): Promise<ReadonlyArray<number>> => {
  const postmaster = of.postmaster()
  return [postmaster, ...(await childrenOf(postmaster))]
}

/** Stops every process of it; resolves to what lets them go on. */
export const freezePostgres = async (of: PostgresUnderTest): Promise<() => void> => {
  const stopped = await allProcesses(of)
  for (const pid of stopped) signal(pid, "SIGSTOP")
  // A backend may have been forked while we looked.
  const late = (await allProcesses(of)).filter((pid) => !stopped.includes(pid))
  for (const pid of late) signal(pid, "SIGSTOP")
  return () => {
    for (const pid of [...stopped, ...late]) signal(pid, "SIGCONT")
  }
}

/** Lets stopped processes go on; those that are gone need nothing. */
export const thawPostgres = async (of: PostgresUnderTest): Promise<void> => {
  for (const pid of await allProcesses(of)) signal(pid, "SIGCONT")
}

const SESSIONS = "gathercue%"

/** Kills the process of one session of the server; PostgreSQL then restarts itself. */
export const killBackend = (of: PostgresUnderTest): Promise<void> =>
  ask(of, async (sql) => {
    const [row] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name like ${SESSIONS} and backend_type = 'client backend' limit 1`
    if (row !== undefined) signal(row.pid, "SIGKILL")
  })

/** The server's sessions in a few words, alike ones together. */
export const sessionsOf = (of: PostgresUnderTest): Promise<string> =>
  ask(of, async (sql) => {
    const rows = await sql<{ what: string; n: number }[]>`
      select coalesce(state, '-') || case when state = 'idle' then '' else
               ' (' || coalesce(wait_event, 'running') || ': ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 50) || ')'
             end as what, count(*)::int as n
        from pg_stat_activity where application_name like ${SESSIONS} group by 1 order by 2 desc`
    return rows.map(({ what, n }) => `${n} ${what}`).join(", ")
  })

export const terminateSessions = (of: PostgresUnderTest): Promise<void> =>
  ask(of, async (sql) => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like ${SESSIONS}`
  })

/** One that the harness starts and stops. The data is synced to disk, as in production. */
export class OwnPostgres implements PostgresUnderTest {
  readonly #dataDir: string
  readonly #moved: () => void
  #server: EmbeddedPostgres | undefined
  #starting: Promise<void> = Promise.resolve()
  #isClosed = false

  /** `moved`: called when it listens at another address. */
  constructor(dataDir: string, moved: () => void) {
    this.#dataDir = dataDir
    this.#moved = moved
  }

  start(): Promise<void> {
    this.#starting = this.#start()
    return this.#starting
  }

  async #start(): Promise<void> {
    if (this.#isClosed) throw new Error("PostgreSQL was closed")
    await mkdir(this.#dataDir, { recursive: true })
    this.#server = await startEmbeddedPostgres({
      dataDir: this.#dataDir,
      onLog: () => undefined,
      settings: { fsync: "on", synchronous_commit: "on", max_connections: "150" },
    })
    this.#moved()
  }

  readonly url = (): string => this.#current.url
  readonly postmaster = (): number => this.#current.pid

  get #current(): EmbeddedPostgres {
    if (this.#server === undefined) throw new Error("PostgreSQL was not started")
    return this.#server
  }

  /** Ends it in one of three ways; it stays down for `downMs`. */
  async restart(how: "fast" | "immediate" | "crash", downMs: number): Promise<void> {
    const server = this.#current
    if (how !== "fast") {
      signal(server.pid, how === "crash" ? "SIGKILL" : "SIGQUIT")
      await server.exited
    }
    await server.stop()
    await sleep(downMs)
    await this.start()
  }

  /** For good: a restart that is under way is waited for, and none begins any more. */
  async stop(): Promise<void> {
    this.#isClosed = true
    await this.#starting.catch(() => undefined)
    if (this.#server === undefined) return
    await thawPostgres(this)
    await this.#server.stop(5000)
  }
}

/** The one that the server starts in its data folder. */
export class ServersPostgres implements PostgresUnderTest {
  readonly #data: string

  constructor(dataDir: string) {
    this.#data = join(dataDir, "postgres", "data")
  }

  /** Lines of `postmaster.pid`: process id, data folder, start, port. */
  #line(at: number): string {
    return readFileSync(join(this.#data, "postmaster.pid"), "utf8").split("\n")[at] ?? ""
  }

  readonly url = (): string => {
    const password = readFileSync(join(this.#data, "gathercue-password"), "utf8").trim()
    return `postgres://gathercue:${password}@127.0.0.1:${this.#line(3).trim()}/postgres`
  }

  readonly postmaster = (): number => Number(this.#line(0))
}
