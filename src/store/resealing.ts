/**
 * All that is sealed in the database, for a change of the secret: how much each configured key still opens, and sealing everything
 * anew with the newest. Both run beside servers: a row that changes meanwhile is left to the next pass.
 */
import { deriveKeyRing, type KeyRing, type SecretKeys } from "../secret-key.ts"
import { withSession } from "./pool/session.ts"
import { type Queryable, SqlFragment } from "./pool/statement.ts"
import { openSealed, SealBroken, sealText } from "./sealed-text.ts"
import { CHECK_OWNER, KEPT_KEYS_PURPOSE, SECRETS_PURPOSE } from "./sealing-keys.ts"

const SESSION = { application_name: "gathercue keys" }
const LIMITS = { connectMs: 10_000, withinMs: 3_600_000 }
const PAGE = 500
/** A row that is found with an older key in so many passes is being written by a server that has not the newest. */
const MOST_PASSES = 5

/** A column of sealed texts. The fragments are SQL. */
interface SealedColumn {
  /** In the plural, for operators. */
  readonly name: string
  /** Of the keys. */
  readonly purpose: string
  readonly table: SqlFragment
  readonly column: SqlFragment
  readonly owner: SqlFragment
}

const columnOf = (name: string, purpose: string, table: string, column: string, owner: string): SealedColumn => ({
  name,
  purpose,
  table: new SqlFragment(table),
  column: new SqlFragment(column),
  owner: new SqlFragment(owner),
})

const COLUMNS: ReadonlyArray<SealedColumn> = [
  columnOf("webhook secrets", SECRETS_PURPOSE, "webhook_endpoints", "secret_sealed", "id::text"),
  columnOf("replaced webhook secrets", SECRETS_PURPOSE, "webhook_endpoints", "previous_secret_sealed", "id::text"),
  columnOf("letters", "mails", "mails", "content_sealed", "id::text"),
  columnOf(
    "answers to repeated requests",
    "kept-answers",
    "idempotency_keys",
    "answer_sealed",
    "principal || ' ' || method || ' ' || path || ' ' || key",
  ),
  columnOf("keys of hashes", KEPT_KEYS_PURPOSE, "kept_keys", "sealed", "name"),
  columnOf("checks of the key", SECRETS_PURPOSE, "sealing_checks", "sealed", `'${CHECK_OWNER}'`),
]

/** How many texts of one kind each configured key opens, in the order of the keys, and how many none of them opens. */
export interface SealedTexts {
  readonly name: string
  readonly byKey: ReadonlyArray<number>
  readonly unreadable: number
}

interface SealedRow {
  readonly place: string
  readonly owner: string
  readonly sealed: Uint8Array
}

/** Rows in the order in which they lie on the disk, which needs no index. */
const pagesOf = async function* (sql: Queryable, { table, column, owner }: SealedColumn) {
  let after = "(0,0)"
  while (true) {
    const rows = await sql<SealedRow[]>`
      select ctid::text as place, ${owner} as owner, ${column} as sealed from ${table}
       where ctid > ${after}::tid and ${column} is not null order by ctid limit ${PAGE}`
    yield rows
    const last = rows.at(-1)
    if (rows.length < PAGE || last === undefined) return
    after = last.place
  }
}

const opened = (keys: KeyRing, { owner, sealed }: SealedRow) => {
  try {
    return openSealed(keys, owner, sealed)
  } catch (cause) {
    if (cause instanceof SealBroken) return undefined
    throw cause
  }
}

/** `visit` is told of each row that an older key opens. */
const walk = async (
  sql: Queryable,
  secretKeys: SecretKeys,
  column: SealedColumn,
  visit: (row: SealedRow, keys: KeyRing, text: string) => Promise<void>,
): Promise<SealedTexts> => {
  const keys = deriveKeyRing(secretKeys, column.purpose)
  const byKey = keys.map(() => 0)
  let unreadable = 0
  for await (const rows of pagesOf(sql, column)) {
    for (const row of rows) {
      const found = opened(keys, row)
      if (found === undefined) unreadable += 1
      else {
        byKey[found.key] = (byKey[found.key] ?? 0) + 1
        if (found.key > 0) await visit(row, keys, found.text)
      }
    }
  }
  return { name: column.name, byKey, unreadable }
}

const counted = async (sql: Queryable, secretKeys: SecretKeys): Promise<ReadonlyArray<SealedTexts>> => {
  const counts: SealedTexts[] = []
  for (const column of COLUMNS) counts.push(await walk(sql, secretKeys, column, async () => {}))
  return counts
}

/** Counts what each key opens. */
export const countSealed = (url: string, secretKeys: SecretKeys): Promise<ReadonlyArray<SealedTexts>> =>
  withSession(url, SESSION, LIMITS, ({ sql }) => counted(sql, secretKeys))

const needsOlder = (counts: ReadonlyArray<SealedTexts>): boolean =>
  counts.some(({ byKey }) => byKey.slice(1).some((count) => count > 0))

/** Seals with the newest key all that an older one opens. Resolves to what each key opens afterwards. */
export const resealAll = (url: string, secretKeys: SecretKeys): Promise<ReadonlyArray<SealedTexts>> =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => {
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      for (const column of COLUMNS) {
        await walk(sql, secretKeys, column, async ({ place, owner, sealed }, keys, text) => {
          const { table, column: name } = column
          await sql`update ${table} set ${name} = ${sealText(keys, owner, text)}
                     where ctid = ${place}::tid and ${name} = ${sealed}`
        })
      }
      const counts = await counted(sql, secretKeys)
      if (!needsOlder(counts)) return counts
    }
    return counted(sql, secretKeys)
  })
