/**
 * The attendee's page with its event embedded. The first paint and link previews show the title and description without scripts, and the
 * script finds the answer of its first read in the page. The page of an event that not everybody may read is the built file, without the
 * event.
 */
import { Effect, Option, Schema } from "effect"
import { EventBranding, Language } from "../../model/presentation.ts"
import { coverPattern } from "../../model/shades.ts"
import { cut } from "../../model/text/cut.ts"
import { markdownLine } from "../../model/text/markdown.ts"
import { isTimeZone } from "../../model/zoned-moment.ts"
import { cardAddress } from "../cards/card-address.ts"
import { tagged } from "../transport/etag.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { brandStyle, themeAttribute } from "./brand-style.ts"
import { Html, html } from "./page.ts"
import { structuredDataOf } from "./structured-data.ts"

/** Answers `GET /v1/public/events/{id}` for the event in a page's path, as for a caller without credentials. */
export type ReadPublicEvent<R> = (request: HttpRequest) => Effect.Effect<HttpResponse, never, R>

/** Timeout for the database, after which the page is sent without its event and the script reads it. */
const READ_WITHIN_MS = 1000

const Shown = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    title: Schema.String,
    description: Schema.NullOr(Schema.String),
    descriptionHtml: Schema.NullOr(Schema.String),
    language: Schema.NullOr(Language),
    coverUrl: Schema.NullOr(Schema.String),
    workspace: Schema.Struct({ name: Schema.String }),
    branding: EventBranding,
    status: Schema.String,
    visibility: Schema.String,
    scheduledAt: Schema.NullOr(Schema.String),
    scheduledEndAt: Schema.NullOr(Schema.String),
    timeZone: Schema.NullOr(Schema.String),
    location: Schema.NullOr(Schema.String),
    capacity: Schema.NullOr(Schema.Struct({ total: Schema.Int })),
    cast: Schema.Array(Schema.Struct({ name: Schema.String })),
    speakers: Schema.Array(Schema.Struct({ name: Schema.String })),
    cancelReason: Schema.NullOr(Schema.String),
    cancelledAt: Schema.NullOr(Schema.String),
  }),
)
const readShown = Schema.decodeUnknownOption(Shown)

/** Placeholders in the built file that an event replaces. */
const TITLE = "<title>Gathercue</title>"
const ROOT = '<div id="root"></div>'

const partsOf = (file: string): readonly [head: string, middle: string, end: string] => {
  const [head, rest = ""] = file.split(TITLE)
  const [middle, end] = rest.split(ROOT)
  if (head === undefined || middle === undefined || end === undefined) {
    throw new Error("the attendee's page was built without its title or its root")
  }
  return [head, middle, end]
}

/** Longer descriptions are cut by programs that show previews. */
const PREVIEW_CHARACTERS = 300

const previewOf = (event: typeof Shown.Type, publicUrl: string): string => {
  const { id, title, description, coverUrl, visibility, workspace, branding } = event
  const text = cut(markdownLine(description ?? ""), PREVIEW_CHARACTERS)
  const described =
    text === ""
      ? html``
      : html`<meta name="description" content="${text}"><meta property="og:description" content="${text}">`
  const page = `${publicUrl}/e/${id}`
  const image = coverUrl ?? cardAddress(page, { ...event, workspace: workspace.name, accent: branding.accent })
  const size =
    coverUrl === null
      ? html`<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">`
      : html``
  const pictured = html`<meta property="og:image" content="${image}">${size}<meta name="twitter:card" content="summary_large_image">`
  const site = html`<meta property="og:url" content="${page}"><meta property="og:site_name" content="${workspace.name}">`
  const embed = html`<link rel="alternate" type="application/json+oembed" href="${`${publicUrl}/oembed?format=json&url=${encodeURIComponent(page)}`}" title="${title}">`
  // An unlisted event is meant for people who have its link.
  const robots = visibility === "public" ? html`` : html`<meta name="robots" content="noindex">`
  const tags = html`<title>${title}</title><meta property="og:type" content="website"><meta property="og:title" content="${title}">${site}${described}${pictured}${embed}${robots}`
  return tags.text + structuredDataOf(event, text, { page, image })
}

/**
 * The time in the page's language and the event's time zone, formatted like `moment` in `packages/web/src/texts/language.tsx`. The server
 * does not know the viewer's time zone, so the script replaces the text.
 */
const momentIn = (language: string, timestamp: string, timeZone: string | null): string =>
  new Intl.DateTimeFormat(language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: timeZone !== null && isTimeZone(timeZone) ? timeZone : "UTC",
    timeZoneName: "short",
  }).format(new Date(timestamp))

/** An empty line reserves the space for what the script adds, in the words of the page's language. */
const LATER = html`<p>&nbsp;</p>`

const fact = (content: Html): Html => html`<li class="fact"><span class="fact-icon"></span><div>${content}</div></li>`

const whenOf = (event: typeof Shown.Type, language: string): Html => {
  const { status, scheduledAt, timeZone, cancelledAt, cancelReason } = event
  if (cancelledAt !== null) return cancelReason === null ? html`` : fact(html`<p>${cancelReason}</p>`)
  if (status === "live") return html``
  if (status !== "scheduled" || scheduledAt === null) return fact(LATER)
  const time = html`<p><time datetime="${scheduledAt}">${momentIn(language, scheduledAt, timeZone)}</time></p>`
  return fact(html`${time}${timeZone === null ? html`` : LATER}`)
}

