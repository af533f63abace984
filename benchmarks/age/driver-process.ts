/** The peer of `age`: the driver with its own pool, as it is released, in a process of its own. */
import postgres from "postgres"
import { answerParent } from "../support/child.ts"
import { CONNECTIONS, type Statements, statementsOf } from "./statements.ts"

let statements: Statements

answerParent({
  open: (url: string) => {
    const sql = postgres(url, { max: CONNECTIONS })
    statements = statementsOf(
      () => sql`select ${1}::int as one`,
      () => sql`select pg_sleep(0.2)`,
    )
    return statements.open()
  },
  run: (count: number) => statements.run(count),
})
