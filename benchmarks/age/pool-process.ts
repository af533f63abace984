/** Our pool, in a process of its own. */
import { DEFAULT_DEADLINE_MS, DEFAULT_WAITING } from "../../src/store/database.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { answerParent } from "../support/child.ts"
import { ageOf } from "./statements.ts"

answerParent({
  age: async ({ url, ages }: { readonly url: string; readonly ages: ReadonlyArray<number> }) => {
    const pool = new Pool({ url, connections: 10, waiting: DEFAULT_WAITING, deadlineMs: DEFAULT_DEADLINE_MS })
    const figures = await ageOf(ages, () => pool.sql`select ${1}::int as one`)
    await pool.close(1_000)
    return figures
  },
})
