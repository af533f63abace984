/** Token buckets shared by all nodes: one statement per request, however many buckets it takes from. */
import { createHash } from "node:crypto"
import type { Taken } from "../../model/limits/bounded-buckets.ts"
import type { Rate } from "../../model/limits/token-bucket.ts"
import type { Queryable } from "../pool/statement.ts"

export interface SharedBucket {
  /** Key of the bucket, with the limit's name. */
  readonly key: string
  readonly rate: Rate
}

const HASH_BYTES = 16

const hex = (key: string): string =>
  `\\x${createHash("sha256").update(key).digest().subarray(0, HASH_BYTES).toString("hex")}`

const stepMs = ({ perSecond }: Rate): string => String(1000 / perSecond)

/** Takes one token from each bucket, or none when one of them is empty. The order is the same for all callers. */
export const takeTokens = async (sql: Queryable, buckets: ReadonlyArray<SharedBucket>): Promise<Taken> => {
  const [row] = await sql<{ waitMs: number; tokens: number; fullInMs: number }[]>`
    select wait_ms, tokens, full_in_ms
      from take_tokens(${buckets.map(({ key }) => hex(key))}::text[]::bytea[], ${buckets.map(({ rate }) => stepMs(rate))}::text[]::float8[],
                       ${buckets.map(({ rate }) => String(rate.burst))}::text[]::float8[])`
  if (row === undefined) throw new Error("take_tokens gave no row")
  return {
    waitMs: Math.ceil(Math.max(0, row.waitMs)),
    left: Math.max(0, Math.floor(row.tokens + ROUNDING)),
    fullInMs: row.fullInMs,
  }
}

/** Times have microsecond precision, so a whole token may be slightly less than one. */
const ROUNDING = 1e-3

export const giveBackTokens = async (sql: Queryable, buckets: ReadonlyArray<SharedBucket>): Promise<void> => {
  await sql`
    select give_back_tokens(${buckets.map(({ key }) => hex(key))}::text[]::bytea[], ${buckets.map(({ rate }) => stepMs(rate))}::text[]::float8[])`
}

/** Deletes full buckets, which are equivalent to absent ones. Resolves to the number deleted, at most `limit`. */
export const forgetFullBuckets = async (sql: Queryable, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from rate_buckets where key in (select key from rate_buckets where full_at < now() limit ${limit}::int)`
  return count
}
