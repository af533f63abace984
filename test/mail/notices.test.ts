/** Notices of changed events on a real database: who is told, of what, when, and that nobody is told twice. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import ICAL from "ical.js"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { issueLinks } from "../../src/identity/accounts/entry.ts"
import { EmailRefusals } from "../../src/mail/email-refusals.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { noticeSteps } from "../../src/mail/notices.ts"
import { newId } from "../../src/model/ids.ts"
import type { RegistrationState } from "../../src/model/registration.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database } from "../../src/store/database.ts"
import { insertManyRegistrations } from "../../src/store/events/imports.ts"
import { insertRegistration } from "../../src/store/events/registrations.ts"
import { insertRefusal } from "../../src/store/mail/emails.ts"
import { eraseRegistrant } from "../../src/store/personal/erasures.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { openStore, type TestSql } from "../support/store.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let database: TestDatabase
let sql: TestSql
beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url)
})
beforeEach(async () => {
  await sql`delete from workspaces`
})
afterEach(async () => {
  await sql`delete from mails`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const APP = "https://app.example.com"
const API = "https://api.example.com"

const openNode = async ({ url = database.url, keep = true, mailPerWorkspacePerDay = 200 } = {}) => {
  const telemetry = Telemetry.layer("silent")
  const kernel = Database.layer({ url: Redacted.make(url), connections: 2, deadlineMs: DATABASE_DEADLINE_MS }).pipe(
    Layer.provideMerge(telemetry),
  )
  const mailer = Mailer.layer({ sealingKeys: [new Uint8Array(32).fill(7)], smtp: null, keep })
  const refusals = EmailRefusals.layer([new Uint8Array(32).fill(8)], new Uint8Array(32).fill(9))
  const runtime = ManagedRuntime.make(Layer.mergeAll(mailer, refusals).pipe(Layer.provideMerge(kernel)))
  onTestFinished(() => runtime.dispose())
  const { step } = await runtime.runPromise(
    noticeSteps({
      appUrl: APP,
      publicUrl: API,
      mailPerWorkspacePerDay,
      links: (tx, eventId, registrationId) =>
        issueLinks(tx, { appUrl: APP, publicUrl: API }, { eventId, registrationId }),
    }),
  )
  const stepAt = (now: number) => runtime.runPromise(step(now))
  return {
    use: <A>(body: Effect.Effect<A, unknown, Mailer | EmailRefusals | Database | Telemetry>) =>
      runtime.runPromise(body),
    stepAt,
    /** All that is due so long after now. */
    tell: async (later = 3 * MINUTE): Promise<void> => {
      while ((await stepAt(Date.now() + later)) === "posted");
    },
    letters: async () =>
      (await runtime.runPromise(Effect.flatMap(Mailer, ({ outbox }) => outbox(null)))).toSorted((a, b) =>
        a.to.localeCompare(b.to),
      ),
  }
}

const START = toTimestamp(Date.parse("2030-05-01T10:00:00Z"))
const LATER = toTimestamp(Date.parse("2030-05-02T18:30:00Z"))
const LATEST = toTimestamp(Date.parse("2030-06-03T08:00:00Z"))

/** A published event of its own workspace, for which these people registered. */
const newEvent = async (
  people: ReadonlyArray<string>,
  fields: { readonly [column: string]: unknown } = {},
): Promise<{ readonly id: string; readonly workspaceId: string }> => {
  const [id, workspaceId] = [newId(), newId()]
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Acme "Events"; GmbH', ${`acme-${id}`})`
  const row = { status: "scheduled", visibility: "public", scheduled_at: START, scheduled_end_at: null, ...fields }
  await sql`
    insert into events (id, workspace_id, type, title, allow_anonymous_voting, allow_anonymous_questions, metadata,
                        status, visibility, scheduled_at, scheduled_end_at, published_at)
    values (${id}, ${workspaceId}, 'webinar', 'Launch', false, false, '{"description": "What is new"}',
            ${row.status}, ${row.visibility}, ${row.scheduled_at}, ${row.scheduled_end_at}, now())`
  for (const email of people) await register(id, email)
  return { id, workspaceId }
}
const register = (eventId: string, email: string, state: RegistrationState = "approved") =>
  insertRegistration(sql, { id: newId(), eventId, name: `Name of ${email}`, email, state })
