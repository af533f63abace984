/** Reports of an event. JSON comes in pages; CSV is the whole list, read page by page. */
import { Clock, Effect, Semaphore } from "effect"
import { entryLinkOf, issueEntryToken } from "../../../identity/accounts/entry.ts"
import { entryLetter } from "../../../mail/letters.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { Conflict, NotFound } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import type { Poll, Round } from "../../../model/live/live-records.ts"
import { registeredAs } from "../../../model/participants.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database, type Queryable } from "../../../store/database.ts"
import { deleteRegistration, findRegistrationById } from "../../../store/events/registrations.ts"
import {
  type AttendeeRow,
  decodeReportCursor,
  pageAttendees,
  pageMessages,
  pagePolls,
  pageRegistrations,
  pageRounds,
  type RegisteredRow,
  type ReportedMessage,
  type ReportPosition,
} from "../../../store/events/reports.ts"
import type { Page, PageRequest } from "../../../store/page.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { CSV, type Reports } from "../../contract/events/reports.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { type Columns, CsvWriter } from "../../requests/csv.ts"
import { RateLimits } from "../../requests/limits/rate-limits.ts"
import { pageReply, pageRequestBy } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { requireProvedOrganiser } from "../workspaces/letters-to-others.ts"
import { ask } from "./live-commands.ts"
import { appendRegistrationNotice } from "./registration-notices.ts"

interface ReportCall {
  readonly path: string
  readonly query: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
  readonly scope: { readonly event: Event }
}

type ReadPage<Item> = (sql: Queryable, eventId: string, request: PageRequest<ReportPosition>) => Promise<Page<Item>>

/** Rows read at once for a file. */
const ROWS_AT_ONCE = 2000
/** Of one file: an event has at most 100,000 people, of some 200 characters each. */
const MOST_CHARACTERS = 32 * 1_048_576
/** Files in memory at once, of all callers. */
const filesAtOnce = Semaphore.makeUnsafe(2)

const TOO_LONG = new Conflict({
  detail: `The file would have more than ${MOST_CHARACTERS} characters; read it in pages.`,
})

const writtenFile = <Item>(eventId: string, read: ReadPage<Item>, columns: Columns<Item>) =>
  Effect.gen(function* () {
    const database = yield* Database
    const writer = new CsvWriter(columns)
    let after: ReportPosition | null = null
    while (writer.length <= MOST_CHARACTERS) {
      const request: PageRequest<ReportPosition> = { limit: ROWS_AT_ONCE, after }
      const page: Page<Item> = yield* database.run((sql) => read(sql, eventId, request))
      writer.add(page.rows)
      after = page.nextCursor === null ? null : (decodeReportCursor(page.nextCursor) ?? null)
      if (after === null) return writer.text()
    }
    return yield* TOO_LONG
  })

const wholeFile = <Item>(eventId: string, read: ReadPage<Item>, columns: Columns<Item>) =>
  filesAtOnce.withPermits(1)(writtenFile(eventId, read, columns))

const report = <Name extends string, Item, View>(
  call: ReportCall,
  list: Name,
  read: ReadPage<Item>,
  view: (item: Item) => View,
  columns: Columns<Item>,
) =>
  Effect.gen(function* () {
    const { id } = call.scope.event
    const body = (items: ReadonlyArray<View>, nextCursor: string | null) =>
      ({ [list]: items, nextCursor }) as { readonly [N in Name]: ReadonlyArray<View> } & {
        readonly nextCursor: string | null
      }
    if (call.query.format === "csv") {
      const content = yield* wholeFile(id, read, columns)
      return new Reply(body([], null), {
        text: { contentType: `${CSV}; charset=utf-8`, content },
        headers: [["content-disposition", `attachment; filename="${list}-${id}.csv"`]],
      })
    }
    const request = yield* pageRequestBy(call.query, decodeReportCursor)
    const page = yield* (yield* Database).run((sql) => read(sql, id, request))
    return pageReply(call, page, body(page.rows.map(view), page.nextCursor))
  })

const same = <A>(item: A): A => item

const ATTENDANCE: Columns<AttendeeRow> = {
  names: [
    "participantId",
    "userId",
    "name",
    "email",
    "role",
    "kind",
    "present",
    "firstJoinedAt",
    "lastLeftAt",
    "seconds",
    "stays",
  ],
  rowsOf: (row) => [
    [
      row.participantId,
      row.userId,
      row.name,
      row.email,
      row.role,
      row.kind,
      row.present,
      row.firstJoinedAt,
      row.lastLeftAt,
      row.seconds,
      row.stays,
    ],
  ],
}

