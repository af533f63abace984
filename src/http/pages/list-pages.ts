/** The public events of a workspace that are to come, as a page with a search and as a calendar. */
import { Clock, Effect } from "effect"
import { calendarFeed } from "../../mail/calendar.ts"
import { Mailer } from "../../mail/mailer.ts"
import { NotFound } from "../../model/errors.ts"
import { isStorable } from "../../model/json.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { zonedMoment } from "../../model/zoned-moment.ts"
import { Database } from "../../store/database.ts"
import { listPublicEvents, type StoredCalendarEvent } from "../../store/events/calendar-events.ts"
import { findListedWorkspace } from "../../store/workspaces/workspaces.ts"
import { CALENDAR } from "../contract/events/calendar-body.ts"
import { HttpSettings } from "../requests/settings.ts"
import { tagged } from "../transport/etag.ts"
import type { HttpRequest } from "../transport/message.ts"
import { type Html, html, type PageRoute, queryValue, renderPage } from "./page.ts"
import { speaking } from "./words.ts"

/** The most events of an answer: the next ones. */
const MOST_EVENTS = 200
const LONGEST_SEARCH = 200
const CALENDAR_SUFFIX = ".ics"
/** An event that begins late stays in the list. */
const LATE_MS = 3_600_000

const NO_LIST = new NotFound({ detail: "There is no list of events at this address." })

const eventsOf = (slug: string, words: string) =>
  Effect.gen(function* () {
    const database = yield* Database
    if (!isStorable(slug)) return yield* NO_LIST
    const workspace = yield* database.run((sql) => findListedWorkspace(sql, slug))
    if (workspace === undefined) return yield* NO_LIST
    const since = toTimestamp((yield* Clock.currentTimeMillis) - LATE_MS)
    const filter = { words: words.slice(0, LONGEST_SEARCH), since, limit: MOST_EVENTS }
    const events = yield* database.run((sql) => listPublicEvents(sql, workspace.id, filter))
    return { workspace, events }
  })

type Speaking = ReturnType<typeof speaking>

const stateOf = ({ isCancelled, status }: StoredCalendarEvent, { words }: Speaking): Html => {
  if (isCancelled) return html` <strong>${words.markCancelled}.</strong>`
  return status === "live" ? html` <strong>${words.markLive}.</strong>` : html``
}

const itemOf = (appUrl: string, event: StoredCalendarEvent, spoken: Speaking): Html => {
  const { id, title, scheduledAt, timeZone, location } = event
  const when =
    scheduledAt === null
      ? html``
      : html`<br><time datetime="${scheduledAt}">${zonedMoment(scheduledAt, timeZone, spoken.language)}</time>`
  const where = location === null ? html`` : html`<br>${location}`
  return html`<li><a href="${appUrl}/enter/${id}">${title}</a>${stateOf(event, spoken)}${when}${where}</li>`
}

const listPage = (request: HttpRequest, slug: string, search: string) =>
  Effect.gen(function* () {
    const { appUrl } = yield* HttpSettings
    const { workspace, events } = yield* eventsOf(slug, search)
    const spoken = speaking(request)
    const { words, language } = spoken
    const form = html`<form role="search"><label>${words.search}<input type="search" name="q" maxlength="200" value="${search}"></label><button>${words.search}</button></form>`
    const none = search === "" ? words.noEvents : words.noneFound
    const list =
      events.length === 0
        ? html`<p>${none}</p>`
        : html`<ul>${events.map((event) => itemOf(appUrl, event, spoken))}</ul>`
    const calendar = html`<p><a href="/w/${slug}${CALENDAR_SUFFIX}">${words.calendar}</a></p>`
    return renderPage(workspace.name, html`${form}${list}${calendar}`, { brand: workspace, language })
  })

const calendar = (slug: string, request: HttpRequest) =>
  Effect.gen(function* () {
    const { appUrl } = yield* HttpSettings
    const { sender } = yield* Mailer
    const { workspace, events } = yield* eventsOf(slug, "")
    const body = calendarFeed(workspace.name, events, { pageOf: (id) => `${appUrl}/enter/${id}`, sender })
    const headers = [
      ["content-type", CALENDAR],
      ["cache-control", "public, no-cache"],
    ] as const
    return tagged(request, { status: 200, headers, body })
  })

export const listPages = [
  {
    method: "GET",
    path: "/w/:slug",
    answer: (request) => {
      const { slug = "" } = request.params
      return slug.endsWith(CALENDAR_SUFFIX)
        ? calendar(slug.slice(0, -CALENDAR_SUFFIX.length), request)
        : listPage(request, slug, queryValue(request, "q").trim())
    },
  },
] satisfies ReadonlyArray<PageRoute>
