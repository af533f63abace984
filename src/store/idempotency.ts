/** Answers kept under callers' own keys: take a key, find what it was answered, keep an answer, or let the key go. */
import type { Timestamp } from "../model/timestamp.ts"
import type { Queryable } from "./database.ts"
import { untilFewer } from "./sweeps.ts"

export interface IdempotencyKey {
  /** Who asks: keys of two callers never meet. */
  readonly principal: string
  readonly method: string
  readonly path: string
  readonly key: string
}

export interface KeptAnswer {
  readonly bodyHash: Uint8Array
  /** `null`: the first request with this key is still being worked on. */
  readonly status: number | null
  readonly answerSealed: Uint8Array | null
}

/**
 * Takes the key for a request that starts now; `undefined` when it was free, forgotten (a day), or held by a request that
 * never ended. Otherwise what the key stands for.
 */
export const takeKey = async (
  sql: Queryable,
  of: IdempotencyKey,
  given: {
    readonly bodyHash: Uint8Array
    readonly now: Timestamp
    readonly heldUntil: Timestamp
    readonly forgetBefore: Timestamp
  },
): Promise<KeptAnswer | undefined> => {
  const taken = await sql`
    insert into idempotency_keys as k (principal, method, path, key, body_hash, created_at, held_until)
    values (${of.principal}, ${of.method}, ${of.path}, ${of.key}, ${given.bodyHash}, ${given.now}, ${given.heldUntil})
    on conflict (principal, method, path, key) do update
       set body_hash = excluded.body_hash, status = null, answer_sealed = null,
           created_at = excluded.created_at, held_until = excluded.held_until
     where k.created_at < ${given.forgetBefore} or (k.status is null and k.held_until < ${given.now})
    returning 1`
  if (taken.length > 0) return undefined
  const [kept] = await sql<KeptAnswer[]>`
    select body_hash, status, answer_sealed from idempotency_keys
     where principal = ${of.principal} and method = ${of.method} and path = ${of.path} and key = ${of.key}`
  return kept ?? takeKey(sql, of, given)
}

export const keepAnswer = async (
  sql: Queryable,
  of: IdempotencyKey,
  answer: { readonly status: number; readonly answerSealed: Uint8Array },
): Promise<void> => {
  await sql`
    update idempotency_keys set status = ${answer.status}, answer_sealed = ${answer.answerSealed}
     where principal = ${of.principal} and method = ${of.method} and path = ${of.path} and key = ${of.key}`
}

/** The answer is not one to keep: the next request with the key is worked on anew. */
export const releaseKey = async (sql: Queryable, of: IdempotencyKey): Promise<void> => {
  await sql`
    delete from idempotency_keys
     where principal = ${of.principal} and method = ${of.method} and path = ${of.path} and key = ${of.key}`
}

/** Forgets keys from before the cutoff with their answers. */
export const sweepIdempotencyKeys = (sql: Queryable, before: Timestamp): Promise<void> =>
  untilFewer(async (limit) => {
    const { count } = await sql`
      delete from idempotency_keys where ctid = any (array(
        select ctid from idempotency_keys where created_at < ${before} order by created_at limit ${limit}))`
    return count
  })
