/** Series: their events are made at once and are ordinary ones, so each change goes through the actor of each event. */

import { Effect, Result } from "effect"
import type { AgendaCommand } from "../../../actors/commands.ts"
import { calendarFeed } from "../../../mail/calendar.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { BadRequest, Conflict, NotFound } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { startsOf } from "../../../model/recurrence.ts"
import { type Timestamp, toMillis, toTimestamp } from "../../../model/timestamp.ts"
import { wallClock } from "../../../model/wall-time.ts"
import { requireAndLock } from "../../../store/accounts/credentials.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { listCalendarOfSeries } from "../../../store/events/calendar-events.ts"
import { type EventAgenda, holdEvent } from "../../../store/events/events.ts"
import {
  type EventOfSeries,
  findSeries,
  insertSeries,
  joinSeries,
  listEventsOfSeries,
  pageSeries,
  type StoredSeries,
} from "../../../store/events/series.ts"
import { query } from "../../../store/query.ts"
import type { SeriesApi, SeriesInput } from "../../contract/events/series.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { run } from "../../requests/management.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { insertHosted, newDraft, storeCopies } from "./event-drafts.ts"
import { ask } from "./live-commands.ts"
import { registerForSeries } from "./series-registration.ts"

/** Events changed at the same time: each is loaded and committed by itself. */
const AT_ONCE = 4

const withEvents = (series: StoredSeries) =>
  Effect.map(
    run((sql) => listEventsOfSeries(sql, series.id)),
    (events) => ({ ...series, events }),
  )

const SOURCE =
  "must name an event of the workspace that has a start, has not begun, and is neither cancelled nor in a series"

/** The starts of the other events, in order. */
const otherStarts = ({ rrule, timeZone, exdates = [] }: SeriesInput, first: Timestamp) =>
  Effect.gen(function* () {
    const named = startsOf(rrule, first, timeZone)
    if (Result.isFailure(named)) return yield* BadRequest.ofField("rrule", named.failure)
    const [, ...others] = named.success
    const unknown = exdates.find((at) => !others.includes(at))
    if (unknown !== undefined) {
      return yield* BadRequest.ofField("exdates", `${unknown} is no start that the rule names after the first`)
    }
    return others.filter((at) => !exdates.includes(at))
  })

/** Reads the first event and its start; a stored one stays until the transaction ends. */
const firstEvent = (sql: Queryable, id: string, workspaceId: string) =>
  Effect.gen(function* () {
    const first = yield* query(() => holdEvent(sql, id))
    const { scheduledAt = null, status, cancelledAt } = first ?? {}
    const isPlanned = (status === "draft" || status === "scheduled") && cancelledAt === null
    if (first?.workspaceId !== workspaceId || scheduledAt === null || !isPlanned) {
      return yield* BadRequest.ofField("eventId", SOURCE)
    }
    return { first, scheduledAt }
  })

const storeSeries = (
  sql: Queryable,
  input: SeriesInput,
  { first, scheduledAt }: { readonly first: EventAgenda; readonly scheduledAt: Timestamp },
  accountId: string | null,
) =>
  Effect.gen(function* () {
    const { rrule, timeZone } = input
    const { id, title, workspaceId } = first
    const starts = yield* otherStarts(input, scheduledAt)
    const series = yield* query(() => insertSeries(sql, { id: newId(), workspaceId, rrule, timeZone }))
    const inputs = starts.map((at) => ({ title, scheduledAt: at }))
    const copies = yield* storeCopies(sql, first, inputs, accountId)
    const joined = yield* query(() => joinSeries(sql, series.id, [id, ...copies.map((copy) => copy.id)]))
    if (!joined) return yield* new Conflict({ detail: "The event is a template, or already belongs to a series." })
    return { ...series, events: yield* query(() => listEventsOfSeries(sql, series.id)) }
  })

const create = (input: SeriesInput, { workspaceId, credential, accountId }: Scopes["workspace"]) =>
  Effect.gen(function* () {
    const { event, eventId } = input
    const draft = event === undefined ? undefined : yield* newDraft(event, workspaceId)
    if ((draft === undefined) === (eventId === undefined)) {
      return yield* BadRequest.ofFields(["event", "eventId"], "one of the two is needed")
    }
    if (event !== undefined && (event.scheduledAt ?? null) === null) {
      return yield* BadRequest.ofField("event", "scheduledAt is needed")
    }
    return yield* (yield* Database).transaction((sql) =>
      Effect.gen(function* () {
        yield* requireAndLock(sql, workspaceId, credential, "members")
        if (draft !== undefined) yield* insertHosted(sql, draft, accountId)
        const first = yield* firstEvent(sql, draft?.event.id ?? eventId ?? "", workspaceId)
        return yield* storeSeries(sql, input, first, accountId)
      }),
    )
  })

