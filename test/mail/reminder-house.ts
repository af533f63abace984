/** Events with registered people who are reminded, on a real database and a real SMTP server, and nodes that remind them. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterEach, beforeEach, onTestFinished } from "vitest"
import { issueLinks } from "../../src/identity/accounts/entry.ts"
import { EmailRefusals } from "../../src/mail/email-refusals.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { reminderSteps } from "../../src/mail/reminders.ts"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { startMailServer } from "../support/mail-server.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { shared, sharedDatabase, sharedStore } from "../support/shared.ts"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const START = Date.parse("2027-05-01T10:00:00Z")

export const options = {
  publicUrl: "https://api.example.com",
  mailPerWorkspacePerDay: 200,
  links: (sql: Parameters<typeof issueLinks>[0], eventId: string, registrationId: string) =>
    issueLinks(
      sql,
      { appUrl: "https://app.example.com", publicUrl: "https://api.example.com" },
      { eventId, registrationId },
    ),
}

export const crowd = (size: number, before = 30 * DAY): { readonly [email: string]: number } =>
  Object.fromEntries(
    Array.from({ length: size }, (_, n) => [`person-${String(n).padStart(3, "0")}@example.com`, before]),
  )

/** The database, the mail server and the deeds that the tests of a file share. It adds hooks, so a file calls it once, outside of its tests. */
export const reminderHouse = () => {
  const database = sharedDatabase()
  const sql = sharedStore(database)
  const mail = shared(startMailServer, (server) => server.close())
  beforeEach(async () => {
    await sql`delete from workspaces`
  })
  afterEach(async () => {
    await sql`delete from mails`
  })

  /** A node. `keep`: its letters stay in the database. */
  const openNode = async ({
    keep = true,
    url = database.url,
  }: {
    readonly keep?: boolean
    readonly url?: string
  } = {}) => {
    const telemetry = Telemetry.layer("silent")
    const kernel = Database.layer({ url: Redacted.make(url), connections: 2, deadlineMs: DATABASE_DEADLINE_MS }).pipe(
      Layer.provideMerge(telemetry),
    )
    const smtp = keep ? null : { url: Redacted.make(mail.url), from: "Events <events@example.com>" }
    const mailer = Mailer.layer({ sealingKeys: [new Uint8Array(32).fill(7)], smtp, keep })
    const refusals = EmailRefusals.layer([new Uint8Array(32).fill(8)], new Uint8Array(32).fill(9))
    const services = Layer.mergeAll(mailer, refusals).pipe(Layer.provideMerge(kernel))
    const runtime = ManagedRuntime.make(services)
    onTestFinished(() => runtime.dispose())
    const steps = await runtime.runPromise(reminderSteps(options))
    const use = <A>(body: Effect.Effect<A, unknown, Mailer | EmailRefusals | Database | Telemetry>) =>
      runtime.runPromise(body)
    return {
      services,
      use,
      open: (now: number) => runtime.runPromise(steps.open(now)),
      step: (now: number) => runtime.runPromise(steps.step(now)),
      /** All that is due. */
      remind: async (now: number): Promise<void> => {
        await runtime.runPromise(steps.open(now))
        while ((await runtime.runPromise(steps.step(now))) === "posted");
      },
      letters: async (): Promise<
        ReadonlyArray<{ readonly to: string; readonly subject: string; readonly text: string }>
      > => use(Effect.flatMap(Mailer, ({ outbox }) => outbox(null))),
    }
  }

  const newWorkspace = async (): Promise<string> => {
    const id = newId()
    await sql`insert into workspaces (id, name, slug) values (${id}, 'Acme', ${`acme-${id}`})`
    return id
  }

  /** A published event at `START`, for which these people registered so long before it. */
  const newEvent = async (
    people: { readonly [email: string]: number },
    fields: { readonly [column: string]: unknown } = {},
  ): Promise<{ readonly id: string; readonly workspaceId: string }> => {
    const id = newId()
    const workspaceId = await newWorkspace()
    const row = {
      status: "scheduled",
      visibility: "public",
      scheduled_at: toTimestamp(START),
      reminders: true,
      time_zone: null as string | null,
      reminder_minutes: null as ReadonlyArray<number> | null,
      language: null as string | null,
      cover_url: null as string | null,
      email_texts: null as { readonly confirmation: string | null; readonly reminder: string | null } | null,
      ...fields,
    }
    await sql`
      insert into events (id, workspace_id, type, title, allow_anonymous_voting, allow_anonymous_questions, metadata,
                          status, visibility, scheduled_at, reminders, time_zone, reminder_minutes, language,
                          cover_url, email_texts)
      values (${id}, ${workspaceId}, 'webinar', 'Launch', false, false, '{}',
              ${row.status}, ${row.visibility}, ${row.scheduled_at}, ${row.reminders}, ${row.time_zone},
              ${row.reminder_minutes === null ? null : sql.json(row.reminder_minutes)}, ${row.language},
              ${row.cover_url}, ${row.email_texts === null ? null : sql.json(row.email_texts)})`
    for (const [email, before] of Object.entries(people)) {
      await sql`
        insert into registrations (id, event_id, name, email, created_at)
        values (${newId()}, ${id}, ${`Name of ${email}`}, ${email}, ${toTimestamp(START - before)})`
    }
    return { id, workspaceId }
  }
  const move = (id: string, to: number) => sql`update events set scheduled_at = ${toTimestamp(to)} where id = ${id}`

  return { database, sql, mail, openNode, newEvent, move }
}
