/** The page behind "I cannot come" in a registrant's emails. Opening it changes nothing; its button gives the place free. */
import { Effect } from "effect"
import { leavePlace, ownPlace } from "../handlers/events/own-places.ts"
import { HttpSettings } from "../requests/settings.ts"
import type { HttpRequest } from "../transport/message.ts"
import { html, idIn, openingPage, openRoute, type PageRoute, readForm, renderPage } from "./page.ts"

const ask = (token: string, request: HttpRequest) =>
  Effect.map(ownPlace(idIn(request), token), ({ name, event, standing: { state } }) =>
    renderPage(
      "You cannot come?",
      html`<p>${name}, you ${state === "approved" || state === "offered" ? "have a place at" : "are registered for"} <strong>${event.title}</strong>. If you cannot come, give it free for somebody else.</p>
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
        const event = yield* leavePlace(idIn(request), field("token"))
        return renderPage(
          "Your place is free",
          html`<p>You have no place at <strong>${event.title}</strong> any more. If you can come after all, <a href="${appUrl}/enter/${event.id}">register again</a>.</p>`,
        )
      }),
  },
] satisfies ReadonlyArray<PageRoute>
