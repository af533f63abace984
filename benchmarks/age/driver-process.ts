/** The peer of `age`: the driver with its own pool, as it is released, in a process of its own. */
import postgres from "postgres"
import { answerParent } from "../support/child.ts"
import { ageOf } from "./statements.ts"

answerParent({
  age: async ({ url, ages }: { readonly url: string; readonly ages: ReadonlyArray<number> }) => {
    const sql = postgres(url, { max: 10 })
    const figures = await ageOf(ages, () => sql`select ${1}::int as one`)
    await sql.end()
    return figures
  },
})
