/** The page of a person who registered and has no place yet: the state of the registration, and a button that takes an offered place. */
import { Effect } from "effect"
import { zonedMoment } from "../../model/zoned-moment.ts"
import { acceptPlace, ownPlace } from "../handlers/events/own-places.ts"
import type { HttpRequest } from "../transport/message.ts"
import { type Html, html, idIn, openingPage, openRoute, type PageRoute, readForm, renderPage } from "./page.ts"

const TITLE = "Your registration"

type Place = Effect.Success<ReturnType<typeof ownPlace>>

const stateOf = ({ standing: { state, position, offerEndsAt, declineReason }, event }: Place): Html => {
  switch (state) {
    case "approved":
      return html`<p>You have a place. The link to enter is in your email.</p>`
    case "pending":
      return html`<p>The organisers decide about your registration; an email will tell you what.</p>`
    case "waiting":
      return html`<p>The event is full. You are number <strong>${String(position ?? 1)}</strong> of the waiting list; when it is your turn, an email offers you a place.</p>`
    case "offered":
      return html`<p>A place is free for you${offerEndsAt === null ? "" : html` until <strong>${zonedMoment(offerEndsAt, event.timeZone, "en")}</strong>`}.</p>`
    case "expired":
      return html`<p>The offer is over, and the place goes to the next person. You may register again.</p>`
    case "declined":
      return html`<p>The organisers have declined your registration.</p>${declineReason === null ? "" : html`<p>${declineReason}</p>`}`
  }
}

const show = (token: string, request: HttpRequest) =>
  Effect.map(ownPlace(idIn(request), token), (place) => {
    const { event, name, standing } = place
    const field = html`<input type="hidden" name="token" value="${token}">`
    const accept =
      standing.state === "offered"
        ? html`<form method="post" action="/place/${event.id}">${field}<button>Take the place</button></form>`
        : ""
    const leave =
      standing.state === "declined"
        ? ""
        : html`<form method="post" action="/leave/${event.id}">${field}<button>I cannot come</button></form>`
    return renderPage(
      TITLE,
      html`<p>${name}, this is your registration for <strong>${event.title}</strong>.</p>${event.cancelledAt === null ? stateOf(place) : html`<p>The event is cancelled.</p>`}${accept}${leave}`,
    )
  })

export const placePages = [
  {
    method: "GET",
    path: "/place/:id",
    answer: (request) => Effect.succeed(openingPage(TITLE, `/place/${encodeURIComponent(idIn(request))}/open`)),
  },
  openRoute("/place/:id", show),
  {
    method: "POST",
    path: "/place/:id",
    limit: "publicRead",
    answer: (request) =>
      Effect.gen(function* () {
        const field = yield* readForm(request)
        const { name, event } = yield* acceptPlace(idIn(request), field("token"))
        return renderPage(
          "You have a place",
          html`<p>${name}, you have a place at <strong>${event.title}</strong>. An email brings you the link to enter.</p>`,
        )
      }),
  },
] satisfies ReadonlyArray<PageRoute>