const factsOf = (event: typeof Shown.Type, language: string): Html => {
  const { location, capacity, cast, status, cancelledAt } = event
  const isOver = status === "ended"
  const place = location === null ? html`` : fact(html`${location}`)
  const people = cast.length === 0 || isOver ? html`` : fact(html`${cast.map(({ name }) => name).join(", ")}`)
  const places = capacity === null || isOver || cancelledAt !== null ? html`` : fact(html`&nbsp;`)
  return html`<ul class="facts">${whenOf(event, language)}${place}${people}${places}</ul>`
}

/** The event as the script shows it (`packages/web/src/attendee/event-card.tsx`), so that on a wide window nothing moves when it does. */
const cardOf = (event: typeof Shown.Type, language: string): Html => {
  const { title, descriptionHtml, coverUrl, workspace, branding, status, cancelledAt } = event
  const described =
    descriptionHtml === null
      ? html``
      : html`<section><h2 aria-hidden="true">&nbsp;</h2><div class="prose">${new Html(descriptionHtml)}</div></section>`
  const cover =
    coverUrl === null
      ? html`<div class="cover cover-made" data-pattern="${String(coverPattern(title))}"></div>`
      : html`<img class="cover" src="${coverUrl}" alt="">`
  const logo =
    branding.logoUrl === null ? html`` : html`<img class="logo" src="${branding.logoUrl}" alt="${workspace.name}">`
  const state = status === "live" || cancelledAt !== null ? html`<p class="badge">&nbsp;</p>` : html``
  const tools = html`<div class="row"><span class="button button-later"></span></div>`
  return html`<div id="root"><main class="page event-page"><header class="event-head">${logo}${cover}${state}<h1>${title}</h1>${factsOf(event, language)}${tools}</header><div class="event-about stack">${described}</div></main></div>`
}

/** A data block is not code, so the page's policy does not apply to it. Escaping keeps a `<` inside from ending it. */
const dataOf = (json: string): string =>
  `<script type="application/json" id="public-event">${json.replaceAll("<", "\\u003c")}</script>`

const textOf = ({ body }: HttpResponse): string => (typeof body === "string" ? body : new TextDecoder().decode(body))

const ROOT_ELEMENT = '<html lang="en">'

/** The script takes the event's language for people who chose none. */
const rootOf = ({ language: ofEvent, branding }: typeof Shown.Type, language: string): string =>
  html`<html lang="${language}"${ofEvent === null ? html`` : html` data-language="${ofEvent}"`}${themeAttribute(branding)}>`
    .text

/** Header of the answer that names the language of its page. */
export const LANGUAGE_HEADER = "content-language"

interface BuiltPage {
  readonly file: string
  /** `look`: the page wears the branding of the event, and the script reads the event. */
  readonly shows: "event" | "look"
  /** Headers of each answer with an event. */
  readonly headers: HttpResponse["headers"]
  readonly publicUrl: string
  readonly languageFor: (request: HttpRequest) => string
  /** The answer without an event. */
  readonly plain: (request: HttpRequest) => Effect.Effect<HttpResponse>
}

const wearing = (
  { file, headers }: BuiltPage,
  { branding }: typeof Shown.Type,
): Pick<HttpResponse, "headers" | "body"> => {
  const style = brandStyle(branding, headers)
  const root = html`<html lang="en"${themeAttribute(branding)}>`.text
  return {
    headers: style.headers,
    body: file.replace(ROOT_ELEMENT, () => root).replace("</head>", () => `${style.element}</head>`),
  }
}

/** The page in the event's language, or else in the reader's. */
const filled = (
  { headers, publicUrl }: BuiltPage,
  [head, middle, end]: ReturnType<typeof partsOf>,
  event: typeof Shown.Type,
  { json, readers }: { readonly json: string; readonly readers: string },
): Pick<HttpResponse, "headers" | "body"> => {
  const language = event.language ?? readers
  const begun = head.replace(ROOT_ELEMENT, () => rootOf(event, language))
  const style = brandStyle(event.branding, headers)
  const card = cardOf(event, language).text
  return {
    headers: [...style.headers, [LANGUAGE_HEADER, language]],
    body: [begun, previewOf(event, publicUrl), style.element, middle, card, dataOf(json), end].join(""),
  }
}

export const withEvent = (
  page: BuiltPage,
): (<R>(request: HttpRequest, read: ReadPublicEvent<R>) => Effect.Effect<HttpResponse, never, R>) => {
  const parts = partsOf(page.file)
  const answerWith = (request: HttpRequest, answer: HttpResponse): HttpResponse | undefined => {
    if (answer.status !== 200) return undefined
    const json = textOf(answer)
    const shown = readShown(json)
    if (Option.isNone(shown)) return undefined
    const answered =
      page.shows === "look"
        ? wearing(page, shown.value)
        : filled(page, parts, shown.value, { json, readers: page.languageFor(request) })
    return tagged(request, { status: 200, ...answered })
  }
  return (request, read) =>
    read(request).pipe(
      Effect.timeoutOption(READ_WITHIN_MS),
      Effect.flatMap((answer) => {
        const found = Option.isNone(answer) ? undefined : answerWith(request, answer.value)
        return found === undefined ? page.plain(request) : Effect.succeed(found)
      }),
    )
}
