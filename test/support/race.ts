/** Two transactions at one moment: one holds what the other wants until the other waits for it. */
import { type Rows, rowsOf } from "./rows.ts"
import { eventually } from "./wait.ts"

type Statement = readonly [statement: string, parameters: ReadonlyArray<string>]

/** Runs the statements in a transaction, starts the act, and commits as soon as the act waits for a lock. Resolves to what the act does. */
export const whileHolding = async <A>(
  databaseUrl: string,
  statements: ReadonlyArray<Statement>,
  act: () => Promise<A>,
): Promise<A> => {
  const [holding, watching] = [rowsOf(databaseUrl), rowsOf(databaseUrl)]
  try {
    await holding.run("begin")
    for (const [statement, parameters] of statements) await holding.run(statement, parameters)
    const acting = act()
    await eventually(() => isAnyoneWaiting(watching), "the act waits for a lock")
    await holding.run("commit")
    return await acting
  } finally {
    await Promise.all([holding.end(), watching.end()])
  }
}

const isAnyoneWaiting = async (rows: Rows): Promise<boolean> => {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  return (await rows.run(waiting)).length > 0
}
