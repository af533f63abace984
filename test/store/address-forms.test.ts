/** The migration that gives addresses of internationalised domains their one form, on rows that older builds have stored. */
import { cp, mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { foldEmail } from "../../src/model/text/email.ts"
import { migrate } from "../../src/store/migrate.ts"
import { createEmptyDatabase } from "../support/database.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const OWN = "0054"

/** A database of the build before the migration; functions are of no account here. */
const openOld = async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, "functions"))
  const source = fileURLToPath(new URL("../../src/store/sql/", import.meta.url))
  for (const entry of await readdir(source))
    if (entry < OWN) await cp(join(source, entry), join(folder, entry), { recursive: true })
  const { url, drop } = await createEmptyDatabase()
  await migrate(url, pathToFileURL(`${folder}/`))
  const rows = rowsOf(url)
  onTestFinished(async () => {
    await rows.end()
    await drop()
  })
  const [workspace, event] = [newId(), newId()]
  await rows.run("insert into workspaces (id, name, slug) values ($1, 'W', 'w-w')", [workspace])
  await rows.run(
    `insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
     values ($1, $2, 't', 'T', 'scheduled', 'public', false, false, '{}')`,
    [event, workspace],
  )
  return { url, rows, workspace, event }
}

const account = async (rows: Rows, email: string, isProved = false): Promise<string> => {
  const id = newId()
  await rows.run("insert into accounts (id, name) values ($1, 'A')", [id])
  const insert = `insert into account_emails (id, account_id, email, verified_at, is_primary)
                  values ($1, $2, $3, case when $4 = 1 then now() end, true)`
  await rows.run(insert, [newId(), id, email, Number(isProved)])
  return id
}

/** Also domains that are none, that mix directions, whose Punycode is wrong or not canonical, or that have only variants of letters. */
const HOSTILE = [
  "a@xn--bcher-kva.example",
  "b@b\u00fccher.example",
  "c@mail.xn--bcher-kva.xn--p1ai",
  "d@xn--4dbcagdahymbxekheh6e0a7fei0b.example",
  "e@xn--fa-hia.example",
  "f@xn--.example",
  "g@xn--\u00fc.example",
  "h@xn--a.example",
  "i@xn--zca-ab.example",
  "j@xn--99999999999.example",
  "k@\uff42ook.example",
  "l@b\u0075\u0308cher.example",
  "m@xn--80ak6aa92e.example",
  "n@xn--n8s.example",
  "o@xn--xn---epa.example",
  "p@\u{1f600}.example",
  "q@xn--e28h.example",
  "k\u0301@xn--bcher-kva.example",
  "xn--bcher-kva@plain.example",
  "\u0130@\u0131.example",
  "r@a\u200db.example",
  "s@xn--ab-m1t.example",
  "t@example\u3002com",
  "no at xn--bcher-kva.example",
  "plain@example.com",
]

test("every address gets the form that it is looked up by, in all tables, and no row is lost", async () => {
  const { url, rows, workspace, event } = await openOld()
  // An older build stored no other: the table requires it.
  const stored = (
    await rows.run("select lower(word) as email from jsonb_array_elements_text($1::text::jsonb) word", [
      JSON.stringify(HOSTILE),
    ])
  ).map(({ email }) => String(email))
  for (const email of stored) {
    await account(rows, email)
    await rows.run("insert into users (id, workspace_id, external_sub, email) values ($1, $2, $3, $3)", [
      newId(),
      workspace,
      email,
    ])
    await rows.run("insert into registrations (id, event_id, name, email) values ($1, $2, 'N', $3)", [
      newId(),
      event,
      email,
    ])
    for (const status of ["pending", "revoked"]) {
      await rows.run(
        `insert into invites (id, workspace_id, kind, email, role, token_hash, status, expires_at)
         values ($1, $2, 'workspace', $3, 'member', sha256($4::text::bytea), $5, now())`,
        [newId(), workspace, email, newId(), status],
      )
    }
  }
  await migrate(url)
  const forms = stored.map(foldEmail).toSorted()
  // Otherwise the row that keeps its spelling hides in the comparison.
  expect(new Set(forms).size).toBe(forms.length)
  for (const from of [
    "account_emails",
    "users",
    "registrations",
    "invites where status = 'pending'",
    "invites where status = 'revoked'",
  ]) {
    const found = await rows.run(`select email from ${from}`, [])
    expect(found.map(({ email }) => String(email)).toSorted(), from).toEqual(forms)
  }
})

const [SPELLED, FORM] = ["kim@xn--bcher-kva.example", "kim@b\u00fccher.example"] as const

test.each([
  { title: "an unproved row keeps its spelling beside an unproved one", spelled: false, form: false, wins: "form" },
  { title: "a proved row takes the form from an unproved one", spelled: true, form: false, wins: "spelled" },
  { title: "a proved row keeps its spelling beside a proved one", spelled: true, form: true, wins: "form" },
])("of two accounts of one address: $title", async ({ spelled, form, wins }) => {
  const { url, rows } = await openOld()
  const ids = [await account(rows, SPELLED, spelled), await account(rows, FORM, form)] as const
  await migrate(url)
  const emails = new Map(
    (await rows.run("select account_id, email from account_emails", [])).map((row) => [
      row["account_id"],
      row["email"],
    ]),
  )
  expect(ids.map((id) => emails.get(id))).toEqual(wins === "form" ? [SPELLED, FORM] : [FORM, SPELLED])
})

test("of two registrations and two open invites of one address both stay, and one has the form", async () => {
  const { url, rows, workspace, event } = await openOld()
  const other = "kim@B\u00fccher.xn--p1ai"
  const spellings = ["kim@xn--bcher-kva.xn--p1ai", other.toLowerCase()]
  for (const email of spellings) {
    await rows.run("insert into registrations (id, event_id, name, email) values ($1, $2, 'N', $3)", [
      newId(),
      event,
      email,
    ])
    await rows.run(
      `insert into invites (id, workspace_id, kind, email, role, token_hash, expires_at)
       values ($1, $2, 'workspace', $3, 'member', sha256($4::text::bytea), now())`,
      [newId(), workspace, email, newId()],
    )
  }
  await migrate(url)
  const form = foldEmail(spellings[0] ?? "")
  for (const table of ["registrations", "invites"]) {
    const found = (await rows.run(`select email from ${table}`, [])).map(({ email }) => String(email))
    expect(found).toHaveLength(2)
    expect(found.filter((email) => email === form)).toHaveLength(1)
    expect(new Set(found.map(foldEmail))).toEqual(new Set([form]))
  }
})
