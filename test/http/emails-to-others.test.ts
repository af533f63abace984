/** Emails to addresses that somebody else chose: who may have them sent, and how many. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type Account,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  newEmail,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { ownServer, sharedServer } from "../support/shared.ts"

const DAILY = 5
const STRICT = { NODE_ENV: "production", PUBLIC_URL: "https://events.example.com", TRUSTED_PROXIES: "127.0.0.1" }

let mail: MailServer
let server: TestServer
let rows: Rows
beforeAll(async () => {
  mail = await startMailServer()
  server = await startTestServer({
    ...STRICT,
    SMTP_URL: mail.url,
    MAIL_FROM: "Events <events@example.com>",
    MAIL_PER_WORKSPACE_PER_DAY: String(DAILY),
    // A request that waits for its turn on a busy machine is not the subject.
    DATABASE_DEADLINE_MS: "60000",
  })
  rows = rowsOf(server.databaseUrl)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
  await mail.close()
})
/** In development, with one email a day. */
const relaxed = sharedServer(() => startTestServer({ MAIL_PER_WORKSPACE_PER_DAY: "1" }))

const api = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
  call(server.url, method, path, options)

const verify = async ({ email }: Account) => {
  const token = tokenIn(linkIn(await mail.next(email)).href)
  expect((await api("POST", "/v1/accounts/verify", { body: { token } })).status).toBe(200)
}
const provedWorkspace = async (): Promise<Workspace> => {
  const owner = await signup(server.url)
  await verify(owner)
  return createWorkspace(server.url, owner)
}
const inviting = ({ id }: { readonly id: string }) => `/v1/workspaces/${id}/invites`
const invite = (workspace: Workspace, fields: object = {}, headers: { readonly [name: string]: string } = {}) =>
  api("POST", inviting(workspace), { key: workspace.key, body: { email: newEmail(), ...fields }, headers })
const invitesOf = async ({ id }: Workspace) => rows.run("select email from invites where workspace_id = $1", [id])
const countOf = async ({ id }: Workspace): Promise<number> =>
  (await rows.run("select letters from workspace_letters where workspace_id = $1", [id]))[0]?.["letters"] ?? 0

const NOTES = {
  table: { number: 1, label: "Table 1" },
  summary: { tldr: "We agreed", themes: [], ideas: [], questions: [], perQuestion: [] },
  stats: null,
  people: [],
}
const putNotes = (workspace: Workspace, eventId: string, recipients: ReadonlyArray<object>, room = "a") =>
  api("PUT", `/v1/events/${eventId}/tables/${room}/summary`, { key: workspace.key, body: { ...NOTES, recipients } })

describe("an invitation by mail", () => {
  test("is refused, and nothing made or sent, until the account that asks has confirmed its address", async () => {
    const owner = await signup(server.url)
    const workspace = await createWorkspace(server.url, owner)
    const email = newEmail()
    const asked = [
      await api("POST", inviting(workspace), { cookie: owner.cookie, body: { email } }),
      await invite(workspace, { email }),
      await invite(workspace, { email, eventId: (await createEvent(server.url, workspace.key)).id }),
    ]
    expect(asked.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([403, "forbidden"]))
    expect(asked[0]?.body.detail).toContain("resend-verification")
    expect(asked[1]?.body.detail).toContain("owner")
    expect(await invitesOf(workspace)).toEqual([])
    expect(await countOf(workspace)).toBe(0)
    // A link is no email.
    expect((await api("POST", inviting(workspace), { cookie: owner.cookie, body: {} })).status).toBe(201)
    await verify(owner)
    expect((await api("POST", inviting(workspace), { cookie: owner.cookie, body: { email } })).status).toBe(201)
    expect((await invite(workspace)).status).toBe(201)
    await mail.next(email)
    expect(mail.received.filter(({ to }) => to === email)).toHaveLength(1)
  })

  test("by an admin needs the admin's own address, by a key that of any owner", async () => {
    const workspace = await provedWorkspace()
    const admin = await signup(server.url)
    const link = await api("POST", inviting(workspace), { key: workspace.key, body: { role: "admin" } })
    await api("POST", `/v1/invites/${tokenIn(link.body.inviteUrl)}/accept`, { cookie: admin.cookie })
    const asAdmin = () => api("POST", inviting(workspace), { cookie: admin.cookie, body: { email: newEmail() } })
    expect((await asAdmin()).status).toBe(403)
    expect((await invite(workspace)).status).toBe(201)
    await verify(admin)
    expect((await asAdmin()).status).toBe(201)
  })

  test("sent again needs it as well", async () => {
    const workspace = await provedWorkspace()
    const made = await invite(workspace)
    await rows.run("update account_emails set verified_at = null where account_id = $1", [workspace.owner.id])
    const again = await api("POST", `${inviting(workspace)}/${made.body.id}/resend`, { key: workspace.key })
    expect([again.status, again.body.code]).toEqual([403, "forbidden"])
  })

  test("does not use up the limit of an address when it is refused", async () => {
    const workspace = await createWorkspace(server.url)
    const email = newEmail()
    for (let time = 0; time < 5; time++) expect((await invite(workspace, { email })).status).toBe(403)
    const proved = await provedWorkspace()
    for (let time = 0; time < 5; time++) {
      expect((await invite(proved, { email, eventId: randomUUID() })).status).toBe(404)
    }
    const spent = await provedWorkspace()
    await Promise.all(Array.from({ length: DAILY }, () => invite(spent)))
    for (let time = 0; time < 5; time++) {
      expect((await invite(spent, { email })).body.detail).toContain("in a day")
    }
    expect((await invite(proved, { email })).status).toBe(201)
  })

  test("needs nothing of the kind in development, and is counted there too", async () => {
    const workspace = await createWorkspace(relaxed.url)
    const ask = () =>
      call(relaxed.url, "POST", inviting(workspace), { key: workspace.key, body: { email: newEmail() } })
    expect([(await ask()).status, (await ask()).status]).toEqual([201, 429])
  })
})

