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

/** Two spellings of one address, and its form. */
const spellingsOf = (name: string) => [`${name}@xn--bcher-kva.example`, `${name}@b\u00fccher.example`] as const

const register = (rows: Rows, event: string, email: string) =>
  rows.run("insert into registrations (id, event_id, name, email) values ($1, $2, 'N', $3)", [newId(), event, email])
const invite = (rows: Rows, workspace: string, email: string, status: string) =>
  rows.run(
    `insert into invites (id, workspace_id, kind, email, role, token_hash, status, expires_at)
     values ($1, $2, 'workspace', $3, 'member', sha256($4::text::bytea), $5, now())`,
    [newId(), workspace, email, newId(), status],
  )

test("every address gets the form that it is looked up by, in all tables, no row is lost, and of several rows of one address one has it", async () => {
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
    await register(rows, event, email)
    for (const status of ["pending", "revoked"]) await invite(rows, workspace, email, status)
  }
  const pairs: Array<{ readonly ids: readonly [string, string]; readonly expected: readonly [string, string] }> = []
  for (const [name, spelled, form, wins] of [
    // An unproved row keeps its spelling beside an unproved one.
    ["kim0", false, false, "form"],
    // A proved row takes the form from an unproved one.
    ["kim1", true, false, "spelled"],
    // A proved row keeps its spelling beside a proved one.
    ["kim2", true, true, "form"],
  ] as const) {
    const [one, two] = spellingsOf(name)
    const ids = [await account(rows, one, spelled), await account(rows, two, form)] as const
    pairs.push({ ids, expected: wins === "form" ? [one, two] : [two, one] })
  }
  const both = spellingsOf("kim")
  for (const email of both) {
    await register(rows, event, email)
    await invite(rows, workspace, email, "pending")
  }

  await migrate(url)
  const forms = stored.map(foldEmail).toSorted()
  // Otherwise the row that keeps its spelling hides in the comparison.
  expect(new Set(forms).size).toBe(forms.length)
  for (const from of [
    "account_emails where true",
    "users where true",
    "registrations where true",
    "invites where status = 'pending'",
    "invites where status = 'revoked'",
  ]) {
    const found = await rows.run(`select email from ${from} and email not like 'kim%'`, [])
    expect(found.map(({ email }) => String(email)).toSorted(), from).toEqual(forms)
  }
  const emails = new Map(
    (await rows.run("select account_id, email from account_emails", [])).map((row) => [
      row["account_id"],
      row["email"],
    ]),
  )
  for (const { ids, expected } of pairs) expect(ids.map((id) => emails.get(id))).toEqual(expected)
  const form = foldEmail(both[0])
  for (const table of ["registrations", "invites"]) {
    const found = (await rows.run(`select email from ${table} where email like 'kim@%'`, [])).map((row) =>
      String(row["email"]),
    )
    expect(found).toHaveLength(2)
    expect(found.filter((email) => email === form)).toHaveLength(1)
    expect(new Set(found.map(foldEmail))).toEqual(new Set([form]))
  }
})
