import { createHash } from "node:crypto"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { insertAccount, insertSession, markVerified } from "../../src/store/accounts/accounts.ts"
import { sweepIdleAccounts } from "../../src/store/accounts/idle-accounts.ts"
import { insertWorkspace } from "../../src/store/workspaces/workspaces.ts"
import { createTestDatabase } from "../support/database.ts"
import { openStore, type TestSql } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const DAY = 86_400_000

const open = async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url, 4)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  /** So many days from now. */
  const sweep = (days: number) => Effect.runPromise(sweepIdleAccounts(sql.database, Date.now() + days * DAY))
  return { sql, sweep }
}

/** An account as signing up makes it: with a workspace, and nobody's proof. */
const account = async (sql: TestSql) => {
  const [id, emailId, workspaceId] = [newId(), newId(), newId()]
  await insertAccount(sql, { id, name: "Ada", passwordHash: null, emailId, email: `${emailId}@example.com` })
  const workspace = { id: workspaceId, name: "W", slug: workspaceId.slice(0, 40), memberId: newId(), ownerId: id }
  await Effect.runPromise(insertWorkspace(sql, workspace))
  await sql`
    insert into audit_entries (id, workspace_id, action, actor_kind, actor_id, request_id)
    values (${newId()}, ${workspaceId}, 'workspace.created', 'account', ${id}, 'r')`
  return { id, emailId, workspaceId }
}
const left = async (sql: TestSql): Promise<ReadonlyArray<string>> =>
  (await sql<{ id: string }[]>`select id from accounts order by id`).map(({ id }) => id)
const session = (sql: TestSql, accountId: string) =>
  insertSession(sql, {
    id: newId(),
    tokenHash: createHash("sha256").update(accountId).digest(),
    accountId,
    credentialsVersion: 1,
    device: null,
    idleExpiresAt: toTimestamp(Date.now() + 7 * DAY),
    expiresAt: toTimestamp(Date.now() + 30 * DAY),
  })

test("an account that nobody proved or used for a week goes, with its workspace and its address", async () => {
  const { sql, sweep } = await open()
  const { emailId } = await account(sql)
  await sweep(6.9)
  expect(await left(sql)).toHaveLength(1)
  await sweep(7.1)
  expect(await left(sql)).toEqual([])
  expect(await sql`select 1 from workspaces`).toHaveLength(0)
  expect(await sql`select 1 from account_emails where id = ${emailId}`).toHaveLength(0)
})

test("one that was used, proved, or owns something stays", async () => {
  const { sql, sweep } = await open()
  const proved = await account(sql)
  await markVerified(sql, proved.emailId)
  const host = await account(sql)
  await sql`
    insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
    values (${newId()}, ${host.workspaceId}, 'webinar', 'T', 'draft', 'public', false, false, '{}')`
  const [owner, member] = [await account(sql), await account(sql)]
  await sql`
    insert into workspace_members (id, workspace_id, account_id, role)
    values (${newId()}, ${owner.workspaceId}, ${member.id}, 'member')`
  const keyed = await account(sql)
  const key = (workspaceId: string, used: string | null) => sql`
    insert into api_keys (id, workspace_id, secret_hash, prefix, last4, last_used_at)
    values (${newId()}, ${workspaceId}, ${createHash("sha256").update(workspaceId).digest()}, 'p', 'l', ${used}::timestamptz)`
  await key(keyed.workspaceId, toTimestamp(Date.now()))
  const idle = await account(sql)
  await key(idle.workspaceId, null)
  await sweep(8)
  const stay = [proved, host, owner, member, keyed].map(({ id }) => id)
  expect(await left(sql)).toEqual(stay.toSorted())
  // Looked at again a week later, and not before: the event is gone by then.
  await sql`delete from events`
  await sweep(14)
  expect(await left(sql)).toHaveLength(5)
  await sweep(15.1)
  expect(await left(sql)).toEqual(stay.filter((id) => id !== host.id).toSorted())
})

test("use begins the week anew", async () => {
  const { sql, sweep } = await open()
  const { id } = await account(sql)
  await sql`update accounts set idle_check_at = now() - interval '1 minute'`
  await session(sql, id)
  await sweep(0)
  expect(await left(sql)).toEqual([id])
  await sweep(7.1)
  expect(await left(sql)).toEqual([])
})

test("an account that somebody is changing at the moment is left to them", async () => {
  const { sql, sweep } = await open()
  const one = await account(sql)
  const other = await account(sql)
  await Effect.runPromise(
    sql.database.transaction(async (held) => {
      await markVerified(held, one.emailId)
      await sweep(8)
    }),
  )
  expect(await left(sql)).toEqual([one.id])
  expect(other.id).not.toBe(one.id)
  await sweep(30)
  expect(await left(sql)).toEqual([one.id])
})

test("an account whose first event is being made during the sweep stays", async () => {
  const { sql, sweep } = await open()
  const { id, workspaceId } = await account(sql)
  let sweeping = Promise.resolve()
  await Effect.runPromise(
    sql.database.transaction(async (making) => {
      await making`
        insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
        values (${newId()}, ${workspaceId}, 'webinar', 'T', 'draft', 'public', false, false, '{}')`
      sweeping = sweep(8)
      await eventually(async () => {
        const waiting = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return waiting.length === 1
      }, "the sweep waits for the event")
    }),
  )
  await sweeping
  expect(await left(sql)).toEqual([id])
})

test("hundreds of them go in one sweep", async () => {
  const { sql, sweep } = await open()
  await sql`
    with made as (insert into accounts (id, name) select gen_random_uuid(), 'A' from generate_series(1, 250) returning id)
    insert into account_emails (id, account_id, email, is_primary) select gen_random_uuid(), id, id || '@example.com', true from made`
  await sweep(8)
  expect(await left(sql)).toEqual([])
})