describe("a confirmation with own words of the event", () => {
  test("is counted, and goes without them once the emails of the day are used up", async () => {
    const { key } = await createWorkspace(relaxed.url)
    const event = await createEvent(relaxed.url, key, {
      title: "Launch",
      scheduledAt: "2030-05-01T10:00:00Z",
      description: "What is *new*",
      emailTexts: { confirmation: "**Bring** a laptop.", reminder: null },
    })
    await call(relaxed.url, "POST", `/v1/events/${event.id}/publish`, { key })
    const seen: unknown[] = []
    for (const email of [newEmail(), newEmail(), newEmail()]) {
      const body = { name: "Ada", email }
      const answer = await call(relaxed.url, "POST", `/v1/public/events/${event.id}/register`, { body })
      expect(answer.body).toEqual({ registered: true, alreadyRegistered: false })
      const { mails } = (await call(relaxed.url, "GET", `/v1/dev/outbox?to=${email}`)).body
      const whole = JSON.stringify(mails)
      seen.push([mails.length, mails[0].subject, whole.includes("Bring"), whole.includes("What is")])
      expect(mails[0].text).toContain("which begins on")
      expect(mails[0].calendar).toContain("METHOD:REQUEST")
    }
    const plain = [1, "Your place at Launch", false, false]
    expect(seen).toEqual([[1, "Your place at Launch", true, true], plain, plain])
  })
})

