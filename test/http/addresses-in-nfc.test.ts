/** Addresses that look the same belong to one account, also one that was stored before that was a rule. */
import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { call, createEvent, createWorkspace, PASSWORD } from "../support/api.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)

const COMPOSED = "\u1e31im@example.com"
const DECOMPOSED = "k\u0301im@example.com"
const signUp = (email: string) =>
  call(server.url, "POST", "/v1/accounts/signup", { body: { email, password: PASSWORD, name: "Kim" } })
const login = async (email: string) =>
  (await call(server.url, "POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })).status

test("of two addresses that look the same the second is taken, and both sign the account in", async () => {
  expect((await signUp(DECOMPOSED)).status).toBe(201)
  expect((await signUp(COMPOSED)).body.code).toBe("email_taken")
  expect([await login(COMPOSED), await login(DECOMPOSED)]).toEqual([200, 200])
})

test("the migration gives the form to one of two rows that become equal, the proved one, and stops at neither", async () => {
  const migration = await readFile(new URL("../../src/store/sql/0045_addresses_in_nfc.sql", import.meta.url), "utf8")
  // Three spellings of one letter; two of them are not in NFC.
  const [spelled, half, form] = ["u\u0308\u0304@example.com", "\u00fc\u0304@example.com", "\u01d6@example.com"]
  const accounts: string[] = []
  for (const email of ["first@example.com", "second@example.com"]) accounts.push((await signUp(email)).body.account.id)
  const [first = "", second = ""] = accounts
  await rows.run("update account_emails set email = $1 where account_id = $2", [spelled ?? "", first])
  const proved = "update account_emails set email = $1, verified_at = now() where account_id = $2"
  await rows.run(proved, [half ?? "", second])
  const { key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key, { visibility: "public" })
  const insert = "insert into registrations (id, event_id, name, email) values (gen_random_uuid(), $1, 'Uli', $2)"
  for (const email of [spelled, half]) await rows.run(insert, [event.id, email ?? ""])
  await rows.run(migration)
  const emailOf = "select email from account_emails where account_id = $1"
  expect(await rows.run(emailOf, [first])).toEqual([{ email: spelled }])
  expect(await rows.run(emailOf, [second])).toEqual([{ email: form }])
  const registered = await rows.run("select email from registrations where event_id = $1", [event.id])
  expect(registered.filter(({ email }) => email === form)).toHaveLength(1)
})

test("the migration of users' addresses gives them the same form", async () => {
  const migration = await readFile(new URL("../../src/store/sql/0053_user_addresses.sql", import.meta.url), "utf8")
  const { id } = await createWorkspace(server.url)
  const insert = `insert into users (id, workspace_id, external_sub, email) values (gen_random_uuid(), $1, $2, $2)`
  for (const email of [` ${DECOMPOSED.toUpperCase()}`, "plain@example.com"]) await rows.run(insert, [id, email])
  await rows.run(migration)
  const stored = await rows.run("select email from users where workspace_id = $1", [id])
  expect(stored.map(({ email }) => email)).toEqual(expect.arrayContaining([COMPOSED, "plain@example.com"]))
})

test("the migration stores the addresses of before in that form, and leaves one alone whose form is taken", async () => {
  const migration = await readFile(new URL("../../src/store/sql/0045_addresses_in_nfc.sql", import.meta.url), "utf8")
  const { body } = await signUp("lo\u0301u@example.com")
  await rows.run("update account_emails set email = $1 where account_id = $2", [
    "lo\u0301u@example.com",
    body.account.id,
  ])
  const [composed, decomposed] = ["\u1e83en@example.com", "w\u0301en@example.com"]
  expect((await signUp(composed)).status).toBe(201)
  const other = (await signUp("other@example.com")).body.account.id
  await rows.run("update account_emails set email = $1 where account_id = $2", [decomposed, other])
  await rows.run(migration)
  const stored = await rows.run("select email from account_emails where account_id in ($1, $2)", [
    body.account.id,
    other,
  ])
  expect(stored.map(({ email }) => email).toSorted()).toEqual(["l\u00f3u@example.com", decomposed].toSorted())
})

test("a proved address gets the form from an unproved one that looks the same, and each signs in to its own account", async () => {
  const migration = await readFile(new URL("../../src/store/sql/0047_proved_twins.sql", import.meta.url), "utf8")
  const [spelled, form] = ["mo\u0301u@example.com", "m\u00f3u@example.com"]
  const signUpWith = async (email: string, password: string) =>
    (await call(server.url, "POST", "/v1/accounts/signup", { body: { email, password, name: "Mou" } })).body.account.id
  const squatter = await signUpWith(form, "the squatter's horse")
  const owner = await signUpWith("mou@example.com", PASSWORD)
  await rows.run("update account_emails set email = $1, verified_at = now() where account_id = $2", [spelled, owner])
  await rows.run(`begin; ${migration}; commit`)
  const stored = async (id: string) =>
    (await rows.run("select email from account_emails where account_id = $1", [id]))[0]
  expect([await stored(owner), await stored(squatter)]).toEqual([{ email: form }, { email: spelled }])
  const enter = async (email: string, password: string) => {
    const { status, body } = await call(server.url, "POST", "/v1/accounts/login", { body: { email, password } })
    return status === 200 ? body.account.id : status
  }
  expect([await enter(form, PASSWORD), await enter(form, "the squatter's horse")]).toEqual([owner, 401])
  expect([await enter(spelled, "the squatter's horse"), await enter(spelled, PASSWORD)]).toEqual([squatter, 401])
  await rows.run("delete from accounts where id = $1", [squatter])
  expect(await enter(spelled, PASSWORD)).toBe(owner)
})

test("a registration that kept its spelling beside one with the form is exported and erased by its own spelling", async () => {
  const { id, key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key, { visibility: "public" })
  const spelled = "rue@xn--bcher-kva.example"
  const insert = "insert into registrations (id, event_id, name, email) values (gen_random_uuid(), $1, 'Rue', $2)"
  for (const email of [spelled, "rue@b\u00fccher.example"]) await rows.run(insert, [event.id, email])
  const path = `/v1/workspaces/${id}/registrants`
  const exported = await call(server.url, "GET", `${path}/export?email=${spelled}`, { key })
  expect(exported.body.items.map(({ data }: { data: { email: string } }) => data.email)).toHaveLength(2)
  expect((await call(server.url, "DELETE", `${path}?email=${spelled}`, { key })).status).toBe(204)
  expect(await rows.run("select email from registrations where event_id = $1", [event.id])).toEqual([])
})