/** Registers people as the workspace does by an import. */
const add = (eventId: string, emails: ReadonlyArray<string>) =>
  insertManyRegistrations(
    sql,
    eventId,
    emails.map((email) => ({ id: newId(), name: `Name of ${email}`, email })),
  )
const invite = (event: { readonly id: string; readonly workspaceId: string }, email: string, status = "pending") => sql`
  insert into invites (id, workspace_id, event_id, kind, email, role, token_hash, status, created_at, expires_at)
  values (${newId()}, ${event.workspaceId}, ${event.id}, 'event', ${email}, 'speaker',
          ${Buffer.from(newId())}, ${status}, clock_timestamp(), now() + interval '7 days')`
const change = (id: string, fields: { readonly [column: string]: unknown }) =>
  sql`select update_event(${sql.json({ id, ...fields })})`
const move = (id: string, scheduledAt: string | null) =>
  sql`update events set scheduled_at = ${scheduledAt} where id = ${id}`
const crowd = (size: number) =>
  Array.from({ length: size }, (_, n) => `person-${String(n).padStart(3, "0")}@example.com`)

/** Each reader's story: the known and the new time of each letter, the first letter first. */
const stories = async (node: Awaited<ReturnType<typeof openNode>>) => {
  const told = new Map<string, string[]>()
  for (const { to, text } of (await node.letters()).toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))) {
    const days = Array.from(text.matchAll(/(\d+ \w+) 2030/g), ([, day]) => day).join(" > ")
    told.set(to, [...(told.get(to) ?? []), days])
  }
  return told
}

/** The entry of a calendar file, as another program reads it. */
const entryIn = (file: string | null | undefined) => {
  const calendar = new ICAL.Component(ICAL.parse(file ?? ""))
  const [entry] = calendar.getAllSubcomponents("vevent")
  if (entry === undefined) throw new Error("no entry")
  const value = (name: string) => String(entry.getFirstPropertyValue(name))
  return {
    method: calendar.getFirstPropertyValue("method"),
    uid: value("uid"),
    sequence: Number(value("sequence")),
    status: value("status"),
    start: new ICAL.Event(entry).startDate.toJSDate().toISOString(),
    description: value("description"),
    attendee: value("attendee").toLowerCase(),
  }
}