describe("a workspace's emails of a day", () => {
  test("are exactly as many as it may have, also all at once, and the rest leaves nothing", async () => {
    const workspace = await provedWorkspace()
    const answers = await Promise.all(Array.from({ length: DAILY + 4 }, () => invite(workspace)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(DAILY).fill(201), ...Array(4).fill(429)])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.code).toBe("rate_limited")
    const wait = Number(refused?.headers.get("retry-after"))
    const midnight = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000)
    expect(Math.abs(wait - midnight) % 86_400).toBeLessThan(60)
    expect(refused?.headers.get("ratelimit-policy")).toContain(`"workspaceMail";q=${DAILY};w=86400`)
    expect(await invitesOf(workspace)).toHaveLength(DAILY)
    expect(await countOf(workspace)).toBe(DAILY)
    expect((await api("POST", inviting(workspace), { key: workspace.key, body: {} })).status).toBe(201)
    expect((await invite(await provedWorkspace())).status).toBe(201)
  })

  test("begin anew with the next day, and not with one that was before", async () => {
    const workspace = await provedWorkspace()
    for (let time = 0; time < DAILY; time++) await invite(workspace)
    const move = (days: number) =>
      rows.run("update workspace_letters set day = day + $2::integer where workspace_id = $1", [workspace.id, days])
    await move(1)
    expect((await invite(workspace)).status).toBe(429)
    await move(-2)
    expect((await invite(workspace)).status).toBe(201)
    expect(await countOf(workspace)).toBe(1)
  })

  test("are those of ten workspaces at most, however many the same account founds", async () => {
    const owner = await signup(server.url)
    await verify(owner)
    const founded: Workspace[] = []
    for (let n = 0; n < 11; n++) founded.push(await createWorkspace(server.url, owner))
    for (const workspace of founded.slice(0, 10)) {
      await rows.run(
        "insert into workspace_letters (workspace_id, day, letters) values ($1, (now() at time zone 'utc')::date, $2)",
        [workspace.id, DAILY],
      )
    }
    const [first, last] = [founded[0] as Workspace, founded[10] as Workspace]
    const refused = await invite(last)
    expect([refused.status, refused.body.code, await countOf(last)]).toEqual([429, "rate_limited", 0])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(refused.body.detail).toContain("All workspaces of one founder")
    // Ownership changes nothing: neither in a workspace that another account founded, nor in one that the founder left.
    const other = await provedWorkspace()
    const makeOwner = (workspaceId: string, accountId: string) =>
      rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, 'owner')", [
        randomUUID(),
        workspaceId,
        accountId,
      ])
    await makeOwner(other.id, owner.id)
    await rows.run(
      "update workspace_members set joined_at = now() - interval '1 day' where workspace_id = $1 and account_id = $2",
      [other.id, owner.id],
    )
    expect((await invite(other)).status).toBe(201)
    await makeOwner(last.id, other.owner.id)
    expect((await api("DELETE", `/v1/workspaces/${last.id}/members/me`, { cookie: owner.cookie })).status).toBe(204)
    expect((await invite(last)).status).toBe(429)
    await rows.run("update workspace_letters set letters = letters - 1 where workspace_id = $1", [first.id])
    expect([(await invite(last)).status, (await invite(last)).status]).toEqual([201, 429])
  })

  test("count a repeat under the same key once, and not emails refused for another reason", async () => {
    const workspace = await provedWorkspace()
    const headers = { "idempotency-key": randomUUID() }
    const email = newEmail()
    const both = await Promise.all([invite(workspace, { email }, headers), invite(workspace, { email }, headers)])
    expect(both.some(({ status }) => status === 201)).toBe(true)
    const again = await invite(workspace, { email }, headers)
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"])
    expect((await invite(workspace, { eventId: randomUUID() })).status).toBe(404)
    expect(await countOf(workspace)).toBe(1)
  })

  test("have emails that are sent again among them", async () => {
    const workspace = await provedWorkspace()
    const made = await invite(workspace)
    const again = () => api("POST", `${inviting(workspace)}/${made.body.id}/resend`, { key: workspace.key })
    expect((await again()).status).toBe(200)
    expect(await countOf(workspace)).toBe(2)
  })

  test("have no entry links of people who registered among them", async () => {
    const workspace = await provedWorkspace()
    const event = await createEvent(server.url, workspace.key)
    await api("POST", `/v1/events/${event.id}/publish`, { key: workspace.key })
    for (let time = 0; time < DAILY + 1; time++) {
      const email = newEmail()
      const body = { name: "Ada", email }
      expect((await api("POST", `/v1/public/events/${event.id}/register`, { body })).status).toBe(200)
      await mail.next(email)
    }
    expect(await countOf(workspace)).toBe(0)
  })
})

describe("a registration, whose email bears the event's title", () => {
  const publishedEvent = async (url: string, { key }: Workspace): Promise<string> => {
    const event = await createEvent(url, key)
    await call(url, "POST", `/v1/events/${event.id}/publish`, { key })
    return event.id
  }
  const register = (url: string, eventId: string, email = newEmail()) =>
    call(url, "POST", `/v1/public/events/${eventId}/register`, { body: { name: "Ada", email } })

  test("is refused, and nothing stored, counted or sent, until an owner has confirmed their address", async () => {
    const owner = await signup(server.url)
    const workspace = await createWorkspace(server.url, owner)
    const eventId = await publishedEvent(server.url, workspace)
    const email = newEmail()
    for (let time = 0; time < 4; time++) {
      const refused = await register(server.url, eventId, email)
      expect([refused.status, refused.body.code]).toEqual([403, "forbidden"])
      expect(refused.body.detail).toContain("owner")
    }
    expect(await rows.run("select 1 from registrations where event_id = $1", [eventId])).toEqual([])
    await verify(owner)
    expect((await register(server.url, eventId, email)).body).toEqual({ registered: true, alreadyRegistered: false })
    await mail.next(email)
    expect(mail.received.filter(({ to }) => to === email)).toHaveLength(1)
  })

  test("is taken without it in development, and in production where no email is sent", async () => {
    const silent = await ownServer(STRICT)
    for (const other of [relaxed, silent]) {
      const workspace = await createWorkspace(other.url)
      const eventId = await publishedEvent(other.url, workspace)
      expect((await register(other.url, eventId)).status).toBe(200)
      const path = `/v1/events/${eventId}/registrations`
      const { registrations } = (await call(other.url, "GET", path, workspace)).body
      const again = await call(other.url, "POST", `${path}/${registrations[0].id}/resend`, workspace)
      expect([again.status, again.body]).toEqual([200, { sent: other !== silent }])
    }
  })
})

