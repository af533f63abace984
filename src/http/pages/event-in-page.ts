/**
 * The attendee's page with its event embedded. The first paint and link previews show the title and description without scripts, and the
 * script finds the answer of its first read in the page. The page of an event that not everybody may read is the built file, without the
 * event.
 */
import { Effect, Option, Schema } from "effect"
import { Language } from "../../model/presentation.ts"
import { cut } from "../../model/text/cut.ts"
import { markdownLine } from "../../model/text/markdown.ts"
import { isTimeZone } from "../../model/zoned-moment.ts"
import { tagged } from "../transport/etag.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { Html, html } from "./page.ts"

/** Answers `GET /v1/public/events/{id}` for the event in a page's path, as for a caller without credentials. */
export type ReadPublicEvent<R> = (request: HttpRequest) => Effect.Effect<HttpResponse, never, R>

/** Timeout for the database, after which the page is sent without its event and the script reads it. */
const READ_WITHIN_MS = 1000

const Shown = Schema.fromJsonString(
  Schema.Struct({
    title: Schema.String,
    description: Schema.NullOr(Schema.String),
    descriptionHtml: Schema.NullOr(Schema.String),
    language: Schema.NullOr(Language),
    coverUrl: Schema.NullOr(Schema.String),
    status: Schema.String,
    visibility: Schema.String,
    scheduledAt: Schema.NullOr(Schema.String),
    timeZone: Schema.NullOr(Schema.String),
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

const previewOf = ({ title, description, coverUrl, visibility }: typeof Shown.Type): Html => {
  const text = cut(markdownLine(description ?? ""), PREVIEW_CHARACTERS)
  const described =
    text === ""
      ? html``
      : html`<meta name="description" content="${text}"><meta property="og:description" content="${text}">`
  const pictured =
    coverUrl === null
      ? html``
      : html`<meta property="og:image" content="${coverUrl}"><meta name="twitter:card" content="summary_large_image">`
  // An unlisted event is meant for people who have its link.
  const robots = visibility === "public" ? html`` : html`<meta name="robots" content="noindex">`
  return html`<title>${title}</title><meta property="og:type" content="website"><meta property="og:title" content="${title}">${described}${pictured}${robots}`
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

/** An empty line reserves the space for what the script adds: the calendar's link, and the event's time zone. */
const LATER = html`<p>&nbsp;</p>`

const timeOf = ({ status, scheduledAt, timeZone, cancelledAt }: typeof Shown.Type, language: string): Html =>
  status !== "scheduled" || scheduledAt === null || cancelledAt !== null
    ? LATER
    : html`<p><time datetime="${scheduledAt}">${momentIn(language, scheduledAt, timeZone)}</time></p>${timeZone === null ? html`` : LATER}${LATER}`

/** The event as the script shows it. */
const cardOf = (event: typeof Shown.Type, language: string): Html => {
  const { title, descriptionHtml, coverUrl } = event
  const described = descriptionHtml === null ? html`` : html`<div class="prose">${new Html(descriptionHtml)}</div>`
  const cover = coverUrl === null ? html`` : html`<img class="cover" src="${coverUrl}" alt="">`
  return html`<div id="root"><main class="page page-narrow stack"><header>${cover}<h1>${title}</h1>${timeOf(event, language)}${described}</header></main></div>`
}

/** A data block is not code, so the page's policy does not apply to it. Escaping keeps a `<` inside from ending it. */
const dataOf = (json: string): string =>
  `<script type="application/json" id="public-event">${json.replaceAll("<", "\\u003c")}</script>`

const textOf = ({ body }: HttpResponse): string => (typeof body === "string" ? body : new TextDecoder().decode(body))

const LANG = '<html lang="en">'
/** The script takes the event's language for people who chose none. */
const langOf = (ofEvent: Language | null, language: string): string =>
  html`<html lang="${language}"${ofEvent === null ? html`` : html` data-language="${ofEvent}"`}>`.text

/** The page in the event's language, or else in the reader's. */
const filled = (parts: ReturnType<typeof partsOf>, answer: HttpResponse, readers: string) => {
  if (answer.status !== 200) return undefined
  const [json, [head, middle, end]] = [textOf(answer), parts]
  return Option.getOrUndefined(
    Option.map(readShown(json), (event) => {
      const language = event.language ?? readers
      const begun = head.replace(LANG, langOf(event.language, language))
      const card = cardOf(event, language).text
      return { language, body: [begun, previewOf(event).text, middle, card, dataOf(json), end].join("") }
    }),
  )
}

/** Header of the answer that names the language of its page. */
export const LANGUAGE_HEADER = "content-language"

interface BuiltPage {
  readonly file: string
  /** Headers of each answer with an event. */
  readonly headers: HttpResponse["headers"]
  readonly languageFor: (request: HttpRequest) => string
  /** The answer without an event. */
  readonly plain: (request: HttpRequest) => Effect.Effect<HttpResponse>
}

export const withEvent = ({
  file,
  headers,
  languageFor,
  plain,
}: BuiltPage): (<R>(request: HttpRequest, read: ReadPublicEvent<R>) => Effect.Effect<HttpResponse, never, R>) => {
  const parts = partsOf(file)
  return (request, read) =>
    read(request).pipe(
      Effect.timeoutOption(READ_WITHIN_MS),
      Effect.flatMap((answer) => {
        const page = Option.isNone(answer) ? undefined : filled(parts, answer.value, languageFor(request))
        if (page === undefined) return plain(request)
        const spoken: HttpResponse["headers"] = [...headers, [LANGUAGE_HEADER, page.language]]
        return Effect.succeed(tagged(request, { status: 200, headers: spoken, body: page.body }))
      }),
    )
}
