/** Refusing emails that one did not ask for: the link in them, the page behind it, and what is sent afterwards. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, newEmail, signup, tokenIn, type Workspace } from "../support/api.ts"
import { linkIn, type MailServer, type ReceivedMail, startMailServer } from "../support/mail-server.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

const SITE = "https://events.example.com"

let mail: MailServer
let server: TestServer
let rows: Rows
let acme: Workspace
beforeAll(async () => {
  mail = await startMailServer()
  server = await startTestServer({
    NODE_ENV: "production",
    PUBLIC_URL: SITE,
    APP_URL: "https://app.example.com",
    SMTP_URL: mail.url,
    MAIL_FROM: "Events <events@example.com>",
  })
  rows = rowsOf(server.databaseUrl)
  acme = await provedWorkspace()
})
afterAll(async () => {
  await rows.end()
  await server.stop()
  await mail.close()
})

const provedWorkspace = async (): Promise<Workspace> => {
  const owner = await signup(server.url)
  const token = tokenIn(linkIn(await mail.next(owner.email)).href)
  await call(server.url, "POST", "/v1/accounts/verify", { body: { token } })
  return createWorkspace(server.url, owner)
}
const invite = ({ id, key }: Workspace, email: string) =>
  call(server.url, "POST", `/v1/workspaces/${id}/invites`, { key, body: { email } })

const header = ({ raw }: ReceivedMail, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "imu").exec(raw.split("\r\n\r\n")[0]?.replaceAll(/\r\n[ \t]+/g, " ") ?? "")?.[1]?.trim()

const PLACE = new RegExp(`^<${SITE}(/unsubscribe/[\\w-]{108})>$`, "u")
const refusalPath = (letter: ReceivedMail): string =>
  PLACE.exec(header(letter, "List-Unsubscribe") ?? "")?.[1] ?? "no such header"

/** An invited address and where it refuses more of the kind. */
const invited = async (workspace = acme) => {
  const email = newEmail()
  expect((await invite(workspace, email)).status).toBe(201)
  return { email, path: refusalPath(await mail.next(email)) }
}
const open = (path: string) => fetch(server.url + path)
const oneClick = (path: string) =>
  fetch(server.url + path, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) })

