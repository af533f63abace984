/**
 * The attendee's page with its event inside. The title and the description are in the first paint, before any script; the previews of a
 * shared link have them; and the script finds the answer of its first read in the page. An event that not everybody may read is in no
 * page: its page is the file as it was built.
 */
import { Effect, Option, Schema } from "effect"
import { cut } from "../../model/text/cut.ts"
import { tagged } from "../transport/etag.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { type Html, html } from "./page.ts"

/** Answers `GET /v1/public/events/{id}` for the event in the path of a page, as a caller without credentials gets it. */
export type ReadPublicEvent<R> = (request: HttpRequest) => Effect.Effect<HttpResponse, never, R>

/** The page of a slow database is sent without its event: the script reads it again. */
const READ_WITHIN_MS = 1000

const Shown = Schema.fromJsonString(
  Schema.Struct({
    title: Schema.String,
    description: Schema.NullOr(Schema.String),
    status: Schema.String,
    visibility: Schema.String,
    scheduledAt: Schema.NullOr(Schema.String),
  }),
)
const readShown = Schema.decodeUnknownOption(Shown)

/** The places of the built file that an event fills. */
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

/** Programs that show previews cut longer descriptions. */
const PREVIEW_CHARACTERS = 300

const previewOf = ({ title, description, visibility }: typeof Shown.Type): Html => {
  const text = cut(description ?? "", PREVIEW_CHARACTERS)
  const described =
    text === ""
      ? html``
      : html`<meta name="description" content="${text}"><meta property="og:description" content="${text}">`
  // An unlisted event is for those who have its link.
  const robots = visibility === "public" ? html`` : html`<meta name="robots" content="noindex">`
  return html`<title>${title}</title><meta property="og:type" content="website"><meta property="og:title" content="${title}">${described}${robots}`
}

/**
 * The time in the language of the page, in the form of `moment` in `packages/web/src/texts/language.tsx`. The server does not know the
 * viewer's zone: the script puts the time of that zone in its place.
 */
const momentIn = (language: string, timestamp: string): string =>
  new Intl.DateTimeFormat(language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(new Date(timestamp))

/** An empty line keeps the place of what the script adds. */
const LATER = html`<p>&nbsp;</p>`

const timeOf = ({ status, scheduledAt }: typeof Shown.Type, language: string): Html =>
  status !== "scheduled" || scheduledAt === null
    ? LATER
    : html`<p><time datetime="${scheduledAt}">${momentIn(language, scheduledAt)}</time></p>${LATER}`

/** The words as the script shows them. */
const cardOf = (event: typeof Shown.Type, language: string): Html => {
  const { title, description } = event
  const described = description === null ? html`` : html`<p>${description}</p>`
  return html`<div id="root"><main class="page page-narrow stack"><header><h1>${title}</h1>${timeOf(event, language)}${described}</header></main></div>`
}

/** A block of data is no code, and the policy of the page does not concern it. It ends at no `<` within. */
const dataOf = (json: string): string =>
  `<script type="application/json" id="public-event">${json.replaceAll("<", "\\u003c")}</script>`

const textOf = ({ body }: HttpResponse): string => (typeof body === "string" ? body : new TextDecoder().decode(body))

const filled = (parts: ReturnType<typeof partsOf>, answer: HttpResponse, language: string): string | undefined => {
  if (answer.status !== 200) return undefined
  const [json, [head, middle, end]] = [textOf(answer), parts]
  return Option.getOrUndefined(
    Option.map(readShown(json), (event) =>
      [head, previewOf(event).text, middle, cardOf(event, language).text, dataOf(json), end].join(""),
    ),
  )
}

interface BuiltPage {
  readonly file: string
  /** Of each answer with an event. */
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
        const body = Option.isNone(answer) ? undefined : filled(parts, answer.value, languageFor(request))
        return body === undefined ? plain(request) : Effect.succeed(tagged(request, { status: 200, headers, body }))
      }),
    )
}
