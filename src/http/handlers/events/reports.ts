/** Reports of an event. */
import { Clock, Effect } from "effect"
import { Mailer } from "../../../mail/mailer.ts"
import { Conflict, NotFound } from "../../../model/errors.ts"
import type { FormQuestion } from "../../../model/forms/form.ts"
import { givenAnswers } from "../../../model/forms/questions.ts"
import type { Poll, Round } from "../../../model/live/live-records.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { findCalendarEvent } from "../../../store/events/calendar-events.ts"
import { listWordings } from "../../../store/events/forms.ts"
import { isAdded } from "../../../store/events/imports.ts"
import { findRegistrationById } from "../../../store/events/registrations.ts"
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
} from "../../../store/events/reports.ts"
import { isBounced } from "../../../store/mail/bounces.ts"
import type { PagePosition } from "../../../store/page.ts"
import { query } from "../../../store/query.ts"
import type { Reports } from "../../contract/events/reports.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import type { Handlers } from "../../requests/call.ts"
import type { Columns } from "../../requests/csv.ts"
import { type ListCall, listOrFile, type ReadPage } from "../../requests/file.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { countEmailsToOthers, requireProvedOrganiser } from "../workspaces/mail-to-others.ts"
import { answerColumns } from "./answer-columns.ts"
import { confirmations } from "./confirmations.ts"
import { freePlace } from "./freed-places.ts"

const report = <Name extends string, Item, View>(
  call: ListCall,
  list: Name,
  read: ReadPage<Item, PagePosition>,
  view: (item: Item) => View,
  columns: Columns<Item>,
) => listOrFile(call, list, { read, decode: decodeReportCursor, view, columns })

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
    "questions",
    "questionVotes",
    "pollVotes",
    "messages",
    "rounds",
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
      row.questions,
      row.questionVotes,
      row.pollVotes,
      row.messages,
      row.rounds,
    ],
  ],
}

/** The registrations with their answers: a column for each question of the form. */
const registrationColumns = (wordings: ReadonlyArray<FormQuestion>): Columns<RegisteredRow> => {
  const { names, cellsOf } = answerColumns(wordings)
  return {
    names: [
      "id",
      "name",
      "email",
      "createdAt",
      "state",
      "position",
      "offerEndsAt",
      "declineReason",
      "bouncedAt",
      ...names,
    ],
    rowsOf: ({ id, name, email, createdAt, state, position, offerEndsAt, declineReason, bouncedAt, answers }) => [
      [id, name, email, createdAt, state, position, offerEndsAt, declineReason, bouncedAt, ...cellsOf(answers)],
    ],
  }
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

export const reports = {
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
      Effect.gen(function* () {
        const wordings = yield* (yield* Database).run((sql) => listWordings(sql, call.scope.event.id, "registration"))
        return yield* report(
          call,
          "registrations",
          (sql, eventId, request) => pageRegistrations(sql, eventId, call.query, request),
          (row) => ({ ...row, answers: givenAnswers(wordings, row.answers) }),
          registrationColumns(wordings),
        )
      }),
  },
  cancelRegistration: {
    access: "event",
    handle: ({ params: { registrationId }, scope: { event } }) => freePlace(event, registrationId, "organiser"),
  },
  resendRegistration: {
    access: "event",
    handle: ({ params: { registrationId }, scope: { event, workspaceId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const person = yield* database.run((sql) => findRegistrationById(sql, event.id, registrationId))
        const stored = yield* database.run((sql) => findCalendarEvent(sql, event.id))
        if (stored?.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
        if (stored?.isCancelled === true) return yield* new Conflict({ detail: "The event is cancelled." })
        if (person === undefined || stored === undefined) return yield* NotFound.of("registration")
        if (yield* database.run((sql) => isBounced(sql, workspaceId, person.email))) {
          return yield* new Conflict({
            detail: "The address takes no emails: take the report of its bounce back first.",
          })
        }
        yield* requireProvedOrganiser(workspaceId)
        yield* (yield* RateLimits).mail("entry", person.email)
        const confirm = yield* confirmations
        const now = toTimestamp(yield* Clock.currentTimeMillis)
        const { mailPerWorkspacePerDay } = yield* HttpSettings
        const sent = yield* database.transaction((sql) =>
          Effect.gen(function* () {
            const isCounted = yield* query(() => isAdded(sql, registrationId))
            yield* countEmailsToOthers(sql, workspaceId, isCounted ? 1 : 0, mailPerWorkspacePerDay)
            return yield* query(() => confirm(sql, stored, person, now, isCounted))
          }),
        )
        ;(yield* Mailer).collect()
        return { sent }
      }),
  },
  listChat: { access: "event", handle: (call) => report(call, "messages", pageMessages, same, CHAT) },
  listPolls: { access: "event", handle: (call) => report(call, "polls", pagePolls, resultOf, POLLS) },
  listRounds: { access: "event", handle: (call) => report(call, "rounds", pageRounds, roundOf, ROUNDS) },
} satisfies Handlers<typeof Reports>