describe("people without a place", () => {
  const STATES = ["approved", "pending", "waiting", "offered", "declined", "expired"] as const
  const withAll = async () => {
    const event = await newEvent([])
    for (const state of STATES) await register(event.id, `${state}@example.com`, state)
    return event
  }

  test("are not told that an event is moved, but that it is cancelled and takes place after all", async () => {
    const node = await openNode()
    const event = await withAll()
    await move(event.id, LATER)
    await node.tell()
    expect((await node.letters()).map(({ to }) => to)).toEqual(["approved@example.com"])
    await sql`delete from mails`
    await sql`update events set cancelled_at = now() where id = ${event.id}`
    await node.tell()
    const hoping = ["approved", "offered", "pending", "waiting"]
    expect((await node.letters()).map(({ to, subject }) => [to, subject])).toEqual(
      hoping.map((state) => [`${state}@example.com`, "Cancelled: Launch"]),
    )
    const links = new Map((await node.letters()).map(({ to, links: own }) => [to, own[0]?.replace(/token=.*/, "")]))
    expect(links.get("approved@example.com")).toBe(`${APP}/enter/${event.id}#`)
    expect(links.get("waiting@example.com")).toBe(`${API}/place/${event.id}#`)
    await sql`delete from mails`
    await sql`update events set cancelled_at = null where id = ${event.id}`
    await node.tell()
    expect((await node.letters()).map(({ to }) => to)).toEqual(hoping.map((state) => `${state}@example.com`))
  })

  test("get no calendar file, because their calendars do not have the event", async () => {
    const node = await openNode()
    const event = await withAll()
    for (const [cancelledAt, method] of [
      [toTimestamp(Date.now()), "CANCEL"],
      [null, "REQUEST"],
    ] as const) {
      await change(event.id, { cancelled_at: cancelledAt })
      await node.tell()
      const letters = await node.letters()
      expect(letters).toHaveLength(4)
      for (const { to, calendar, text } of letters) {
        const hasPlace = to === "approved@example.com"
        expect([to, calendar === null ? null : entryIn(calendar).method]).toEqual([to, hasPlace ? method : null])
        expect(text.includes("The attached file")).toBe(hasPlace)
      }
      await sql`delete from mails`
    }
  })

  test("who are invited too are told once, of a cancellation, its end and a deletion as registered people", async () => {
    const node = await openNode()
    const event = await withAll()
    for (const state of STATES) await invite(event, `${state}@example.com`)
    /** Who is told as registered, and who as invited. */
    const told = async () => {
      await node.tell()
      const letters = await node.letters()
      await sql`delete from mails`
      const as = (why: string) => letters.filter(({ text }) => text.includes(why)).map(({ to }) => to.split("@")[0])
      return [as("you registered for the event"), as("you are invited to the event")]
    }
    const hoping = ["approved", "offered", "pending", "waiting"]
    await move(event.id, LATER)
    expect(await told()).toEqual([["approved"], ["declined", "expired", "offered", "pending", "waiting"]])
    await change(event.id, { cancelled_at: toTimestamp(Date.now()) })
    expect(await told()).toEqual([hoping, ["declined", "expired"]])
    await change(event.id, { cancelled_at: null })
    expect(await told()).toEqual([hoping, ["declined", "expired"]])
    await sql`delete from events where id = ${event.id}`
    expect(await told()).toEqual([hoping, ["declined", "expired"]])
  })

  test("are told of the deletion, unless they were declined or missed an offer", async () => {
    const node = await openNode()
    const event = await withAll()
    await sql`delete from events where id = ${event.id}`
    await node.tell()
    // Only who had a place has an entry in their calendar.
    expect((await node.letters()).map(({ to, calendar }) => [to, calendar !== null])).toEqual([
      ["approved@example.com", true],
      ["offered@example.com", false],
      ["pending@example.com", false],
      ["waiting@example.com", false],
    ])
  })
})

