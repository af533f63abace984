/** The page of a person who registered and has no place yet: the state of the registration, and a button that takes an offered place. */
import { Effect } from "effect"
import { zonedMoment } from "../../model/zoned-moment.ts"
import { acceptPlace, ownPlace } from "../handlers/events/own-places.ts"
import type { HttpRequest } from "../transport/message.ts"
import { faceFor } from "./event-face.ts"
import { type Html, html, idIn, openingPage, openRoute, type PageRoute, readForm, renderPage } from "./page.ts"
import { speaking } from "./words.ts"

type Place = Effect.Success<ReturnType<typeof ownPlace>>

const stateOf = (
  { standing: { state, position, offerEndsAt, declineReason }, event }: Place,
  { words, language }: ReturnType<typeof speaking>,
): Html => {
  const bold = (text: string): Html => html`<strong>${text}</strong>`
  switch (state) {
    case "waiting":
      return html`<p>${words.waiting(bold(String(position ?? 1)))}</p>`
    case "offered":
      return offerEndsAt === null
        ? html`<p>${words.offered}</p>`
        : html`<p>${words.offeredUntil(bold(zonedMoment(offerEndsAt, event.timeZone, language)))}</p>`
    case "declined":
      return html`<p>${words.declined}</p>${declineReason === null ? "" : html`<p>${declineReason}</p>`}`
    default:
      return html`<p>${words[state]}</p>`
  }
}

const show = (token: string, request: HttpRequest) =>
  Effect.gen(function* () {
    const place = yield* ownPlace(idIn(request), token)
    const { event, name, standing } = place
    const face = yield* faceFor(request, event)
    const { words, title } = face
    const field = html`<input type="hidden" name="token" value="${token}">`
    const button = (path: string, label: string): Html =>
      html`<form method="post" action="/${path}/${event.id}">${field}<button>${label}</button></form>`
    const state = event.cancelledAt === null ? stateOf(place, face) : html`<p>${words.cancelled}</p>`
    const accept = standing.state === "offered" ? button("place", words.take) : ""
    const leave = standing.state === "declined" ? "" : button("leave", words.leave)
    return renderPage(
      words.yourRegistration,
      html`<p>${words.registrationFor(name, title)}</p>${state}${accept}${leave}`,
      face,
    )
  })

export const placePages = [
  {
    method: "GET",
    path: "/place/:id",
    answer: (request) => {
      const { words, language } = speaking(request)
      return Effect.succeed(
        openingPage(words.yourRegistration, `/place/${encodeURIComponent(idIn(request))}/open`, language),
      )
    },
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
        const face = yield* faceFor(request, event)
        return renderPage(face.words.taken, html`<p>${face.words.hasPlace(name, face.title)}</p>`, face)
      }),
  },
] satisfies ReadonlyArray<PageRoute>
