/**
 * Hourly deletion of unused accounts without a proved address, which frees their addresses. It runs only where mail is sent; elsewhere no
 * address can be proved.
 */
import { Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database, type Queryable } from "../database.ts"
import { patiently, sweepEvery } from "../sweeps.ts"

/** Accounts checked in one transaction. */
const ACCOUNTS = 100

/** Accounts that own nothing: no event, no other member, no used key, no part in another account's event. */
const ownNothing = async (sql: Queryable, ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select a.id from unnest(${[...ids]}::uuid[]) as a(id)
     where not exists (select from account_emails e where e.account_id = a.id and e.verified_at is not null)
       and not exists (select from account_identities i where i.account_id = a.id)
       and not exists (select from workspace_members m join workspace_members o on o.workspace_id = m.workspace_id
                        where m.account_id = a.id and o.account_id <> a.id)
       and not exists (select from workspace_members m join events e on e.workspace_id = m.workspace_id
                        where m.account_id = a.id)
       and not exists (select from workspace_members m join api_keys k on k.workspace_id = m.workspace_id
                        where m.account_id = a.id and k.last_used_at is not null)
       and not exists (select from users u join memberships m on m.user_id = u.id where u.account_id = a.id)`
  return rows.map(({ id }) => id)
}

/** Deletes the accounts together with the workspaces that are theirs alone. */
const deleteAccounts = async (sql: Queryable, ids: ReadonlyArray<string>): Promise<void> => {
  await sql`
    delete from workspaces where id in (select workspace_id from workspace_members where account_id = any (${[...ids]}::uuid[]))`
  await sql`delete from accounts where id = any (${[...ids]}::uuid[])`
}

/** Checks some of the accounts that are due. Resolves to their number. */
const sweepSome = async (sql: Queryable, now: Timestamp): Promise<number> => {
  // A transaction that signs in or proves the address locks the account, which then counts as used.
  const due = await sql<{ id: string }[]>`
    select id from accounts where idle_check_at <= ${now} order by idle_check_at limit ${ACCOUNTS} for update skip locked`
  const idle = await ownNothing(
    sql,
    due.map(({ id }) => id),
  )
  if (idle.length > 0) {
    // Waits for objects that are being created in these workspaces, and then sees them.
    await sql`
      select 1 from workspaces
       where id in (select workspace_id from workspace_members where account_id = any (${[...idle]}::uuid[]))
       order by id for update`
    await deleteAccounts(sql, await ownNothing(sql, idle))
  }
  await sql`
    update accounts set idle_check_at = ${now}::timestamptz + interval '7 days'
     where id = any (${due.map(({ id }) => id)}::uuid[])`
  return due.length
}

/** `now`: Unix milliseconds. */
export const sweepIdleAccounts = (database: Database["Service"], now: number): Effect.Effect<void, Unavailable> =>
  patiently(database, (sql) => sweepSome(sql, toTimestamp(now))).pipe(
    Effect.repeat({ while: (seen) => seen >= ACCOUNTS }),
    Effect.asVoid,
  )

export const idleAccountsSweepLayer: Layer.Layer<never, never, Database | Telemetry> = Layer.effectDiscard(
  Effect.gen(function* () {
    const database = yield* Database
    const timers = yield* currentTimers
    const { log } = yield* Telemetry
    const sweep = Effect.suspend(() => sweepIdleAccounts(database, timers.now()))
    yield* Effect.forkScoped(sweepEvery("1 hour", log, sweep))
  }),
)
