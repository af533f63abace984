import { createHash } from "node:crypto"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { insertAccountToken } from "../../src/store/accounts/account-tokens.ts"
import { insertAccount, insertSession } from "../../src/store/accounts/accounts.ts"
import { insertEntryToken, insertRegistration } from "../../src/store/events/registrations.ts"
import { deleteOldAnswers } from "../../src/store/idempotency.ts"
import { sweepExpired } from "../../src/store/sweeps/retention-sweep.ts"
import { inBatches, SWEEP_BATCH } from "../../src/store/sweeps.ts"
import { createTestDatabase } from "../support/database.ts"
import { seedEvent } from "../support/live-events.ts"
import { openStore, type TestSql } from "../support/store.ts"

const HOUR = 3_600_000
const NOW = Date.now()
const within = (hours: number) => toTimestamp(NOW + hours * HOUR)
const hash = (text: string) => createHash("sha256").update(text).digest()

const open = async (): Promise<{ readonly sql: TestSql; readonly sweep: () => Promise<void> }> => {
  const database = await createTestDatabase()
  const sql = openStore(database.url, 4)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return { sql, sweep: () => Effect.runPromise(sweepExpired(sql.database, NOW)) }
}

const account = async (sql: TestSql) => {
  const [accountId, emailId] = [newId(), newId()]
  await insertAccount(sql, { id: accountId, name: "Ada", passwordHash: null, emailId, email: `${emailId}@example.com` })
  return { accountId, emailId }
}

test("sessions go when their thirty days are over, however many have gathered", async () => {
  const { sql, sweep } = await open()
  const { accountId } = await account(sql)
  await sql`
    insert into account_sessions (id, token_hash, account_id, idle_expires_at, expires_at)
    select gen_random_uuid(), decode(md5(n::text), 'hex'), ${accountId}, ${within(-200)}, ${within(-1)}
      from generate_series(1, ${2 * SWEEP_BATCH + 5}::integer) as g(n)`
  const kept = newId()
  await insertSession(sql, {
    id: kept,
    tokenHash: hash("kept"),
    accountId,
    credentialsVersion: 1,
    device: null,
    idleExpiresAt: within(1),
    expiresAt: within(2),
  })
  await sweep()
  expect(await sql`select id from account_sessions`).toEqual([{ id: kept }])
})

test("links of accounts and of notes go when they open nothing any more", async () => {
  const { sql, sweep } = await open()
  const of = await account(sql)
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  await sql`insert into table_summaries (event_id, room_id, content, generated_at) values (${eventId}, 'red', '{}', now())`
  for (const [name, hours] of [
    ["old", -1],
    ["young", 1],
  ] as const) {
    const given = { tokenHash: hash(name), expiresAt: within(hours) }
    await insertAccountToken(sql, { ...given, purpose: "verify_email", ...of })
    await sql`
      insert into table_note_tokens (token_hash, event_id, room_id, user_id, expires_at)
      values (${given.tokenHash}, ${eventId}, 'red', 'ada', ${given.expiresAt})`
  }
  await sweep()
  const young = [{ tokenHash: hash("young") }]
  expect(await sql`select token_hash from account_tokens`).toEqual(young)
  expect(await sql`select token_hash from table_note_tokens`).toEqual(young)
})

test("entry tokens go a day after their event's end, and the event is looked at once", async () => {
  const { sql, sweep } = await open()
  const ended: ReadonlyArray<readonly [string, number | null]> = [
    ["long", -26],
    ["lately", -23],
    ["open", null],
  ]
  const ids = new Map<string, string>()
  for (const [name, hours] of ended) {
    const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
    ids.set(name, eventId)
    const registration = { id: newId(), eventId, name: "Ada", email: "ada@example.com" }
    await insertRegistration(sql, registration)
    for (const letter of ["first", "second"]) await insertEntryToken(sql, hash(name + letter), registration.id)
    if (hours !== null) await sql`update events set status = 'ended', ended_at = ${within(hours)} where id = ${eventId}`
  }
  await sweep()
  const left = await sql<{ eventId: string }[]>`
    select r.event_id from entry_tokens t join registrations r on r.id = t.registration_id`
  const two = (name: string) => [ids.get(name), ids.get(name)]
  expect(left.map(({ eventId }) => eventId).toSorted()).toEqual([...two("lately"), ...two("open")].toSorted())
  expect(await sql`select 1 from registrations`).toHaveLength(3)
  const swept = await sql<{ id: string }[]>`select id from events where entries_swept`
  expect(swept).toEqual([{ id: ids.get("long") }])
})

test("kept answers are forgotten in batches", async () => {
  const { sql } = await open()
  await sql`
    insert into idempotency_keys (principal, method, path, key, body_hash, status, answer_sealed, created_at)
    select 'p', 'POST', '/', n::text, '', 201, '', case when n <= 3 then now() else now() - interval '25 hours' end
      from generate_series(1, ${SWEEP_BATCH + 100}::integer) as g(n)`
  await Effect.runPromise(inBatches(sql.database, (of, limit) => deleteOldAnswers(of, within(-24), limit)))
  expect(await sql`select 1 from idempotency_keys`).toHaveLength(3)
})
