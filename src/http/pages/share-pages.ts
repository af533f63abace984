/** The face of an event on other sites: its share card, and its answer by oEmbed (https://oembed.com). */
import { Effect } from "effect"
import { NotFound } from "../../model/errors.ts"
import { type Event, isShared } from "../../model/event.ts"
import { parseId } from "../../model/ids.ts"
import { worn } from "../../model/presentation.ts"
import { zonedMoment } from "../../model/zoned-moment.ts"
import { Database } from "../../store/database.ts"
import { findEvent } from "../../store/events/events.ts"
import { findWorkspaceFace, type WorkspaceFace } from "../../store/workspaces/workspaces.ts"
import { CARD_EDITION, cardAddress } from "../cards/card-address.ts"
import { CARD_HEIGHT, CARD_WIDTH, cardSvg } from "../cards/card-svg.ts"
import { cardPng } from "../cards/cards.ts"
import { HttpSettings } from "../requests/settings.ts"
import { etagOf, namesTag, tagged } from "../transport/etag.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { statusText } from "../transport/status-texts.ts"
import { idIn, type PageRoute, queryValue } from "./page.ts"
import { wordsIn } from "./words.ts"

const sharedEvent = (id: string) =>
  Effect.gen(function* () {
    const known = parseId(id)
    const database = yield* Database
    const event = known === undefined ? undefined : yield* database.run((sql) => findEvent(sql, known))
    if (event === undefined || !isShared(event)) return yield* NotFound.of("event")
    return { event, workspace: yield* database.run((sql) => findWorkspaceFace(sql, event.workspaceId)) }
  })

/** The facts on which a card and its address rest. */
const shownOf = (event: Event, { name, branding }: WorkspaceFace) => ({
  ...event,
  workspace: name,
  accent: worn(event, branding).accent,
})

/** The time of the event, after the word that it is cancelled. */
const whenOf = ({ scheduledAt, timeZone, language, cancelledAt }: Event): string =>
  [
    ...(cancelledAt === null ? [] : [wordsIn(language).markCancelled]),
    ...(scheduledAt === null ? [] : [zonedMoment(scheduledAt, timeZone, language ?? "en")]),
  ].join(" · ")

const card = (request: HttpRequest) =>
  Effect.gen(function* () {
    const { event, workspace } = yield* sharedEvent(idIn(request))
    const svg = cardSvg({ ...shownOf(event, workspace), when: whenOf(event) })
    const etag = etagOf(`${CARD_EDITION} ${svg}`)
    const headers: HttpResponse["headers"] = [
      ["content-type", "image/png"],
      ["cache-control", "public, no-cache"],
      ["etag", etag],
    ]
    if (namesTag(request.headers["if-none-match"], etag)) return { status: 304, headers, body: "" }
    return { status: 200, headers, body: yield* cardPng(svg) }
  })

const json = (status: number, body: object, headers: HttpResponse["headers"] = []): HttpResponse => ({
  status,
  // Pages of any site may ask, as they may for everything public.
  headers: [
    ["content-type", status === 200 ? "application/json" : "application/problem+json"],
    ["access-control-allow-origin", "*"],
    ["cache-control", "no-cache"],
    ...headers,
  ],
  body: JSON.stringify(body),
})

const refusal = (status: number, detail: string, headers: HttpResponse["headers"] = []): HttpResponse =>
  json(status, { type: "about:blank", title: statusText(status).slice("501 ".length), status, detail }, headers)

const PAGE = /^\/(?:e|enter)\/([^/]+)\/?$/

/** The event of a page of this server; undefined for any other address. */
const eventAt = (address: string, origins: ReadonlyArray<string>): string | undefined => {
  if (!URL.canParse(address)) return undefined
  const { origin, pathname } = new URL(address)
  return origins.includes(origin) ? PAGE.exec(pathname)?.[1] : undefined
}

/**
 * Always of the type `link`: which sites may show a page of an event in a frame is set by `EMBED_ORIGINS`, and whoever asks here does not say
 * for which site.
 */
const linkTo = (id: string, fits: boolean) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const { event, workspace } = yield* sharedEvent(id)
    return {
      version: "1.0",
      type: "link",
      title: event.title,
      author_name: workspace.name,
      provider_name: "Gathercue",
      provider_url: publicUrl,
      cache_age: 3600,
      ...(fits && {
        thumbnail_url: cardAddress(`${publicUrl}/e/${event.id}`, shownOf(event, workspace)),
        thumbnail_width: CARD_WIDTH,
        thumbnail_height: CARD_HEIGHT,
      }),
    }
  })

/** Whether a size that a site names as its most is enough for the card, which has one size (oEmbed, section 2.3.4). */
const isEnough = (most: string, needed: number): boolean => !/^\d+$/.test(most) || Number(most) >= needed

const oembed = (request: HttpRequest) =>
  Effect.gen(function* () {
    const { publicUrl, appUrl } = yield* HttpSettings
    const [address, format] = [queryValue(request, "url"), queryValue(request, "format")]
    if (format !== "" && format !== "json") {
      return refusal(501, "The only format is json.")
    }
    if (address === "") return refusal(400, "Name the page of an event in `url`.")
    const id = eventAt(
      address,
      [publicUrl, appUrl].map((url) => new URL(url).origin),
    )
    if (id === undefined) return refusal(404, "The address is no page of an event of this server.")
    const [width, height] = [queryValue(request, "maxwidth"), queryValue(request, "maxheight")]
    return yield* linkTo(id, isEnough(width, CARD_WIDTH) && isEnough(height, CARD_HEIGHT)).pipe(
      Effect.map((link) => tagged(request, json(200, link))),
    )
  })

export const sharePages = [
  { method: "GET", path: "/e/:id/card.png", answer: card },
  {
    method: "GET",
    path: "/oembed",
    answer: oembed,
    refuse: ({ status, detail, headers }) => refusal(status, detail, headers),
  },
] satisfies ReadonlyArray<PageRoute>