const REGISTRATIONS: Columns<RegisteredRow> = {
  names: ["id", "name", "email", "createdAt"],
  rowsOf: ({ id, name, email, createdAt }) => [[id, name, email, createdAt]],
}

const CHAT: Columns<ReportedMessage> = {
  names: ["id", "at", "to", "roomId", "participantId", "name", "role", "text", "replyTo"],
  rowsOf: ({ id, at, to, roomId, participantId, name, role, text, replyTo }) => [
    [id, at, to, roomId, participantId, name, role, text, replyTo],
  ],
}

const resultOf = ({ id, question, kind, status, voters, options, counts, createdAt, openedAt, closedAt }: Poll) => ({
  id,
  question,
  kind,
  status,
  voters,
  options: options.map((option, index) => ({ ...option, votes: counts[index] ?? 0 })),
  createdAt,
  openedAt,
  closedAt,
})

const POLLS: Columns<Poll> = {
  names: ["pollId", "question", "kind", "status", "voters", "optionId", "option", "votes"],
  rowsOf: (poll) => {
    const { id, question, kind, status, voters, options } = resultOf(poll)
    return options.map((option) => [id, question, kind, status, voters, option.id, option.text, option.votes])
  },
}

const roundOf = ({ id, n, at, groups, byes }: Round) => ({ id, number: n, at, groups, byes })

const ROUNDS: Columns<Round> = {
  names: ["roundId", "number", "at", "group", "participantId"],
  rowsOf: ({ id, n, at, groups, byes }) => [
    ...groups.flatMap((people, index) => people.map((person) => [id, n, at, index + 1, person])),
    ...byes.map((person) => [id, n, at, null, person]),
  ],
}

export const reports: Handlers<typeof Reports> = {
  listAttendance: {
    access: "event",
    handle: (call) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        report(
          call,
          "attendees",
          (sql, eventId, request) => pageAttendees(sql, eventId, toTimestamp(now), request),
          same,
          ATTENDANCE,
        ),
      ),
  },
  listRegistrations: {
    access: "event",
    handle: (call) =>
      report(
        call,
        "registrations",
        (sql, eventId, request) => pageRegistrations(sql, eventId, call.query.q ?? "", request),
        same,
        REGISTRATIONS,
      ),
  },
  cancelRegistration: {
    access: "event",
    handle: ({ params: { registrationId }, scope: { event } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const isThere = yield* database.run((sql) => findRegistrationById(sql, event.id, registrationId))
        if (isThere === undefined) return yield* NotFound.of("registration")
        // First out of the event and then off the list: a repeat after a fault does both again.
        if (event.status === "scheduled" || event.status === "live") {
          const remove = { type: "participant.remove", d: { id: registeredAs(registrationId), block: true } } as const
          yield* ask(event.id, remove, null).pipe(Effect.catchTag("Conflict", () => Effect.void))
        }
        const now = toTimestamp(yield* Clock.currentTimeMillis)
        yield* database.transaction((sql) =>
          Effect.gen(function* () {
            const gone = yield* query(() => deleteRegistration(sql, event.id, registrationId))
            // Of several cancels at once one deletes the registration; the others are 404 and not in the audit log.
            if (gone === undefined) return yield* NotFound.of("registration")
            yield* query(() => appendRegistrationNotice(sql, "registration.cancelled", event, gone, now))
          }),
        )
        yield* afterCommit(Effect.sync((yield* OutboxSignal).notify))
      }),
  },
  resendRegistration: {
    access: "event",
    handle: ({ params: { registrationId }, scope: { event, workspaceId } }) =>
      Effect.gen(function* () {
        if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
        const { appUrl } = yield* HttpSettings
        const mailer = yield* Mailer
        const database = yield* Database
        const person = yield* database.run((sql) => findRegistrationById(sql, event.id, registrationId))
        if (person === undefined) return yield* NotFound.of("registration")
        yield* requireProvedOrganiser(workspaceId)
        yield* (yield* RateLimits).mail("entry", person.email)
        yield* database.transaction((sql) =>
          query(async () => {
            const token = await issueEntryToken(sql, registrationId)
            const letter = { name: person.name, event: event.title, when: event.scheduledAt }
            await mailer.post(sql, entryLetter(person.email, letter, entryLinkOf(appUrl, event.id, token)))
          }),
        )
        mailer.collect()
        return { sent: true }
      }),
  },
  listChat: { access: "event", handle: (call) => report(call, "messages", pageMessages, same, CHAT) },
  listPolls: { access: "event", handle: (call) => report(call, "polls", pagePolls, resultOf, POLLS) },
  listRounds: { access: "event", handle: (call) => report(call, "rounds", pageRounds, roundOf, ROUNDS) },
}