describe("an event that is moved", () => {
  test("is told once with the old and the new time, the person's links and a calendar file", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await move(event.id, LATER)
    await node.tell(MINUTE)
    expect(await node.letters()).toEqual([])
    await node.tell()
    await node.tell(DAY)
    const [letter, ...more] = await node.letters()
    expect(more).toEqual([])
    expect(letter).toMatchObject({ to: "ada@example.com", subject: "New date: Launch" })
    expect(letter?.text).toContain("It was to begin on Wednesday, 1 May 2030 at 10:00 UTC.")
    expect(letter?.text).toContain("It now begins on Thursday, 2 May 2030 at 18:30 UTC.")
    expect(letter?.links.map((link) => link.replace(/token=.*/, ""))).toEqual([
      `${APP}/enter/${event.id}#`,
      `${API}/leave/${event.id}#`,
    ])
    expect(entryIn(letter?.calendar)).toEqual({
      method: "REQUEST",
      uid: `${event.id}@gathercue`,
      sequence: 1,
      status: "CONFIRMED",
      start: LATER,
      description: `What is new\n\n${letter?.links[0]}`,
      attendee: "mailto:ada@example.com",
    })
    expect(await sql`select 1 from event_notices`).toEqual([])
  })

  test("several times is told once after the last change, from what people knew, and after ten minutes in any case", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await move(event.id, LATEST)
    await change(event.id, { title: "Start" })
    await move(event.id, LATER)
    await sql`update registrations set created_at = created_at - interval '1 hour'`
    await sql`update event_notices set since = since - interval '9 minutes'`
    await node.tell(MINUTE)
    const [letter, ...more] = await node.letters()
    expect(more).toEqual([])
    expect(letter?.text).toContain("It was to begin on Wednesday, 1 May 2030 at 10:00 UTC.")
    expect(letter?.text).toContain("It now begins on Thursday, 2 May 2030 at 18:30 UTC.")
    expect(letter?.text).toContain('It was called "Launch".')
    expect(entryIn(letter?.calendar).sequence).toBe(3)
  })

  test("and moved back is told to nobody but those who came in between", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await move(event.id, LATER)
    await register(event.id, "between@example.com")
    await move(event.id, START)
    await register(event.id, "late@example.com")
    await node.tell()
    const letters = await node.letters()
    expect(letters.map(({ to }) => to)).toEqual(["between@example.com"])
    expect(letters[0]?.text).toContain("It begins on Wednesday, 1 May 2030 at 10:00 UTC.")
    expect(letters[0]?.text).not.toContain("2 May")
  })

  test("is not told to people who registered afterwards", async () => {
    const node = await openNode()
    const event = await newEvent([])
    await move(event.id, LATER)
    await register(event.id, "late@example.com")
    await node.tell()
    expect(await node.letters()).toEqual([])
  })

  test("without a date is postponed, and told again once it has one", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await move(event.id, null)
    await node.tell()
    const [postponed] = await node.letters()
    expect(postponed?.subject).toBe("Postponed: Launch")
    expect(postponed?.text).toContain("does not begin on Wednesday, 1 May 2030 at 10:00 UTC.")
    expect(postponed?.text).toContain("The new date is not known yet.")
    expect(entryIn(postponed?.calendar)).toMatchObject({
      method: "CANCEL",
      status: "CANCELLED",
      start: START,
      sequence: 1,
    })
    await sql`delete from mails`
    await move(event.id, LATER)
    await node.tell()
    const [dated] = await node.letters()
    expect(dated?.subject).toBe("New date: Launch")
    expect(dated?.text).toContain('"Launch" has a date.')
    expect(entryIn(dated?.calendar)).toMatchObject({
      method: "REQUEST",
      status: "CONFIRMED",
      start: LATER,
      sequence: 2,
    })
  })

  test("by its end alone, or by its title alone, is told", async () => {
    const node = await openNode()
    const [longer, renamed] = [await newEvent(["ada@example.com"]), await newEvent(["bob@example.com"])]
    await change(longer.id, { scheduled_end_at: toTimestamp(Date.parse(START) + 3 * HOUR) })
    await change(renamed.id, { title: "Kick-off" })
    await node.tell()
    const [ada, bob] = await node.letters()
    expect(ada?.subject).toBe("Changed: Launch")
    expect(ada?.text).toContain("It is planned to end on Wednesday, 1 May 2030 at 13:00 UTC.")
    expect(ada?.text).not.toContain("was called")
    expect(bob?.subject).toBe("Changed: Kick-off")
    expect(bob?.text).toContain('It was called "Launch".')
  })

  test.each([
    ["a draft", { status: "draft" }],
    ["a live event", { status: "live" }],
    ["an ended event", { status: "ended" }],
  ])("is not told of %s", async (_, fields) => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"], fields)
    await move(event.id, LATER)
    await node.tell()
    expect(await node.letters()).toEqual([])
  })

  test("and went live before the email is told all the same, and one that is over is not", async () => {
    const node = await openNode()
    const [live, over] = [await newEvent(["ada@example.com"]), await newEvent(["bob@example.com"])]
    for (const { id } of [live, over]) await move(id, LATER)
    await change(live.id, { status: "live" })
    await change(over.id, { status: "ended" })
    await node.tell()
    expect((await node.letters()).map(({ to }) => to)).toEqual(["ada@example.com"])
    expect(await sql`select 1 from event_notices`).toEqual([])
  })

  test("is not told of changes that no calendar shows, though its description counts in the calendar", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    const sequence = async () => (await sql`select calendar_sequence as n from events where id = ${event.id}`)[0]?.["n"]
    await change(event.id, {
      capacity: 5,
      reminders: false,
      visibility: "unlisted",
      metadata: { description: "What is new", a: 1 },
    })
    expect(await sequence()).toBe(0)
    await change(event.id, { metadata: { description: "Other" } })
    expect(await sequence()).toBe(1)
    await node.tell()
    expect(await node.letters()).toEqual([])
  })
})

