/** Searching stored texts in the form of `searchForm`, whatever the case and composition of characters. */
import { searchForm } from "../model/text/compared.ts"
import type { Queryable } from "./pool/statement.ts"

/** Lower-case form of İ in some collations. */
const DOTTED = "i\u0307"

/** Pattern of `like` for texts that contain `search`; every text matches an empty one. */
export const patternOf = (search: string): string => `%${searchForm(search).replaceAll(/[\\%_]/g, "\\$&")}%`

/** Condition that the column matches the pattern. */
export const matches = (sql: Queryable, column: string, pattern: string) => sql`
  replace(translate(lower(normalize(${sql.unsafe(column)}, NFKC)), 'ς', 'σ'), ${DOTTED}, 'i') like ${pattern}`
