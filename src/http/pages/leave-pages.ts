/** The page behind "I cannot come" in a registrant's emails. Opening it changes nothing; its button gives the place free. */
import { Effect } from "effect"
import { readEntryToken } from "../../identity/accounts/entry.ts"
import { Conflict, NotFound } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { findEvent } from "../../store/events/events.ts"
import { freePlace } from "../handlers/events/freed-places.ts"
import { HttpSettings } from "../requests/settings.ts"
import type { HttpRequest } from "../transport/message.ts"
import { html, openingPage, openRoute, type PageRoute, readForm, renderPage } from "./page.ts"

const idIn = (request: HttpRequest): string => request.params["id"] ?? ""

/** The registration of the link and its event. An event that is over has no places to give free. */
const placeOf = (token: string, request: HttpRequest) =>
  Effect.gen(function* () {
    const { id, eventId, name } = yield* readEntryToken(idIn(request), token)
    const event = yield* (yield* Database).run((sql) => findEvent(sql, eventId))
    if (event === undefined) return yield* NotFound.of("event")
    if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
    return { id, name, event }
  })

const ask = (token: string, request: HttpRequest) =>
  Effect.map(placeOf(token, request), ({ name, event }) =>
    renderPage(
      "You cannot come?",
      html`<p>${name}, you have a place at <strong>${event.title}</strong>. If you cannot come, give it free for somebody else.</p>
<form method="post" action="/leave/${event.id}"><input type="hidden" name="token" value="${token}"><button>I cannot come</button></form>`,
    ),
  )

export const leavePages = [
  {
    method: "GET",
    path: "/leave/:id",
    answer: (request) =>
      Effect.succeed(openingPage("You cannot come?", `/leave/${encodeURIComponent(idIn(request))}/open`)),
  },
  openRoute("/leave/:id", ask),
  {
    method: "POST",
    path: "/leave/:id",
    limit: "publicRead",
    answer: (request) =>
      Effect.gen(function* () {
        const { appUrl } = yield* HttpSettings
        const field = yield* readForm(request)
        const { id, event } = yield* placeOf(field("token"), request)
        yield* freePlace(event, id)
        return renderPage(
          "Your place is free",
          html`<p>You have no place at <strong>${event.title}</strong> any more. If you can come after all, <a href="${appUrl}/enter/${event.id}">register again</a>.</p>`,
        )
      }),
  },
] satisfies ReadonlyArray<PageRoute>
