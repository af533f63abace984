/** Our pool, in a process of its own. */
import { DEFAULT_DEADLINE_MS, DEFAULT_WAITING } from "../../src/store/database.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { answerParent } from "../support/child.ts"
import { CONNECTIONS, type Statements, statementsOf } from "./statements.ts"

let statements: Statements

answerParent({
  open: (url: string) => {
    const pool = new Pool({
      url,
      connections: CONNECTIONS,
      waiting: DEFAULT_WAITING,
      deadlineMs: DEFAULT_DEADLINE_MS,
    })
    statements = statementsOf(
      () => pool.sql`select ${1}::int as one`,
      () => pool.sql`select pg_sleep(0.2)`,
    )
    return statements.open()
  },
  run: (count: number) => statements.run(count),
})
