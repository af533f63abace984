import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import {
  insertGuestIntegration,
  listGuestRefusals,
  noteRefusal,
  noteVerified,
  pageGuestIntegrations,
  revokeGuestIntegration,
} from "../../src/store/workspaces/guest-integrations.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { openStore, type TestSql } from "../support/store.ts"

let database: TestDatabase
let sql: TestSql
let workspaceId: string
beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url, 2)
  workspaceId = newId()
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Test', 'test')`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const insert = (issuer: string) =>
  Effect.runPromise(
    sql.database.transaction((tx) =>
      insertGuestIntegration(tx, {
        id: newId(),
        workspaceId,
        issuer,
        jwksUrl: "https://partner.example/jwks",
        publicKeyPem: null,
        publicKeyFingerprint: null,
        createdByKeyId: null,
      }),
    ),
  )
const insertUnchecked = (issuer: string) =>
  sql`insert into guest_integrations (id, workspace_id, issuer, jwks_url) values (${newId()}, ${workspaceId}, ${issuer}, 'x')`

test("the database itself holds one active integration per issuer, of whatever length", async () => {
  const issuer = "ü€😀".repeat(600)
  const { id } = await insert(issuer)
  await expect(insert(issuer)).rejects.toMatchObject({ _tag: "Conflict" })
  await expect(insertUnchecked(issuer)).rejects.toMatchObject({ constraint_name: "guest_integrations_one_active" })
  await insertUnchecked(`${issuer}!`)
  expect(await revokeGuestIntegration(sql, workspaceId, id)).toBe(true)
  await insertUnchecked(issuer)
})

test("a verified token is noted unless one was lately, and a noted one takes the last fault back", async () => {
  const issuer = "https://partner.example"
  const { id } = await insert(issuer)
  const read = async () => {
    const { rows } = await pageGuestIntegrations(sql, workspaceId, { limit: 50, after: null })
    const { lastVerifiedAt, lastError } = rows.find((row) => row.id === id) ?? {}
    return [lastVerifiedAt, lastError]
  }
  const noteFault = (reason: "expired" | "signature") =>
    noteRefusal(sql, { workspaceId, integrationId: id, reason, detail: "x" })
  await noteFault("expired")
  expect(await read()).toEqual([null, "expired"])
  await noteVerified(sql, id, "2027-01-01T00:01:00.000Z", "2027-01-01T00:00:00.000Z")
  expect(await read()).toEqual(["2027-01-01T00:01:00.000Z", null])
  await noteFault("signature")
  await noteVerified(sql, id, "2027-01-01T00:01:59.999Z", "2027-01-01T00:00:59.999Z")
  expect(await read()).toEqual(["2027-01-01T00:01:00.000Z", "signature"])
  await noteVerified(sql, id, "2027-01-01T00:02:00.000Z", "2027-01-01T00:01:00.000Z")
  expect(await read()).toEqual(["2027-01-01T00:02:00.000Z", null])
})

test("refusals are kept once for each integration and reason, at most once a second, and none of revoked integrations", async () => {
  const { id } = await insert("https://refusals.example")
  const note = (detail: string, integrationId: string | null = id) =>
    noteRefusal(sql, { workspaceId, integrationId, reason: "malformed", detail })
  const details = async () =>
    (await listGuestRefusals(sql, workspaceId))
      .filter(({ reason }) => reason === "malformed")
      .map(({ integrationId, detail }) => [integrationId, detail])
  const age = () => sql`update guest_refusals set refused_at = refused_at - interval '1 minute'`
  await note("first")
  await note("at once")
  await note("of nobody", null)
  await note("of nobody, at once", null)
  expect(await details()).toEqual([
    [null, "of nobody"],
    [id, "first"],
  ])
  await age()
  await Promise.all(Array.from({ length: 5 }, () => note("later")))
  expect(await details()).toEqual([
    [id, "later"],
    [null, "of nobody"],
  ])
  await revokeGuestIntegration(sql, workspaceId, id)
  expect(await details()).toEqual([[null, "of nobody"]])
})
