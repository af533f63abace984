/** Emails after an event on a real database: who gets one, what is in it, and that nobody gets two. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { Tokens } from "../../src/identity/tokens.ts"
import { EmailRefusals } from "../../src/mail/email-refusals.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { thanksSteps } from "../../src/mail/thanks.ts"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database } from "../../src/store/database.ts"
import { insertRefusal } from "../../src/store/mail/emails.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { openStore, type TestSql } from "../support/store.ts"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const END = Date.parse("2027-05-01T12:00:00Z")
const DUE = END + 10 * MINUTE

let database: TestDatabase
let sql: TestSql
beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url)
})
afterEach(async () => {
  await sql`delete from mails`
  await sql`delete from workspaces`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const openNode = async () => {
  const kernel = Database.layer({
    url: Redacted.make(database.url),
    connections: 2,
    deadlineMs: DATABASE_DEADLINE_MS,
  }).pipe(Layer.provideMerge(Telemetry.layer("silent")))
  const services = Layer.mergeAll(
    Mailer.layer({ sealingKeys: [new Uint8Array(32).fill(7)], smtp: null, keep: true }),
    EmailRefusals.layer([new Uint8Array(32).fill(8)], new Uint8Array(32).fill(9)),
    Tokens.layer([Redacted.make("a".repeat(64))]),
  ).pipe(Layer.provideMerge(kernel))
  const runtime = ManagedRuntime.make(services)
  onTestFinished(() => runtime.dispose())
  const { issue } = await runtime.runPromise(Tokens)
  const steps = await runtime.runPromise(
    thanksSteps({
      surveyToken: (of) => Effect.map(issue("survey", of), ({ token }) => token),
      appUrl: "https://app.example.com",
      publicUrl: "https://api.example.com",
      mailPerWorkspacePerDay: 1,
    }),
  )
  return {
    use: <A, E>(body: Effect.Effect<A, E, EmailRefusals | Tokens>) => runtime.runPromise(body),
    step: (now: number) => runtime.runPromise(steps.step(now)),
    open: (now: number) => runtime.runPromise(steps.open(now)),
    thank: async (now: number): Promise<void> => {
      await runtime.runPromise(steps.open(now))
      while ((await runtime.runPromise(steps.step(now))) === "posted");
    },
    letters: () => runtime.runPromise(Effect.flatMap(Mailer, ({ outbox }) => outbox(null))),
  }
}

interface Ended {
  readonly id: string
  readonly workspaceId: string
  readonly registrations: { readonly [email: string]: string }
}

/** An event that has ended with a survey, for which these people registered. */
const ended = async (
  emails: ReadonlyArray<string>,
  { visibility = "public", anonymous = false, thanks = true, questions = [{ id: "q" }] as ReadonlyArray<object> } = {},
): Promise<Ended> => {
  const [id, workspaceId] = [newId(), newId()]
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Acme', ${`acme-${workspaceId}`})`
  await sql`
    insert into events (id, workspace_id, type, title, allow_anonymous_voting, allow_anonymous_questions, metadata, status, visibility, ended_at)
    values (${id}, ${workspaceId}, 'webinar', 'Launch', false, false, '{}', 'ended', ${visibility}, ${toTimestamp(END)})`
  await sql`
    insert into event_forms (event_id, form, version, questions, anonymous, thanks, updated_at)
    values (${id}, 'survey', 1, ${sql.json(questions)}, ${anonymous}, ${thanks}, now())`
  const registrations = Object.fromEntries(emails.map((email) => [email, newId()]))
  for (const [email, registration] of Object.entries(registrations)) {
    await sql`insert into registrations (id, event_id, name, email) values (${registration}, ${id}, 'Ada', ${email})`
  }
  return { id, workspaceId, registrations }
}
const attended = (id: string, participantId: string, userId: string | null = null) =>
  sql`
    insert into attendances (event_id, participant_id, user_id, name, role, kind, first_joined_at, last_left_at, attended_ms, stays)
    values (${id}, ${participantId}, ${userId}, 'Grace', 'viewer', 'user', now(), now(), 1000, 1)`

