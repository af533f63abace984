/** Diagnosis of the database for somebody who helps an operator: sizes and numbers, and nothing that customers stored. */

import { withSession } from "../pool/session.ts"
import { readBacklog } from "../webhooks/backlog.ts"
import { countLiveEvents } from "./platform.ts"

const SESSION = { application_name: "gathercue doctor" }
const LIMITS = { connectMs: 10_000, withinMs: 20_000 }

/** Row count estimated by the server; -1 when not yet analysed. */
interface TableSize {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly dead: number
}

export const diagnose = (url: string) =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => {
    const [server] = await sql<{ version: string; bytes: number; startedAt: string; mostConnections: string }[]>`
      select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
             pg_postmaster_start_time()::text as started_at, current_setting('max_connections') as most_connections`
    const connections = await sql<{ application: string; state: string | null; count: number }[]>`
      select application_name as application, state, count(*)::int as count from pg_stat_activity
       where datname = current_database() group by 1, 2 order by 1, 2`
    const tables = await sql<TableSize[]>`
      select c.relname as name, c.reltuples::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes,
             coalesce(s.n_dead_tup, 0)::float8 as dead
        from pg_class c left join pg_stat_all_tables s on s.relid = c.oid
       where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by bytes desc, name`
    const [known] = await sql<{ is: boolean }[]>`select to_regclass('schema_migrations') is not null as is`
    if (known?.is !== true) return { server, connections, tables, migrations: [] }
    const migrations = await sql<{ version: number }[]>`select version from schema_migrations order by version`
    return {
      server,
      connections,
      tables,
      migrations: migrations.map(({ version }) => version),
      liveEvents: await countLiveEvents(sql),
      backlog: await readBacklog(sql),
    }
  })