describe("the notes of a table", () => {
  test("go uncounted to people who registered or were there; to the latter from a proved sender alone", async () => {
    const workspace = await provedWorkspace()
    const event = await createLiveEvent(server.url, workspace.key, { phases: [{ modality: "breakout" }] })
    const registered = newEmail()
    await api("POST", `/v1/public/events/${event.id}/register`, { body: { name: "Ada", email: registered } })
    const person = await createPerson(server.url, workspace.key, event.id, "participant")
    const host = await createPerson(server.url, workspace.key, event.id, "host")
    const own = newEmail()
    const user = await rows.run("update users set email = $2 where id = $1 returning id", [person.userId, own])
    expect(user).toHaveLength(1)
    const address = `${server.url.replace("http", "ws")}/v1/gateway`
    const [guest, chair] = [new Client(address), new Client(address)]
    await guest.identify((await gatewayToken(server.url, event.id, person.session)).token)
    await chair.identify((await gatewayToken(server.url, event.id, host.session)).token)
    const planned = await chair.command("breakout.plan", { strategy: "balanced", size: 2 })
    const opened = await chair.command("breakout.open", { planId: planned.d.plan.id })
    expect(opened).toMatchObject({ ok: true })
    await guest.dispatch("assignment.updated")
    const stored = await putNotes(workspace, event.id, [
      { userId: "reg:1", email: registered },
      { userId: person.userId },
    ])
    expect(stored.body.recipients).toEqual([
      { userId: "reg:1", mailed: true },
      { userId: person.userId, mailed: true },
    ])
    await Promise.all([mail.next(own), guest.cut(), chair.cut()])
    expect(await countOf(workspace)).toBe(0)
    // The same participant at an address that the caller chose is somebody else.
    await putNotes(workspace, event.id, [{ userId: person.userId, email: newEmail() }], "b")
    expect(await countOf(workspace)).toBe(1)
    const late = newEmail()
    await api("POST", `/v1/public/events/${event.id}/register`, { body: { name: "Bo", email: late } })
    await rows.run("update account_emails set verified_at = null where account_id = $1", [workspace.owner.id])
    const unproved = await putNotes(workspace, event.id, [{ userId: person.userId }], "c")
    expect([unproved.status, unproved.body.code]).toEqual([403, "forbidden"])
    expect((await putNotes(workspace, event.id, [{ userId: "reg:2", email: late }], "d")).status).toBe(200)
  })

  test("to anybody else are emails to others: all or none, and never before the sender is proved", async () => {
    const stranger = await createWorkspace(server.url)
    const theirs = await createEvent(server.url, stranger.key)
    expect((await putNotes(stranger, theirs.id, [{ userId: "u", email: newEmail() }])).status).toBe(403)
    expect(await rows.run("select 1 from table_summaries where event_id = $1", [theirs.id])).toEqual([])
    expect((await putNotes(stranger, theirs.id, [{ userId: "u" }])).status).toBe(200)

    const workspace = await provedWorkspace()
    const event = await createEvent(server.url, workspace.key)
    const some = (count: number) => Array.from({ length: count }, () => ({ userId: randomUUID(), email: newEmail() }))
    expect((await putNotes(workspace, event.id, some(DAILY - 1))).status).toBe(200)
    const over = await putNotes(workspace, event.id, some(2), "b")
    expect([over.status, over.body.code]).toEqual([429, "rate_limited"])
    expect(await rows.run("select 1 from table_note_tokens where room_id = 'b' and event_id = $1", [event.id])).toEqual(
      [],
    )
    expect(await countOf(workspace)).toBe(DAILY - 1)
    expect((await putNotes(workspace, event.id, some(1), "b")).status).toBe(200)
  })
})
