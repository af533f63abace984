/** The peer of `start`: starts the embedded PostgreSQL and nothing else, until it answers a query. */
import postgres from "postgres"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/postgres.ts"
import { answerParent } from "../support/child.ts"

let running: EmbeddedPostgres | undefined

answerParent({
  start: async (dataDir: string) => {
    running = await startEmbeddedPostgres({ dataDir, onLog: () => {} })
    const sql = postgres(running.url, { max: 1 })
    await sql`select 1`.finally(() => sql.end())
  },
  stop: () => running?.stop(),
})
