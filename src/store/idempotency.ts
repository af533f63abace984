/** Answers kept under callers' own keys: finds and keeps them. */
import { Data, Effect } from "effect"
import type { Unavailable } from "../model/errors.ts"
import type { Timestamp } from "../model/timestamp.ts"
import type { Queryable } from "./database.ts"
import { query } from "./query.ts"

export interface IdempotencyKey {
  /** Name of the caller, so that keys of two callers never collide. */
  readonly principal: string
  readonly method: string
  readonly path: string
  readonly key: string
}

export interface KeptAnswer {
  readonly bodyHash: Uint8Array
  readonly status: number
  readonly answerSealed: Uint8Array
}

/** Another transaction meanwhile kept an answer under the key; the caller's work must not be committed as well. */
class AlreadyAnswered extends Data.TaggedError("AlreadyAnswered")<Record<never, never>> {}

/** Keys older than `forgetBefore` count as absent. */
export const findAnswer = async (
  sql: Queryable,
  of: IdempotencyKey,
  forgetBefore: Timestamp,
): Promise<KeptAnswer | undefined> => {
  const [kept] = await sql<KeptAnswer[]>`
    select body_hash, status, answer_sealed from idempotency_keys
     where principal = ${of.principal} and method = ${of.method} and path = ${of.path} and key = ${of.key}
       and created_at >= ${forgetBefore}`
  return kept
}

/** Waits for a transaction that is keeping an answer under the same key. */
export const keepAnswer = (
  sql: Queryable,
  of: IdempotencyKey,
  answer: KeptAnswer,
  forgetBefore: Timestamp,
): Effect.Effect<void, AlreadyAnswered | Unavailable> =>
  Effect.gen(function* () {
    const { bodyHash, status, answerSealed } = answer
    const kept = yield* query(
      () => sql`
        insert into idempotency_keys as k (principal, method, path, key, body_hash, status, answer_sealed)
        values (${of.principal}, ${of.method}, ${of.path}, ${of.key}, ${bodyHash}, ${status}, ${answerSealed})
        on conflict (principal, method, path, key) do update
           set body_hash = excluded.body_hash, status = excluded.status, answer_sealed = excluded.answer_sealed,
               created_at = excluded.created_at
         where k.created_at < ${forgetBefore}
        returning 1`,
    )
    if (kept.length === 0) return yield* new AlreadyAnswered()
  })

/** Deletes up to `limit` answers from before the cutoff. Resolves to their number. */
export const deleteOldAnswers = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where created_at < ${before} order by created_at limit ${limit}))`
  return count
}
