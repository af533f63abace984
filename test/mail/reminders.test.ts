/** Reminders on a real database and a real SMTP server: who gets one, when, and that nobody gets two. */
import { createHash } from "node:crypto"
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { EmailRefusals } from "../../src/mail/email-refusals.ts"
import { type EmailMessage, reminderEmail } from "../../src/mail/emails.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { remindersLayer } from "../../src/mail/reminders.ts"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { insertRefusal } from "../../src/store/mail/emails.ts"
import { deleteReminders } from "../../src/store/mail/reminders.ts"
import { linkIn } from "../support/mail-server.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"
import { crowd, DAY, HOUR, MINUTE, options, reminderHouse, START } from "./reminder-house.ts"

const { database, sql, mail, openNode, newEvent, move } = reminderHouse()

const PLAIN = {
  timeZone: null,
  language: null,
  coverUrl: null,
  logoUrl: null,
  accent: null,
  workspace: "Acme",
  own: null,
}
describe("a reminder", () => {
  test("comes a day and ten minutes before the event, once each, with a link to enter", async () => {
    const node = await openNode()
    const event = await newEvent({ "ada@example.com": 30 * DAY, "bob@example.com": 30 * DAY })
    await node.remind(START - DAY - 1000)
    expect(await node.letters()).toEqual([])
    for (const late of [0, 1000, HOUR]) await node.remind(START - DAY + late)
    const dayBefore = await node.letters()
    expect(dayBefore.map(({ to, subject }) => [to, subject]).toSorted()).toEqual([
      ["ada@example.com", "Reminder: Launch"],
      ["bob@example.com", "Reminder: Launch"],
    ])
    expect(dayBefore[0]?.text).toMatch(/begins on Saturday,? 1 May 2027 at 10:00 UTC/)
    const token = new RegExp(`https://app.example.com/enter/${event.id}#token=(\\w{43})`).exec(dayBefore[0]?.text ?? "")
    const hash = createHash("sha256")
      .update(token?.[1] ?? "")
      .digest()
    expect(await sql`select 1 from entry_tokens where token_hash = ${hash}`).toHaveLength(1)
    await node.remind(START - 10 * MINUTE - 1000)
    expect(await node.letters()).toHaveLength(2)
    for (const left of [10, 9, 1]) await node.remind(START - left * MINUTE)
    const all = await node.letters()
    expect(all.map(({ subject }) => subject).filter((subject) => subject === "Starting soon: Launch")).toHaveLength(2)
    expect(all).toHaveLength(4)
  })

  test("comes at the event's own times instead, to those who had registered by then", async () => {
    const node = await openNode()
    const week = 7 * 24 * 60
    const { id } = await newEvent(
      { "ada@example.com": 30 * DAY, "late@example.com": 2 * DAY },
      { reminder_minutes: [week, 60] },
    )
    await node.remind(START - 7 * DAY - 1000)
    expect(await node.letters()).toEqual([])
    for (const late of [0, 1000, HOUR]) await node.remind(START - 7 * DAY + late)
    expect((await node.letters()).map(({ to, subject }) => `${to} ${subject}`)).toEqual([
      "ada@example.com Reminder: Launch",
    ])
    // Neither a day nor ten minutes before.
    await node.remind(START - DAY)
    expect(await node.letters()).toHaveLength(1)
    await node.open(START - HOUR)
    // A time that was taken out while its emails were due.
    await sql`update events set reminder_minutes = '[30]' where id = ${id}`
    expect(await node.step(START - HOUR)).toBe("none")
    for (const left of [30, 10, 1]) await node.remind(START - left * MINUTE)
    expect((await node.letters()).map(({ to, subject }) => `${to} ${subject}`).toSorted()).toEqual([
      "ada@example.com Reminder: Launch",
      "ada@example.com Starting soon: Launch",
      "late@example.com Starting soon: Launch",
    ])
  })

  test("at an own time is not sent more than half a day late", async () => {
    const node = await openNode()
    await newEvent({ "ada@example.com": 30 * DAY }, { reminder_minutes: [3 * 24 * 60] })
    await node.remind(START - 2.5 * DAY)
    expect(await node.letters()).toEqual([])
    await newEvent({ "bob@example.com": 30 * DAY }, { reminder_minutes: [3 * 24 * 60] })
    await node.remind(START - 2.5 * DAY - 1000)
    expect((await node.letters()).map(({ to }) => to).toSorted()).toEqual(["ada@example.com", "bob@example.com"])
  })

  test("is for those alone who have a place", async () => {
    const node = await openNode()
    const states = ["approved", "pending", "waiting", "offered", "declined", "expired"]
    const { id } = await newEvent(Object.fromEntries(states.map((state) => [`${state}@example.com`, 30 * DAY])))
    for (const state of states) {
      await sql`update registrations set state = ${state} where event_id = ${id} and email = ${`${state}@example.com`}`
    }
    await node.remind(START - DAY)
    expect((await node.letters()).map(({ to }) => to)).toEqual(["approved@example.com"])
  })

  test("is for those alone who had registered by then", async () => {
    const node = await openNode()
    await newEvent({ "early@example.com": DAY, "late@example.com": DAY - 1, "last@example.com": 10 * MINUTE - 1 })
    for (const left of [DAY, 13 * HOUR, 10 * MINUTE, MINUTE]) await node.remind(START - left)
    expect((await node.letters()).map(({ to, subject }) => `${to} ${subject}`).toSorted()).toEqual([
      "early@example.com Reminder: Launch",
      "early@example.com Starting soon: Launch",
      "late@example.com Starting soon: Launch",
    ])
  })

  test("is not sent for an event that is not to come for the public", async () => {
    const node = await openNode()
    for (const [what, fields] of [
      ["a draft", { status: "draft" }],
      ["a live event", { status: "live" }],
      ["an ended event", { status: "ended" }],
      ["an event that became private", { visibility: "private" }],
      ["an event without a time", { scheduled_at: null }],
      ["an event whose reminders are off", { reminders: false }],
    ] as const) {
      await newEvent({ "ada@example.com": 30 * DAY }, fields)
      for (const left of [DAY, 10 * MINUTE]) await node.remind(START - left)
      expect(await node.letters(), what).toEqual([])
    }
  })

  test("is sent to nobody else when the event goes live, is switched off, deleted or loses its time in the middle", async () => {
    const node = await openNode()
    for (const [what, change] of [
      ["goes live", (id: string) => sql`update events set status = 'live' where id = ${id}`],
      ["is switched off", (id: string) => sql`update events set reminders = false where id = ${id}`],
      ["is deleted", (id: string) => sql`delete from events where id = ${id}`],
      ["loses its time", (id: string) => sql`update events set scheduled_at = null where id = ${id}`],
    ] as const) {
      const { id } = await newEvent(crowd(30))
      await node.open(START - DAY)
      expect([what, await node.step(START - DAY)]).toEqual([what, "posted"])
      await change(id)
      expect([what, await node.step(START - DAY)]).toEqual([what, "none"])
      expect(await node.letters(), what).toHaveLength(20)
      await sql`delete from mails`
    }
  })

  test("that is late is sent within its bounds, and not afterwards", async () => {
    const node = await openNode()
    await newEvent({ "ada@example.com": 30 * DAY })
    await node.remind(START - DAY + 12 * HOUR)
    expect(await node.letters()).toEqual([])
    await node.remind(START - DAY + 12 * HOUR - 1000)
    expect((await node.letters()).map(({ subject }) => subject)).toEqual(["Reminder: Launch"])
    await node.remind(START)
    await node.remind(START + HOUR)
    expect(await node.letters()).toHaveLength(1)
  })

  test("comes for a new time too, and never twice for the same", async () => {
    const node = await openNode()
    const { id } = await newEvent({ "ada@example.com": 30 * DAY })
    await node.remind(START - DAY)
    await move(id, START + DAY)
    await node.remind(START - DAY)
    expect(await node.letters()).toHaveLength(1)
    await node.remind(START)
    expect(await node.letters()).toHaveLength(2)
    await move(id, START)
    await node.remind(START - DAY)
    expect(await node.letters()).toHaveLength(2)
    await node.remind(START - MINUTE)
    expect((await node.letters()).map(({ subject }) => subject)).toEqual([
      "Starting soon: Launch",
      "Reminder: Launch",
      "Reminder: Launch",
    ])
  })

  test("is not sent to those who refused reminders of the workspace, and to the others is", async () => {
    const node = await openNode()
    const [one, two] = [
      await newEvent({ "ada@example.com": 30 * DAY }),
      await newEvent({ "ada@example.com": 30 * DAY }),
    ]
    const { refusal, invitation } = await node.use(
      Effect.map(EmailRefusals, ({ tokenFor, read }) => {
        const of = (kind: "reminder" | "invitation", { workspaceId }: { readonly workspaceId: string }) =>
          read(tokenFor({ workspaceId, kind, email: "ada@example.com" }))
        return { refusal: of("reminder", one), invitation: of("invitation", two) }
      }),
    )
    if (refusal === undefined || invitation === undefined) throw new Error("a token is not read")
    await insertRefusal(sql, refusal)
    await insertRefusal(sql, invitation)
    await node.remind(START - DAY)
    const letters = await node.letters()
    expect(letters).toHaveLength(1)
    expect(letters[0]?.text).toContain(two.id)
  })

  test("is sent to no address that takes no emails", async () => {
    const node = await openNode()
    const people = { "ada@example.com": 30 * DAY, "bob@example.com": 30 * DAY }
    const [one, two] = [await newEvent(people), await newEvent(people)]
    await sql`insert into email_bounces (id, workspace_id, email) values (${newId()}, ${one.workspaceId}, 'ada@example.com')`
    await node.remind(START - DAY)
    const told = (await node.letters()).map(({ to, text }) => [to, text.includes(one.id) ? "one" : "two"].join(" "))
    expect(told.toSorted()).toEqual(["ada@example.com two", "bob@example.com one", "bob@example.com two"])
    expect(two.workspaceId).not.toBe(one.workspaceId)
  })

  test("has the event's language and picture, and the organisers' own words", async () => {
    const node = await openNode()
    await newEvent(
      { "ada@example.com": 30 * DAY },
      {
        language: "de",
        time_zone: "Europe/Berlin",
        cover_url: "https://cdn.example.com/a.jpg",
        email_texts: { confirmation: "Not this", reminder: "**Bring** a laptop." },
      },
    )
    await node.remind(START - DAY)
    const [letter] = await node.letters()
    expect(letter?.subject).toBe("Erinnerung: Launch")
    expect(letter?.text).toContain(
      "Beginn: Samstag, 1. Mai 2027 um 12:00 (Europe/Berlin, GMT+2).\n\n**Bring** a laptop.\n\n",
    )
    expect(letter?.text).not.toContain("Not this")
    expect(letter?.text).toContain("Keine Erinnerungen mehr von diesem Arbeitsbereich")
  })

  test("has the title as it is, on one line, and no link in the name", () => {
    const reminder = {
      isSoon: false,
      name: "https://evil.example",
      event: "Win at St.Gallen\n<b>",
      when: toTimestamp(START),
      ...PLAIN,
    }
    const { subject, text, html } = reminderEmail(
      "ada@example.com",
      reminder,
      {
        enter: "https://app.example.com/enter",
        leave: "https://api.example.com/leave",
        place: "https://api.example.com/place",
        answers: "https://api.example.com/answers",
      },
      "https://api.example.com/unsubscribe/x",
    )
    expect(subject).toBe("Reminder: Win at St.Gallen <b>")
    expect(text).not.toContain("evil.example")
    expect(html).not.toContain("<b>")
  })
})

