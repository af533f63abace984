/**
 * All sealed data of the database, for a change of the secret: how much each configured key still opens, and resealing everything with the
 * newest. Both run beside servers.
 */
import { deriveKeyRing, type KeyRing, type SecretKeys } from "../../crypto/secret-key.ts"
import { type Session, withSession } from "../pool/session.ts"
import { type Queryable, SqlFragment } from "../pool/statement.ts"
import { openSealed, SealBroken, sealText } from "./sealed-text.ts"
import {
  CHECK_OWNER,
  CONNECTIONS_PURPOSE,
  FACTORS_PURPOSE,
  KEPT_KEYS_PURPOSE,
  SECRETS_PURPOSE,
} from "./sealing-keys.ts"

const SESSION = { application_name: "gathercue keys" }
const LIMITS = { connectMs: 10_000, withinMs: 3_600_000 }
const PAGE = 100
/**
 * A pass may miss a row that moves meanwhile. A row that still has an older key after this many passes is written by a server without the
 * newest key.
 */
const MOST_PASSES = 5

/** A column of sealed texts. The fragments are SQL. */
interface SealedColumn {
  /** Plural name for operators. */
  readonly name: string
  /** Purpose of the keys. */
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
  columnOf("headers of webhooks", SECRETS_PURPOSE, "webhook_endpoints", "headers_sealed", "id::text || ' headers'"),
  columnOf("second factors", FACTORS_PURPOSE, "account_totp", "secret_sealed", "account_id::text"),
  columnOf("secrets of connections", CONNECTIONS_PURPOSE, "connections", "client_secret_sealed", "id::text"),
  columnOf("emails", "mails", "mails", "content_sealed", "id::text"),
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

/** Number of texts of one kind that each configured key opens, in the order of the keys, and number that none of them opens. */
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

const START = "(0,0)"
const UNLOCKED = new SqlFragment("")
const LOCKED = new SqlFragment("for update")

/** Rows in physical order, which needs no index. */
const pageAfter = (sql: Queryable, { table, column, owner }: SealedColumn, after: string, lock: SqlFragment) =>
  sql<SealedRow[]>`
    select ctid::text as place, ${owner} as owner, ${column} as sealed from ${table}
     where ctid > ${after}::tid and ${column} is not null order by ctid limit ${PAGE} ${lock}`

/** Start of the next page; undefined after the last one. */
const nextAfter = (rows: ReadonlyArray<SealedRow>): string | undefined =>
  rows.length < PAGE ? undefined : rows.at(-1)?.place

const opened = (keys: KeyRing, { owner, sealed }: SealedRow) => {
  try {
    return openSealed(keys, owner, sealed)
  } catch (cause) {
    if (cause instanceof SealBroken) return undefined
    throw cause
  }
}

const countColumn = async (sql: Queryable, secretKeys: SecretKeys, column: SealedColumn): Promise<SealedTexts> => {
  const keys = deriveKeyRing(secretKeys, column.purpose)
  const byKey = keys.map(() => 0)
  let unreadable = 0
  for (let after: string | undefined = START; after !== undefined; ) {
    const rows: ReadonlyArray<SealedRow> = await pageAfter(sql, column, after, UNLOCKED)
    for (const row of rows) {
      const key = opened(keys, row)?.key
      if (key === undefined) unreadable += 1
      else byKey[key] = (byKey[key] ?? 0) + 1
    }
    after = nextAfter(rows)
  }
  return { name: column.name, byKey, unreadable }
}

const counted = async (sql: Queryable, secretKeys: SecretKeys): Promise<ReadonlyArray<SealedTexts>> => {
  const counts: SealedTexts[] = []
  for (const column of COLUMNS) counts.push(await countColumn(sql, secretKeys, column))
  return counts
}

/** Counts the texts that each key opens. */
export const countSealed = (url: string, secretKeys: SecretKeys): Promise<ReadonlyArray<SealedTexts>> =>
  withSession(url, SESSION, LIMITS, ({ sql }) => counted(sql, secretKeys))

/** Reseals one page. Its rows are locked for some milliseconds meanwhile, so no change of a server is undone. */
const resealPage = async (
  { connection, sql }: Session,
  keys: KeyRing,
  column: SealedColumn,
  after: string,
): Promise<ReadonlyArray<SealedRow>> => {
  await connection.control("begin")
  try {
    const rows = await pageAfter(sql, column, after, LOCKED)
    for (const row of rows) {
      const found = opened(keys, row)
      if (found === undefined || found.key === 0) continue
      await sql`update ${column.table} set ${column.column} = ${sealText(keys, row.owner, found.text)}
                 where ctid = ${row.place}::tid`
    }
    await connection.control("commit")
    return rows
  } catch (cause) {
    // The first error is the one to report.
    await connection.control("rollback").catch(() => undefined)
    throw cause
  }
}

const resealColumn = async (session: Session, secretKeys: SecretKeys, column: SealedColumn): Promise<void> => {
  const keys = deriveKeyRing(secretKeys, column.purpose)
  for (let after: string | undefined = START; after !== undefined; ) {
    after = nextAfter(await resealPage(session, keys, column, after))
  }
}

const needsOlder = (counts: ReadonlyArray<SealedTexts>): boolean =>
  counts.some(({ byKey }) => byKey.slice(1).some((count) => count > 0))

/** Reseals with the newest key all texts that an older one opens. Resolves to what each key opens afterwards. */
export const resealAll = (url: string, secretKeys: SecretKeys): Promise<ReadonlyArray<SealedTexts>> =>
  withSession(url, SESSION, LIMITS, async (session) => {
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      for (const column of COLUMNS) await resealColumn(session, secretKeys, column)
      const counts = await counted(session.sql, secretKeys)
      if (!needsOlder(counts)) return counts
    }
    return counted(session.sql, secretKeys)
  })
