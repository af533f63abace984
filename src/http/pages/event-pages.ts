/** The pages behind an entry link and behind the email with a table's notes. */
import { Clock, Effect } from "effect"
import { readEntryToken } from "../../identity/accounts/entry.ts"
import { hashSecret } from "../../identity/secrets.ts"
import { NotFound } from "../../model/errors.ts"
import { type Event, isShared } from "../../model/event.ts"
import { parseId } from "../../model/ids.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { zonedMoment } from "../../model/zoned-moment.ts"
import { Database } from "../../store/database.ts"
import { findEvent } from "../../store/events/events.ts"
import { findTableNotes } from "../../store/events/table-notes.ts"
import type { TableContent } from "../contract/events/table-summary.ts"
import type { HttpRequest } from "../transport/message.ts"
import { type Html, html, openingForm, openingPage, openRoute, type PageRoute, queryValue, renderPage } from "./page.ts"
import { sharePages } from "./share-pages.ts"

const NOBODYS_ID = "00000000-0000-0000-0000-000000000000"

const idIn = (request: HttpRequest): string => parseId(request.params["id"] ?? "") ?? NOBODYS_ID

const STATE: Readonly<Record<Event["status"], string>> = {
  draft: "It is not published yet.",
  scheduled: "It has not begun yet.",
  live: "It is live now.",
  ended: "It has ended.",
}

/** Whether the event takes place, and why it does not. */
const stateOf = ({ status, cancelledAt, cancelReason }: Event): Html => {
  if (cancelledAt === null) return html`<p>${STATE[status]}</p>`
  return html`<p><strong>It is cancelled.</strong></p>${cancelReason === null ? html`` : html`<p>${cancelReason}</p>`}`
}

const timeOf = ({ id, scheduledAt, timeZone }: Event): Html =>
  scheduledAt === null
    ? html`<p>The time is not fixed yet.</p>`
    : html`<p><time datetime="${scheduledAt}">${zonedMoment(scheduledAt, timeZone, "en")}</time>, <a href="/v1/public/events/${id}/calendar.ics">put it into your calendar</a></p>`

const placeOf = ({ location }: Event): Html => (location === null ? html`` : html`<p>${location}</p>`)

const list = (title: string, items: ReadonlyArray<string>): Html =>
  items.length === 0 ? html`` : html`<h2>${title}</h2><ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`

const notesOf = ({ table, summary }: TableContent): Html => html`<p>${table.label}</p><p>${summary.tldr}</p>
${summary.themes.map(({ title, summary: text }) => html`<h2>${title}</h2><p>${text}</p>`)}
${list("Ideas", summary.ideas)}${list("Questions", summary.questions)}
${summary.perQuestion.filter(({ discussed }) => discussed).map(({ question, summary: text }) => html`<h2>${question}</h2><p>${text}</p>`)}`

const showEntry = (token: string, request: HttpRequest) =>
  Effect.gen(function* () {
    const event = yield* (yield* Database).run((sql) => findEvent(sql, idIn(request)))
    if (event === undefined || !isShared(event)) return yield* NotFound.of("event")
    const about = html`${stateOf(event)}${timeOf(event)}${placeOf(event)}`
    if (token === "") {
      const hint = html`<p>To come in, use the personal link from your email.</p>`
      return renderPage(event.title, html`${hint}${openingForm(`/enter/${event.id}/open`)}${about}`, {
        script: "opening",
      })
    }
    const { name } = yield* readEntryToken(event.id, token)
    const greeting = html`<p>Welcome, ${name}. Your place is reserved; keep your link, it is yours alone.</p>`
    return renderPage(event.title, html`${greeting}${about}`)
  })

const showNotes = (token: string, request: HttpRequest) =>
  Effect.gen(function* () {
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    const found = yield* (yield* Database).run((sql) =>
      findTableNotes<TableContent>(sql, idIn(request), hashSecret(token), now),
    )
    if (found === undefined) return yield* NotFound.of("table summary")
    return renderPage(`Notes from ${found.eventTitle}`, notesOf(found.content))
  })

export const eventPages = [
  {
    method: "GET",
    path: "/enter/:id",
    // An older link has its token in the query.
    answer: (request) => showEntry(queryValue(request, "token"), request),
  },
  openRoute("/enter/:id", showEntry),
  {
    method: "GET",
    path: "/events/:id/table-summary",
    answer: (request) => {
      const token = queryValue(request, "t")
      if (token !== "") return showNotes(token, request)
      return Effect.succeed(openingPage("Notes from your table", `${request.path}/open`))
    },
  },
  openRoute("/events/:id/table-summary", showNotes),
  ...sharePages,
] satisfies ReadonlyArray<PageRoute>