describe("an event that is cancelled", () => {
  const cancel = (id: string, reason: string | null = null) =>
    change(id, { cancelled_at: toTimestamp(Date.now()), cancel_reason: reason })

  test("is told once with the reason, and a file that takes it out of calendars", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await cancel(event.id, "The speaker is ill.\nWe are sorry.")
    await change(event.id, { title: "Launch (cancelled)" })
    await node.tell()
    await change(event.id, { title: "Launch, cancelled" })
    await node.tell()
    const [letter, ...more] = await node.letters()
    expect(more).toEqual([])
    expect(letter?.subject).toBe("Cancelled: Launch (cancelled)")
    expect(letter?.text).toContain("which was to begin on Wednesday, 1 May 2030 at 10:00 UTC, is cancelled.")
    expect(letter?.text).toContain("The organiser says why: The speaker is ill. We are sorry.")
    expect(letter?.links).toHaveLength(1)
    expect(entryIn(letter?.calendar)).toMatchObject({
      method: "CANCEL",
      status: "CANCELLED",
      start: START,
      sequence: 2,
    })
  })

  test("and reinstated at once is told to nobody, and later takes place after all", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    const reinstate = () => change(event.id, { cancelled_at: null, cancel_reason: null })
    await cancel(event.id)
    await reinstate()
    await node.tell()
    expect(await node.letters()).toEqual([])
    await cancel(event.id)
    await node.tell()
    await sql`delete from mails`
    await reinstate()
    await node.tell()
    const [letter] = await node.letters()
    expect(letter?.subject).toBe("Takes place: Launch")
    expect(letter?.text).toContain("was cancelled, and takes place after all.")
    expect(letter?.text).toContain("It begins on Wednesday, 1 May 2030 at 10:00 UTC.")
    expect(entryIn(letter?.calendar)).toMatchObject({ method: "REQUEST", status: "CONFIRMED", sequence: 4 })
  })

  test("without a date is told without a file", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"], { scheduled_at: null })
    await cancel(event.id)
    await node.tell()
    expect((await node.letters()).map(({ subject, calendar }) => [subject, calendar])).toEqual([
      ["Cancelled: Launch", null],
    ])
  })

  test("by its deletion is told like a cancellation, once", async () => {
    const node = await openNode()
    const event = await newEvent(crowd(45))
    await invite(event, "speaker@example.com")
    await move(event.id, LATER)
    await sql`delete from events where id = ${event.id}`
    await node.tell()
    await node.tell(DAY)
    const letters = await node.letters()
    expect(letters.map(({ to }) => to)).toEqual([...crowd(45), "speaker@example.com"])
    expect(letters[0]?.text).toContain("which was to begin on Thursday, 2 May 2030 at 18:30 UTC, is cancelled.")
    expect(letters[0]?.links).toEqual([])
    expect(entryIn(letters[0]?.calendar)).toMatchObject({ method: "CANCEL", start: LATER, sequence: 2 })
    expect(await sql`select 1 from event_notices union all select 1 from notice_readers`).toEqual([])
  })

  test("by its deletion is not told to a person who was erased meanwhile", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com", "bob@example.com"])
    await sql`delete from events where id = ${event.id}`
    expect(await eraseRegistrant(sql, { workspaceId: newId(), email: "ada@example.com" }, Date.now())).toBeUndefined()
    const erased = await eraseRegistrant(sql, { workspaceId: event.workspaceId, email: "ada@example.com" }, Date.now())
    expect(erased?.participantIds).toEqual([])
    await node.tell()
    expect((await node.letters()).map(({ to }) => to)).toEqual(["bob@example.com"])
  })

  test("and deleted is told to those who were not told of the cancellation yet", async () => {
    const node = await openNode()
    const event = await newEvent(crowd(30))
    await cancel(event.id, "No speaker")
    expect(await node.stepAt(Date.now() + 3 * MINUTE)).toBe("posted")
    await sql`delete from events where id = ${event.id}`
    await node.tell()
    const letters = await node.letters()
    expect(letters.map(({ to }) => to)).toEqual(crowd(30))
    for (const { text } of letters) expect(text).toContain("No speaker")
  })

  test.each([
    ["a draft", { status: "draft" }],
    ["an ended event", { status: "ended" }],
    ["an event whose time is long past", { scheduled_at: toTimestamp(Date.now() - 2 * DAY) }],
  ])("by the deletion of %s is not told", async (_, fields) => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"], fields)
    await sql`delete from events where id = ${event.id}`
    await node.tell()
    expect(await node.letters()).toEqual([])
  })

  test("by the end of its workspace is not told", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await sql`update workspaces set deleted_at = now() where id = ${event.workspaceId}`
    await sql`delete from events where id = ${event.id}`
    expect(await sql`select 1 from event_notices`).toEqual([])
    await node.tell()
    expect(await node.letters()).toEqual([])
  })
})