describe("many people", () => {
  test("get one letter each, whichever nodes post them and however often", async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => openNode()))
    const people = crowd(90)
    const { id } = await newEvent(people)
    await newEvent({ "zoe@example.com": 30 * DAY })
    await Promise.all(nodes.map((node) => node.remind(START - DAY)))
    // A node that found the row of another one taken had nothing to do.
    await nodes[0]?.remind(START - DAY)
    const rows = await sql<{ recipient: string }[]>`select recipient from mails order by recipient`
    expect(rows.map(({ recipient }) => recipient)).toEqual([...Object.keys(people), "zoe@example.com"])
    const kept = await sql`select after_email, done from event_reminders where event_id = ${id}`
    expect(kept).toEqual([{ afterEmail: "", done: true }])
  })

  test("get one letter each when the reply to a commit is lost", async () => {
    const proxy = await startPostgresProxy(database.url)
    const node = await openNode({ url: proxy.url })
    onTestFinished(() => proxy.close())
    await newEvent(crowd(50))
    await node.open(START - DAY)
    const lost = proxy.onStatement({
      match: ({ sql: text, connection }) =>
        text.startsWith("commit") && connection.statements.some((one) => one.includes("update event_reminders")),
      action: { kind: "cutReply" },
      times: 1,
    })
    await expect(node.step(START - DAY)).rejects.toThrow()
    expect(lost.acted()).toBe(1)
    await node.remind(START - DAY)
    const rows = await sql<{ recipient: string }[]>`select recipient from mails order by recipient`
    expect(rows.map(({ recipient }) => recipient)).toEqual(Object.keys(crowd(50)))
  })

  test("of two events take turns, and the events about to begin come first", async () => {
    const node = await openNode()
    const [first, second] = [await newEvent(crowd(45)), await newEvent(crowd(45))]
    const soon = await newEvent(crowd(5), { scheduled_at: toTimestamp(START - DAY + 10 * MINUTE) })
    await node.open(START - DAY)
    const posted = async () => {
      await node.step(START - DAY)
      const rows = await sql<{ id: string; n: number }[]>`
        select r.event_id as id, count(*)::int as n from entry_tokens t join registrations r on r.id = t.registration_id group by 1`
      return new Map(rows.map(({ id, n }) => [id, n]))
    }
    expect(await posted()).toEqual(new Map([[soon.id, 5]]))
    await posted()
    const third = await posted()
    expect([third.get(first.id), third.get(second.id)]).toEqual([20, 20])
  })

  test("wait while the mailer has emails to send", async () => {
    const node = await openNode()
    await newEvent(crowd(3))
    await node.open(START - DAY)
    const due = (n: number, at: number) => sql`
      insert into mails (id, recipient, subject, content_sealed, due_at)
      select new_id(), 'x@example.com', 'x', '', ${toTimestamp(at)} from generate_series(1, ${n})`
    await due(20, START - DAY)
    expect(await node.step(START - DAY)).toBe("full")
    await sql`delete from mails`
    await due(1000, START)
    expect(await node.step(START - DAY)).toBe("full")
    await sql`delete from mails`
    await due(999, START)
    expect(await node.step(START - DAY)).toBe("posted")
  })
})

