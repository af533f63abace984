/** Emails against a real SMTP server: when they are sent, again, or never. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { type EmailMessage, verificationEmail } from "../../src/mail/emails.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { Database } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type MailServer, startMailServer } from "../support/mail-server.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
let rows: Rows
let mail: MailServer
let stop: (() => Promise<void>) | undefined

beforeAll(async () => {
  database = await createTestDatabase()
  rows = rowsOf(database.url)
  mail = await startMailServer()
})
afterEach(async () => {
  await stop?.()
  stop = undefined
  await rows.run("delete from mails")
})
afterAll(async () => {
  await mail.close()
  await rows.end()
  await database.drop()
})

const open = async (retryDelaysMs: ReadonlyArray<number> = [10, 10]) => {
  const kernel = Database.layer({
    url: Redacted.make(database.url),
    connections: 2,
    deadlineMs: DATABASE_DEADLINE_MS,
  }).pipe(Layer.provideMerge(Telemetry.layer("silent")))
  const smtp = { url: Redacted.make(mail.url), from: "Events <events@example.com>" }
  const layer = Mailer.layer({ sealingKeys: [new Uint8Array(32).fill(7)], smtp, keep: false, retryDelaysMs })
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provideMerge(kernel)))
  stop = () => runtime.dispose()
  const services = await runtime.runPromise(Effect.all({ mailer: Mailer, database: Database }))
  return {
    post: async (letter: EmailMessage) => {
      await runtime.runPromise(services.database.transaction((sql) => services.mailer.post(sql, letter)))
      services.mailer.collect()
    },
    postAndRollBack: (letter: EmailMessage) =>
      runtime
        .runPromise(
          services.database.transaction(async (sql) => {
            await services.mailer.post(sql, letter)
            throw new Error("rolled back")
          }),
        )
        .catch(() => services.mailer.collect()),
  }
}

let count = 0
const letter = (): EmailMessage => {
  count++
  return verificationEmail(`reader-${count}@example.com`, "Reader", `https://app.example/verify#token=t${count}`)
}

const waiting = async (): Promise<number> => Number((await rows.run("select count(*) from mails"))[0]?.["count"])

test("a committed email arrives once and leaves nothing behind", async () => {
  const { post } = await open()
  const given = letter()
  await post(given)
  await mail.next(given.to)
  await eventually(async () => (await waiting()) === 0, "the row being deleted")
  expect(mail.received.filter(({ to }) => to === given.to)).toHaveLength(1)
})

test("a calendar file is part of the email, by its method and as a file", async () => {
  const { post } = await open()
  const content = "BEGIN:VCALENDAR\r\nSUMMARY:Zürich 👨‍👩‍👧\r\nEND:VCALENDAR\r\n"
  const contentOf = (part = ""): string => {
    const body = part.slice(part.indexOf("\r\n\r\n") + 4).split("\r\n--")[0] ?? ""
    return Buffer.from(body, "base64").toString("utf8")
  }
  for (const method of ["REQUEST", "CANCEL"] as const) {
    const given: EmailMessage = { ...letter(), calendar: { method, content } }
    await post(given)
    const { raw } = await mail.next(given.to)
    const parts = raw.split(/\r\n--\S+\r\n/).map((part) => part.replaceAll(/\r\n[ \t]+/g, " "))
    const shown = parts.find((part) => part.includes("Content-Type: text/calendar"))
    expect(shown?.toLowerCase()).toContain(`content-type: text/calendar; charset=utf-8; method=${method.toLowerCase()}`)
    const attached = parts.find((part) => part.includes("application/ics"))
    expect(attached).toMatch(/Content-Disposition: attachment; filename="?event\.ics/)
    expect(contentOf(attached)).toBe(content)
  }
})

test("an email of a transaction that rolls back is never sent", async () => {
  const { post, postAndRollBack } = await open()
  const [never, later] = [letter(), letter()]
  await postAndRollBack(never)
  await post(later)
  await mail.next(later.to)
  expect(mail.received.some(({ to }) => to === never.to)).toBe(false)
})

test("an email the server cannot take now is tried again; one it will never take is given up", async () => {
  const { post } = await open()
  const again = letter()
  mail.refuse(451, 2)
  await post(again)
  await mail.next(again.to)
  const never = letter()
  mail.refuse(554, 1)
  await post(never)
  await eventually(async () => (await waiting()) === 0, "the email being given up")
  expect(mail.received.some(({ to }) => to === never.to)).toBe(false)
})

test("an email is given up when its tries are used up", async () => {
  const { post } = await open([10])
  const given = letter()
  mail.refuse(451, 2)
  await post(given)
  await eventually(async () => (await waiting()) === 0, "the email being given up")
  expect(mail.received.some(({ to }) => to === given.to)).toBe(false)
})

test("an email that waited while nobody ran is sent at the next start", async () => {
  const first = await open([600_000])
  const given = letter()
  mail.refuse(451, 1)
  await first.post(given)
  await eventually(
    async () =>
      (
        await rows.run(
          "select 1 from mails where attempts = 1 and due_at > now() + interval '1 minute' and due_at < now() + interval '11 minutes'",
        )
      ).length === 1,
    "the first try",
  )
  await stop?.()
  await rows.run("update mails set due_at = now()")
  await open()
  await mail.next(given.to)
})