describe("invited people", () => {
  test("are told of the event's page, and may refuse", async () => {
    const node = await openNode()
    const event = await newEvent(["both@example.com"])
    for (const email of ["both@example.com", "guest@example.com", "refuses@example.com"]) await invite(event, email)
    await invite(event, "gone@example.com", "revoked")
    await invite(event, "declined@example.com", "declined")
    const refusal = await node.use(
      Effect.map(EmailRefusals, ({ tokenFor, read }) =>
        read(tokenFor({ workspaceId: event.workspaceId, kind: "invitation", email: "refuses@example.com" })),
      ),
    )
    if (refusal === undefined) throw new Error("the token is not read")
    await insertRefusal(sql, refusal)
    await move(event.id, LATER)
    await node.tell()
    const letters = await node.letters()
    expect(letters.map(({ to }) => to)).toEqual(["both@example.com", "guest@example.com"])
    expect(letters[0]?.text).toContain("you registered for the event")
    expect(letters[1]?.links).toEqual([`${APP}/enter/${event.id}`])
    expect(letters[1]?.text).toContain("you are invited to the event")
    expect(letters[1]?.text).toMatch(
      /No more invitations from this workspace:\nhttps:\/\/api.example.com\/unsubscribe\//,
    )
  })

  test("count in the workspace's emails of the day; the rest is told the next day, and registered people at once", async () => {
    const node = await openNode({ mailPerWorkspacePerDay: 2 })
    const event = await newEvent(["ada@example.com"])
    const invited = ["i-1@example.com", "i-2@example.com", "i-3@example.com"]
    for (const email of invited) await invite(event, email)
    await move(event.id, LATER)
    await node.tell()
    await node.tell(4 * MINUTE)
    expect((await node.letters()).map(({ to }) => to)).toEqual(["ada@example.com", ...invited.slice(0, 2)])
    await node.tell(DAY)
    expect((await node.letters()).map(({ to }) => to)).toEqual(["ada@example.com", ...invited])
  })
})

describe("people whom the workspace registered", () => {
  const IMPORTED = ["a-1@example.com", "a-2@example.com", "a-3@example.com"]
  const OWN = ["ada@example.com", "zoe@example.com"]

  test.each([
    ["is moved", (id: string) => move(id, LATER)],
    ["is deleted", (id: string) => sql`delete from events where id = ${id}`],
  ])("of an event that %s count in the emails of the day, and hold up nobody who registered", async (_, act) => {
    const node = await openNode({ mailPerWorkspacePerDay: 2 })
    const event = await newEvent(OWN)
    await add(event.id, IMPORTED)
    await act(event.id)
    await node.tell()
    await node.tell(4 * MINUTE)
    expect((await node.letters()).map(({ to }) => to)).toEqual([...IMPORTED.slice(0, 2), ...OWN])
    await node.tell(DAY)
    await node.tell(2 * DAY)
    expect((await node.letters()).map(({ to }) => to)).toEqual([...IMPORTED, ...OWN])
    expect(await sql`select 1 from event_notices union all select 1 from notice_readers`).toEqual([])
  })

  test("and who wait for the next day are told once, of the last of several changes", async () => {
    const node = await openNode({ mailPerWorkspacePerDay: 2 })
    const event = await newEvent(OWN)
    await add(event.id, IMPORTED)
    await move(event.id, LATER)
    await node.tell()
    await move(event.id, LATEST)
    await node.tell(DAY)
    await node.tell(2 * DAY)
    await node.tell(3 * DAY)
    const both = ["1 May > 2 May", "2 May > 3 June"]
    expect(Object.fromEntries(await stories(node))).toEqual({
      "a-1@example.com": both,
      "a-2@example.com": both,
      "a-3@example.com": ["1 May > 3 June"],
      "ada@example.com": both,
      "zoe@example.com": both,
    })
  })
})

