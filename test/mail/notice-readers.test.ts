/** Readers of the notices of changed events, on a real database: who is told, and that nobody is told twice. */
import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { EmailRefusals } from "../../src/mail/email-refusals.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { insertRefusal } from "../../src/store/mail/emails.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { API, APP, crowd, DAY, entryIn, LATER, LATEST, MINUTE, noticeHouse, START, stories } from "./notice-house.ts"

const { database, sql, openNode, newEvent, register, add, invite, change, move } = noticeHouse()

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

  test("get no calendar file, because their calendars do not have the event, nor of its deletion", async () => {
    const node = await openNode()
    const event = await withAll()
    for (const [act, method] of [
      [() => change(event.id, { cancelled_at: toTimestamp(Date.now()) }), "CANCEL"],
      [() => change(event.id, { cancelled_at: null }), "REQUEST"],
      [() => sql`delete from events where id = ${event.id}`, "CANCEL"],
    ] as const) {
      await act()
      await node.tell()
      const letters = await node.letters()
      const hoping = ["approved", "offered", "pending", "waiting"].map((state) => `${state}@example.com`)
      expect(letters.map(({ to }) => to)).toEqual(hoping)
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