test("the emails are sent by SMTP, with a button to refuse further ones", async () => {
  const node = await openNode({ keep: false })
  const begins = Date.now() + 5 * MINUTE
  const event = await newEvent({ "smtp@example.com": 0 }, { scheduled_at: toTimestamp(begins) })
  await sql`update registrations set created_at = now() - interval '1 hour' where event_id = ${event.id}`
  const layer = remindersLayer(options).pipe(Layer.provide(node.services))
  const running = ManagedRuntime.make(layer)
  onTestFinished(() => running.dispose())
  await running.runPromise(Effect.void)
  const received = await mail.next("smtp@example.com")
  const headers = received.raw.slice(0, received.raw.indexOf("\r\n\r\n")).replaceAll(/\r\n\s+/g, " ")
  expect(headers).toMatch(/List-Unsubscribe: <https:\/\/api\.example\.com\/unsubscribe\/[\w-]+>/)
  expect(headers).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
  expect(linkIn(received).pathname).toBe(`/enter/${event.id}`)
  await eventually(async () => (await sql`select 1 from mails`).length === 0, "the email being deleted")
})

test("an email that is of no use any more is not sent", async () => {
  const node = await openNode({ keep: false })
  const letter = (to: string, notAfter: number): EmailMessage => ({
    ...reminderEmail(
      to,
      { isSoon: true, name: "Ada", event: "Launch", when: toTimestamp(notAfter), ...PLAIN },
      {
        enter: "https://app.example.com/enter",
        leave: "https://api.example.com/leave",
        place: "https://api.example.com/place",
        answers: "https://api.example.com/answers",
      },
      "https://api.example.com/unsubscribe/x",
    ),
  })
  await node.use(
    Effect.flatMap(Mailer, (mailer) =>
      Effect.promise(async () => {
        await mailer.post(sql, letter("too-late@example.com", Date.now() - 1))
        await mailer.post(sql, letter("in-time@example.com", Date.now() + HOUR))
        mailer.collect()
      }),
    ),
  )
  await mail.next("in-time@example.com")
  await eventually(async () => (await sql`select 1 from mails`).length === 0, "both being deleted")
  expect(mail.received.some(({ to }) => to === "too-late@example.com")).toBe(false)
})

test("the progress of reminders is swept a day after the time they were for", async () => {
  const node = await openNode()
  await newEvent({ "ada@example.com": 30 * DAY })
  await newEvent({ "ada@example.com": 30 * DAY }, { scheduled_at: toTimestamp(START + HOUR) })
  for (const left of [DAY, 10 * MINUTE]) await node.remind(START - left)
  await node.remind(START - DAY + HOUR)
  expect(await sql`select 1 from event_reminders`).toHaveLength(3)
  expect(await deleteReminders(sql, toTimestamp(START + 1), 1)).toBe(1)
  expect(await deleteReminders(sql, toTimestamp(START + 1), 10)).toBe(1)
  expect(await deleteReminders(sql, toTimestamp(START + 1), 10)).toBe(0)
  expect(await sql`select scheduled_at from event_reminders`).toEqual([{ scheduledAt: toTimestamp(START + HOUR) }])
})