describe("many people", () => {
  test("are told once each, whichever nodes tell them", async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => openNode()))
    const event = await newEvent(crowd(90))
    await move(event.id, LATER)
    await Promise.all(nodes.map((node) => node.tell()))
    await nodes[0]?.tell()
    expect((await nodes[0]?.letters())?.map(({ to }) => to)).toEqual(crowd(90))
  })

  test("are told once each when the reply to a commit is lost", async () => {
    const proxy = await startPostgresProxy(database.url)
    const node = await openNode({ url: proxy.url })
    onTestFinished(() => proxy.close())
    const event = await newEvent(crowd(50))
    await move(event.id, LATER)
    const lost = proxy.onStatement({
      match: ({ sql: text, connection }) =>
        text.startsWith("commit") && connection.statements.some((one) => one.includes("update event_notices")),
      action: { kind: "cutReply" },
      times: 1,
    })
    await expect(node.stepAt(Date.now() + 3 * MINUTE)).rejects.toThrow()
    expect(lost.acted()).toBe(1)
    await node.tell()
    expect((await node.letters()).map(({ to }) => to)).toEqual(crowd(50))
  })

  test("of whom some were told when the event changes again: each knows what it is in the end, from what they knew", async () => {
    const node = await openNode()
    const event = await newEvent(crowd(50))
    const step = () => node.stepAt(Date.now() + 3 * MINUTE)
    await move(event.id, LATER)
    for (const _audience of ["registered", "added", "invited"]) await step()
    await move(event.id, LATEST)
    await step()
    await move(event.id, LATER)
    await node.tell()
    const told = await stories(node)
    const days = ["1 May > 2 May", "2 May > 3 June", "3 June > 2 May"]
    expect(told.size).toBe(50)
    for (const [index, email] of crowd(50).entries()) {
      // The second change came after a step for each audience, and the third after one more.
      expect(told.get(email)).toEqual(index < 20 ? days : days.slice(0, 1))
    }
    expect(await sql`select 1 from event_notices`).toEqual([])
  })

  test("of an event that is moved back in the middle: those who were told are told, the others are not", async () => {
    const node = await openNode()
    const event = await newEvent(crowd(45))
    await move(event.id, LATER)
    await node.stepAt(Date.now() + 3 * MINUTE)
    await move(event.id, START)
    await node.tell()
    const told = await stories(node)
    expect([...told.keys()]).toEqual(crowd(45).slice(0, 20))
    for (const story of told.values()) expect(story).toEqual(["1 May > 2 May", "2 May > 1 May"])
  })

  test("wait while the mailer has emails to send", async () => {
    const node = await openNode()
    const event = await newEvent(crowd(3))
    await move(event.id, LATER)
    await sql`
      insert into mails (id, recipient, subject, content_sealed, due_at)
      select new_id(), 'x@example.com', 'x', '', now() from generate_series(1, 20)`
    expect(await node.stepAt(Date.now() + 3 * MINUTE)).toBe("full")
    await sql`delete from mails`
    expect(await node.stepAt(Date.now() + 3 * MINUTE)).toBe("posted")
  })

  test("are told of nothing without mail, and nothing stays", async () => {
    const node = await openNode({ keep: false })
    const event = await newEvent(crowd(30))
    await move(event.id, LATER)
    await node.tell()
    expect(await sql`select 1 from event_notices union all select 1 from mails`).toEqual([])
  })
})

test("a step does not tell an event as it was before a change that waits for it", async () => {
  const node = await openNode()
  const event = await newEvent(["ada@example.com"])
  await move(event.id, LATER)
  const changing = openStore(database.url)
  onTestFinished(() => changing.end())
  // The change holds the notice: the step leaves it alone.
  await changing.begin(async (tx) => {
    await tx`update events set scheduled_at = ${LATEST} where id = ${event.id}`
    expect(await node.stepAt(Date.now() + 3 * MINUTE)).toBe("none")
  })
  await node.tell()
  const letters = await node.letters()
  expect(letters).toHaveLength(1)
  expect(letters[0]?.text).toContain("It now begins on Monday, 3 June 2030 at 08:00 UTC.")
})
