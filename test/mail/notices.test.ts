/** Notices of changed events on a real database: what is told, and when. */
import { describe, expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { eraseRegistrant } from "../../src/store/personal/erasures.ts"
import { openStore } from "../support/store.ts"
import { API, APP, crowd, DAY, entryIn, HOUR, LATER, LATEST, MINUTE, noticeHouse, START } from "./notice-house.ts"

const { database, sql, openNode, newEvent, register, invite, change, move } = noticeHouse()

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

  test("is not told of one that is not published, or has begun", async () => {
    const node = await openNode()
    for (const [what, fields] of [
      ["a draft", { status: "draft" }],
      ["a live event", { status: "live" }],
      ["an ended event", { status: "ended" }],
    ] as const) {
      const event = await newEvent(["ada@example.com"], fields)
      await move(event.id, LATER)
      await node.tell()
      expect(await node.letters(), what).toEqual([])
    }
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

  test("is not told of changes that no calendar shows, though its description and its zone count in the calendar", async () => {
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
    await change(event.id, { time_zone: "Europe/Berlin" })
    expect(await sequence()).toBe(2)
    await node.tell()
    expect(await node.letters()).toEqual([])
  })
})

test("no notice goes to an address that takes no emails", async () => {
  const node = await openNode()
  const event = await newEvent(["ada@example.com", "bob@example.com"])
  await sql`
    insert into email_bounces (id, workspace_id, email)
    select ${newId()}, workspace_id, 'ada@example.com' from events where id = ${event.id}`
  await move(event.id, LATER)
  await node.tell()
  expect((await node.letters()).map(({ to }) => to)).toEqual(["bob@example.com"])
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

  test("by its deletion is told in the language that it had", async () => {
    const node = await openNode()
    const event = await newEvent(["ada@example.com"])
    await change(event.id, { language: "de", time_zone: "Europe/Berlin" })
    await sql`delete from events where id = ${event.id}`
    await node.tell()
    const [letter] = await node.letters()
    expect(letter?.subject).toBe("Abgesagt: Launch")
    expect(letter?.text).toContain("Geplanter Beginn: Mittwoch, 1. Mai 2030 um 12:00 (Europe/Berlin, GMT+2).")
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

  test("by the deletion of a draft, or of one that is over, is not told", async () => {
    const node = await openNode()
    for (const [what, fields] of [
      ["a draft", { status: "draft" }],
      ["an ended event", { status: "ended" }],
      ["an event whose time is long past", { scheduled_at: toTimestamp(Date.now() - 2 * DAY) }],
    ] as const) {
      const event = await newEvent(["ada@example.com"], fields)
      await sql`delete from events where id = ${event.id}`
      await node.tell()
      expect(await node.letters(), what).toEqual([])
    }
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
