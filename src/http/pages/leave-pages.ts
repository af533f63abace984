/** The page behind "I cannot come" in a registrant's emails. Opening it changes nothing; its button gives the place free. */
import { Effect } from "effect"
import { leavePlace, ownPlace } from "../handlers/events/own-places.ts"
import { HttpSettings } from "../requests/settings.ts"
import type { HttpRequest } from "../transport/message.ts"
import { faceFor } from "./event-face.ts"
import { html, idIn, openingPage, openRoute, type PageRoute, readForm, renderPage } from "./page.ts"
import { speaking } from "./words.ts"

const ask = (token: string, request: HttpRequest) =>
  Effect.gen(function* () {
    const { name, event, standing } = yield* ownPlace(idIn(request), token)
    const face = yield* faceFor(request, event)
    const { words, title } = face
    const hasPlace = standing.state === "approved" || standing.state === "offered"
    const question = hasPlace ? words.giveUp(name, title) : words.withdraw(name, title)
    return renderPage(
      words.cannotCome,
      html`<p>${question}</p>
<form method="post" action="/leave/${event.id}"><input type="hidden" name="token" value="${token}"><button>${words.leave}</button></form>`,
      face,
    )
  })

export const leavePages = [
  {
    method: "GET",
    path: "/leave/:id",
    answer: (request) => {
      const { words, language } = speaking(request)
      return Effect.succeed(openingPage(words.cannotCome, `/leave/${encodeURIComponent(idIn(request))}/open`, language))
    },
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
        const face = yield* faceFor(request, event)
        const { words, title } = face
        const again = (text: string) => html`<a href="${appUrl}/enter/${event.id}">${text}</a>`
        return renderPage(words.placeIsFree, html`<p>${words.left(title, again)}</p>`, face)
      }),
  },
] satisfies ReadonlyArray<PageRoute>