describe("an email that nobody asked for", () => {
  test("names the address at which a mail program refuses more, and the same link for its reader", async () => {
    const email = newEmail()
    await invite(acme, email)
    const letter = await mail.next(email)
    expect(header(letter, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click")
    const path = refusalPath(letter)
    expect(letter.raw.replaceAll(/=\r\n/g, "")).toContain(`${SITE}${path}`)
    const told = Buffer.from(path.split("/").at(-1) ?? "", "base64url").toString("latin1")
    expect(told).not.toContain(email.slice(0, 8))
  })

  test("is no email that somebody asked for themselves", async () => {
    const { email } = await signup(server.url)
    const event = await createEvent(server.url, acme.key)
    await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    const body = { name: "Ada", email }
    await call(server.url, "POST", `/v1/public/events/${event.id}/register`, { body })
    for (const letter of [await mail.next(email), await mail.next(email)]) {
      expect(header(letter, "List-Unsubscribe")).toBeUndefined()
    }
  })
})

describe("refusing", () => {
  test("takes a press of the button: a page that is only opened changes nothing", async () => {
    const { email, path } = await invited()
    for (let visit = 0; visit < 2; visit++) {
      const shown = await open(path)
      expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("No more invitations")])
    }
    expect((await invite(acme, email)).body).not.toHaveProperty("mailed")
    await mail.next(email)
    const done = await fetch(server.url + path, { method: "POST", body: new URLSearchParams({ action: "refuse" }) })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining("gets no more invitations")])
    expect(await (await open(path)).text()).toContain("gets no more invitations")
  })

  test("by a mail program counts too, as either kind of form, again and all at once", async () => {
    const { email, path } = await invited()
    const form = new FormData()
    form.set("List-Unsubscribe", "One-Click")
    const answers = await Promise.all([
      oneClick(path),
      oneClick(path),
      fetch(server.url + path, { method: "POST", body: form }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await oneClick(path)).status).toBe(200)
    expect((await invite(acme, email)).body.mailed).toBe(false)
  })

  test("keeps the email back and not the invite: its link is answered, and nothing is counted", async () => {
    const { email, path } = await invited()
    await oneClick(path)
    const count = () => rows.run("select letters from workspace_letters where workspace_id = $1", [acme.id])
    const before = await count()
    const made = await invite(acme, email.toUpperCase())
    expect([made.status, made.body.mailed, made.body.inviteUrl]).toEqual([
      201,
      false,
      expect.stringMatching(/^https:\/\/app\.example\.com\/invite#token=\w{43}$/),
    ])
    const again = await call(server.url, "POST", `/v1/workspaces/${acme.id}/invites/${made.body.id}/resend`, {
      key: acme.key,
    })
    expect([again.status, again.body.mailed]).toEqual([200, false])
    expect(await count()).toEqual(before)
    // A later email to somebody else has come, so the refused ones are not on their way.
    await invited()
    expect(mail.received.filter(({ to }) => to === email)).toHaveLength(1)
  })

  test("is about one kind of email of one workspace, and can be taken back", async () => {
    const { email, path } = await invited()
    await oneClick(path)
    const other = await provedWorkspace()
    expect((await invite(other, email)).body).not.toHaveProperty("mailed")
    await mail.next(email)
    const event = await createEvent(server.url, acme.key)
    const notes = {
      table: { number: 1, label: "Table 1" },
      summary: { tldr: "We agreed", themes: [], ideas: [], questions: [], perQuestion: [] },
      stats: null,
      people: [],
      recipients: [{ userId: "u", email }],
    }
    const put = (room: string) =>
      call(server.url, "PUT", `/v1/events/${event.id}/tables/${room}/summary`, { key: acme.key, body: notes })
    expect((await put("a")).body.recipients).toEqual([{ userId: "u", mailed: true }])
    const ofNotes = refusalPath(await mail.next(email))
    expect(await (await open(ofNotes)).text()).toContain("notes of tables")
    await oneClick(ofNotes)
    expect((await put("b")).body.recipients).toEqual([{ userId: "u", mailed: false, url: expect.any(String) }])
    const back = await fetch(server.url + path, { method: "POST", body: new URLSearchParams({ action: "resume" }) })
    expect(back.status).toBe(200)
    expect((await invite(acme, email)).body).not.toHaveProperty("mailed")
    await mail.next(email)
  })

  test("needs a link that this server signed, for exactly its address and kind", async () => {
    const [mine, theirs] = [await invited(), await invited()]
    const bytes = (path: string) => Buffer.from(path.split("/").at(-1) ?? "", "base64url")
    const [one, two] = [bytes(mine.path), bytes(theirs.path)]
    const SIGNATURE = 32
    const mixed = Buffer.concat([one.subarray(0, -SIGNATURE), two.subarray(-SIGNATURE)])
    const otherKind = Buffer.from(one)
    otherKind.writeUInt8(1, 16)
    for (const token of [
      mixed.toString("base64url"),
      otherKind.toString("base64url"),
      "nonsense",
      "%00",
      "x".repeat(108),
    ]) {
      expect([(await open(`/unsubscribe/${token}`)).status, (await oneClick(`/unsubscribe/${token}`)).status]).toEqual([
        404, 404,
      ])
    }
    expect((await invite(acme, mine.email)).body).not.toHaveProperty("mailed")
  })

  test("leaves no address behind", async () => {
    const { email, path } = await invited()
    await oneClick(path)
    const stored = await rows.run(
      "select workspace_id, kind, encode(address_hash, 'escape') as hash from letter_refusals",
    )
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored)).not.toContain(email)
  })
})