/** Events from this one on that have not begun and are not cancelled. */
const pendingFrom = (events: ReadonlyArray<EventOfSeries>, from: string | undefined) =>
  Effect.gen(function* () {
    const index = from === undefined ? 0 : events.findIndex(({ id }) => id === from)
    if (index < 0) return yield* BadRequest.ofField("from", "must name an event of the series")
    return events
      .slice(index)
      .filter(({ status, cancelledAt }) => (status === "draft" || status === "scheduled") && cancelledAt === null)
  })

/** Sends each event its command. An event that refuses it, because it has changed meanwhile, does not stop the others. */
const change = (
  series: StoredSeries,
  from: string | undefined,
  commandFor: (event: EventOfSeries) => AgendaCommand | null,
) =>
  Effect.gen(function* () {
    const pending = yield* pendingFrom((yield* withEvents(series)).events, from)
    const refused = yield* Effect.forEach(
      pending,
      (event) => {
        const { id } = event
        const command = commandFor(event)
        if (command === null) return Effect.succeed([])
        const refusal = ({ detail }: { readonly detail: string }) => Effect.succeed([{ eventId: id, detail }])
        return Effect.as(ask(id, command, null), []).pipe(Effect.catchTags({ Conflict: refusal, NotFound: refusal }))
      },
      { concurrency: AT_ONCE },
    )
    return { ...(yield* withEvents(series)), refused: refused.flat() }
  })

/** Timestamps have years of four digits. */
const LAST = Date.UTC(9999, 11, 31, 23, 59)

interface Timing {
  readonly startTime?: string
  readonly durationMinutes?: number
}

/** The times that a patch of the series gives an event: its day stays, and so does the distance of its end unless a duration is given. */
const timesOf = (
  { scheduledAt, scheduledEndAt }: EventOfSeries,
  { startTime, durationMinutes }: Timing,
  timeZone: string,
) => {
  if (scheduledAt === null || (startTime === undefined && durationMinutes === undefined)) return {}
  const start = toMillis(scheduledAt)
  const clock = wallClock(timeZone)
  const at = (time: string): number => {
    const [hours = 0, minutes = 0] = time.split(":").map(Number)
    return clock.timeOf(new Date(clock.shown(start)).setUTCHours(hours, minutes, 0, 0))
  }
  const moved = startTime === undefined ? start : at(startTime)
  const kept = scheduledEndAt === null ? null : toMillis(scheduledEndAt) - start
  const length = durationMinutes === undefined ? kept : durationMinutes * 60_000
  const end = length === null ? null : toTimestamp(Math.min(LAST, moved + length))
  // An event that was moved meanwhile keeps its start where the patch gives none.
  return startTime === undefined
    ? { scheduledEndAt: end }
    : { scheduledAt: toTimestamp(Math.min(LAST, moved)), scheduledEndAt: end }
}

export const series = {
  createSeries: {
    access: "workspace",
    handle: ({ payload, scope }) =>
      Effect.map(
        create(payload, scope),
        (made) =>
          new Reply(made, { status: 201, headers: [["location", `/v1/series/${made.id}`]], targets: [made.id] }),
      ),
  },
  listSeries: {
    access: "workspace",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* run((sql) => pageSeries(sql, call.scope.workspaceId, call.query.eventId, request))
        return pageReply(call, page, { series: page.rows, nextCursor: page.nextCursor })
      }),
  },
  getSeries: { access: "series", handle: ({ scope }) => withEvents(scope.series) },
  patchSeries: {
    access: "series",
    handle: ({ payload: { from, changes = {}, ...timing }, scope }) =>
      change(scope.series, from, (event) => ({
        type: "event.patch",
        d: { ...changes, ...timesOf(event, timing, scope.series.timeZone) },
      })),
  },
  publishSeries: {
    access: "series",
    handle: ({ scope }) =>
      change(scope.series, undefined, ({ status }) => (status === "draft" ? { type: "event.publish", d: {} } : null)),
  },
  endSeries: {
    access: "series",
    handle: ({ payload: { from, ...reason }, scope }) =>
      change(scope.series, from, () => ({ type: "event.cancel", d: reason })),
  },
  getSeriesCalendar: {
    access: "public",
    handle: ({ params }) =>
      Effect.gen(function* () {
        const { appUrl } = yield* HttpSettings
        const { sender } = yield* Mailer
        const found = yield* run((sql) => findSeries(sql, params.id))
        const events = found === undefined ? [] : yield* run((sql) => listCalendarOfSeries(sql, found.id))
        const [first] = events
        if (first === undefined) return yield* NotFound.of("public series")
        const pageOf = (eventId: string) => `${appUrl}/enter/${eventId}`
        return new Reply(calendarFeed(first.title, events, { pageOf, sender }), {
          headers: [["content-disposition", 'attachment; filename="series.ics"']],
        })
      }),
  },
  registerForSeries: { access: "public", handle: ({ params, payload }) => registerForSeries(params.id, payload) },
} satisfies Handlers<typeof SeriesApi>