describe("an email after an event", () => {
  test("is in the event's language, and goes to no address that takes no emails", async () => {
    const node = await openNode()
    const { id, workspaceId } = await ended(["ada@example.com", "bob@example.com"])
    await sql`update events set language = 'de' where id = ${id}`
    await sql`insert into email_bounces (id, workspace_id, email) values (${newId()}, ${workspaceId}, 'ada@example.com')`
    await node.thank(DUE)
    const letters = await node.letters()
    expect(letters.map(({ to, subject }) => [to, subject])).toEqual([["bob@example.com", "Du hast gefehlt: Launch"]])
  })

  test("comes ten minutes after the end, once, to those who registered or were there", async () => {
    const node = await openNode()
    const event = await ended(["ada@example.com", "bob@example.com"])
    const userId = newId()
    await sql`insert into users (id, workspace_id, external_sub, email, name) values (${userId}, ${event.workspaceId}, 's', 'Grace@example.com', 'Grace')`
    await attended(event.id, userId, userId)
    await attended(event.id, `reg:${event.registrations["ada@example.com"]}`)
    await node.thank(DUE - 1000)
    expect(await node.letters()).toEqual([])
    for (const late of [0, MINUTE, DAY]) await node.thank(DUE + late)
    const letters = await node.letters()
    expect(letters.map(({ to, subject }) => `${to} ${subject}`).toSorted()).toEqual([
      "ada@example.com Thank you for coming to Launch",
      "bob@example.com You missed Launch",
      "grace@example.com Thank you for coming to Launch",
    ])
    for (const { text } of letters) {
      expect(text).toContain(`https://app.example.com/enter/${event.id}`)
      expect(text).toContain("https://api.example.com/unsubscribe/")
    }
    const linkTo = (to: string) =>
      letters.find((letter) => letter.to === to)?.links.find((link) => link.includes("/survey/")) ?? ""
    const token = linkTo("ada@example.com").split("#token=")[1] ?? ""
    const { claims } = await node.use(Effect.flatMap(Tokens, ({ verify }) => verify("survey", token)))
    expect(claims).toMatchObject({ eventId: event.id, registrationId: event.registrations["ada@example.com"] })
    expect(linkTo("grace@example.com")).toBe(`https://api.example.com/survey/${event.id}`)
    const kept = await sql`select done, after_email from event_thanks where event_id = ${event.id}`
    expect(kept).toEqual([{ done: true, afterEmail: "" }])
  })

  test("has the same link for everybody where the survey is anonymous, and none without questions", async () => {
    const node = await openNode()
    const hidden = await ended(["ada@example.com", "bob@example.com"], { anonymous: true })
    const bare = await ended(["eve@example.com"], { questions: [] })
    await node.thank(DUE)
    const surveys = (await node.letters()).map(({ to, links }) => [to, links.find((link) => link.includes("/survey/"))])
    expect(Object.fromEntries(surveys)).toEqual({
      "ada@example.com": `https://api.example.com/survey/${hidden.id}`,
      "bob@example.com": `https://api.example.com/survey/${hidden.id}`,
      "eve@example.com": undefined,
    })
    expect(bare.id).not.toBe(hidden.id)
  })

  test("is not sent for a private event, one without thanks, and a day late", async () => {
    const node = await openNode()
    for (const [what, fields, late] of [
      ["of a private event", { visibility: "private" }, 0],
      ["whose survey sends none", { thanks: false }, 0],
      ["that ended a day ago", {}, DAY],
    ] as const) {
      await ended(["ada@example.com"], fields)
      await node.thank(DUE + late)
      expect(await node.letters(), what).toEqual([])
    }
  })

  test("that was not sent to all within a day is sent to nobody else, and no address stays", async () => {
    const node = await openNode()
    const { id } = await ended(Array.from({ length: 25 }, (_, n) => `person-${n}@example.com`))
    await node.open(DUE)
    expect(await node.step(DUE)).toBe("posted")
    const kept = () => sql`select done, after_email <> '' as has_address from event_thanks where event_id = ${id}`
    expect(await kept()).toEqual([{ done: false, hasAddress: true }])
    await node.thank(END + DAY)
    expect(await kept()).toEqual([{ done: true, hasAddress: false }])
    expect(await node.letters()).toHaveLength(20)
  })

  test("is not sent to those who refused them", async () => {
    const node = await openNode()
    const { workspaceId } = await ended(["ada@example.com", "bob@example.com"])
    const email = { workspaceId, kind: "thanks", email: "ada@example.com" } as const
    const refusal = await node.use(Effect.map(EmailRefusals, ({ tokenFor, read }) => read(tokenFor(email))))
    if (refusal === undefined) throw new Error("the token is not read")
    await insertRefusal(sql, refusal)
    await node.thank(DUE)
    expect((await node.letters()).map(({ to }) => to)).toEqual(["bob@example.com"])
  })

  test("reaches everybody of many once, whichever nodes post them", async () => {
    const nodes = await Promise.all([openNode(), openNode(), openNode()])
    const people = Array.from({ length: 70 }, (_, n) => `person-${String(n).padStart(2, "0")}@example.com`)
    const { id, workspaceId } = await ended(people)
    for (const name of ["person-10a", "zoe"]) {
      const userId = newId()
      await sql`insert into users (id, workspace_id, external_sub, email) values (${userId}, ${workspaceId}, ${name}, ${`${name}@example.com`})`
      await attended(id, userId, userId)
    }
    await Promise.all(nodes.map((node) => node.thank(DUE)))
    await nodes[0]?.thank(DUE)
    const rows = await sql<{ recipient: string }[]>`select recipient from mails order by recipient`
    const all = [...people, "person-10a@example.com", "zoe@example.com"]
    expect(rows.map(({ recipient }) => recipient).toSorted()).toEqual(all.toSorted())
  })
})
