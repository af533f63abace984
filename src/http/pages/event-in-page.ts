/**
 * The attendee's page with its event inside. The title and the description are in the first paint, before any script; the previews of a
 * shared link have them; and the script finds the answer of its first read in the page. An event that not everybody may read is in no
 * page: its page is the file as it was built.
 */
import { Effect, Option, Schema } from "effect"
import { tagged } from "../transport/etag.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { type Html, html } from "./page.ts"

/** Answers `GET /v1/public/events/{id}` for the event in the path of a page, as a caller without credentials gets it. */
export type ReadPublicEvent<R> = (request: HttpRequest) => Effect.Effect<HttpResponse, never, R>

/** The page of a slow database is sent without its event: the script reads it again. */
const READ_WITHIN_MS = 1000

const Shown = Schema.fromJsonString(
  Schema.Struct({ title: Schema.String, description: Schema.NullOr(Schema.String), status: Schema.String }),
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

/** Longer descriptions are cut by those who show previews anyway. */
const PREVIEW_CHARACTERS = 300

const previewOf = (title: string, description: string | null): Html => {
  const text = (description ?? "").slice(0, PREVIEW_CHARACTERS)
  const described =
    text === ""
      ? html``
      : html`<meta name="description" content="${text}"><meta property="og:description" content="${text}">`
  return html`<title>${title}</title><meta property="og:type" content="website"><meta property="og:title" content="${title}">${described}`
}

/** The words as the script shows them. Empty lines keep the place of the time, which is told in the viewer's zone. */
const cardOf = ({ title, description, status }: typeof Shown.Type): Html =>
  html`<div id="root"><main class="page page-narrow stack"><header><h1>${title}</h1><p>&nbsp;${
    status === "scheduled" ? html`<br>&nbsp;` : html``
  }</p>${description === null ? html`` : html`<p>${description}</p>`}</header></main></div>`

/** A block of data is no code, and the policy of the page does not concern it. It ends at no `<` within. */
const dataOf = (json: string): string =>
  `<script type="application/json" id="public-event">${json.replaceAll("<", "\\u003c")}</script>`

const textOf = ({ body }: HttpResponse): string => (typeof body === "string" ? body : new TextDecoder().decode(body))

const filled = (parts: ReturnType<typeof partsOf>, answer: HttpResponse): string | undefined => {
  if (answer.status !== 200) return undefined
  const [json, [head, middle, end]] = [textOf(answer), parts]
  return Option.getOrUndefined(
    Option.map(readShown(json), (event) =>
      [head, previewOf(event.title, event.description).text, middle, cardOf(event).text, dataOf(json), end].join(""),
    ),
  )
}

/** `file`: the page as it was built; `headers`: of each answer with an event; `otherwise`: the answer without one. */
export const withEvent = (
  file: string,
  headers: HttpResponse["headers"],
  otherwise: (request: HttpRequest) => Effect.Effect<HttpResponse>,
): (<R>(request: HttpRequest, read: ReadPublicEvent<R>) => Effect.Effect<HttpResponse, never, R>) => {
  const parts = partsOf(file)
  return (request, read) =>
    read(request).pipe(
      Effect.timeoutOption(READ_WITHIN_MS),
      Effect.flatMap((answer) => {
        const body = Option.isNone(answer) ? undefined : filled(parts, answer.value)
        return body === undefined ? otherwise(request) : Effect.succeed(tagged(request, { status: 200, headers, body }))
      }),
    )
}
