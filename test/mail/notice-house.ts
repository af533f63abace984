/** Events with people who are told of changes, on a real database, and nodes that tell them. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import ICAL from "ical.js"
import { afterEach, beforeEach, onTestFinished } from "vitest"
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
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const APP = "https://app.example.com"
export const API = "https://api.example.com"

export const START = toTimestamp(Date.parse("2030-05-01T10:00:00Z"))
export const LATER = toTimestamp(Date.parse("2030-05-02T18:30:00Z"))
export const LATEST = toTimestamp(Date.parse("2030-06-03T08:00:00Z"))

/** The database and the deeds that the tests of a file share. It adds hooks, so a file calls it once, outside of its tests. */
export const noticeHouse = () => {
  const database = sharedDatabase()
  const sql = sharedStore(database)
  beforeEach(async () => {
    await sql`delete from workspaces`
  })
  afterEach(async () => {
    await sql`delete from mails`
  })

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
  const invite = (
    event: { readonly id: string; readonly workspaceId: string },
    email: string,
    status = "pending",
  ) => sql`
    insert into invites (id, workspace_id, event_id, kind, email, role, token_hash, status, created_at, expires_at)
    values (${newId()}, ${event.workspaceId}, ${event.id}, 'event', ${email}, 'speaker',
            ${Buffer.from(newId())}, ${status}, clock_timestamp(), now() + interval '7 days')`
  const change = (id: string, fields: { readonly [column: string]: unknown }) =>
    sql`select update_event(${sql.json({ id, ...fields })})`
  const move = (id: string, scheduledAt: string | null) =>
    sql`update events set scheduled_at = ${scheduledAt} where id = ${id}`

  return { database, sql, openNode, newEvent, register, add, invite, change, move }
}

export const crowd = (size: number) =>
  Array.from({ length: size }, (_, n) => `person-${String(n).padStart(3, "0")}@example.com`)

/** Each reader's story: the known and the new time of each letter, the first letter first. */
export const stories = async (node: Awaited<ReturnType<ReturnType<typeof noticeHouse>["openNode"]>>) => {
  const told = new Map<string, string[]>()
  for (const { to, text } of (await node.letters()).toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))) {
    const days = Array.from(text.matchAll(/(\d+ \w+) 2030/g), ([, day]) => day).join(" > ")
    told.set(to, [...(told.get(to) ?? []), days])
  }
  return told
}

/** The entry of a calendar file, as another program reads it. */
export const entryIn = (file: string | null | undefined) => {
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
