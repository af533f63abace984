/**
 * The few pages that links in letters lead to: plain HTML and forms, no script, nothing from elsewhere. A page changes
 * nothing when it is merely opened, because mail scanners open links: the change is behind a button.
 */
import { Effect } from "effect"
import { escapeHtml } from "../../mail/letters.ts"
import { BadRequest, type Failure } from "../../model/errors.ts"
import { isStorable } from "../../model/json.ts"
import type { HandlerServices } from "../requests/call.ts"
import type { LimitName } from "../requests/limits/rate-limits.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"

export interface PageRoute {
  readonly method: "GET" | "POST"
  readonly path: string
  /** The limit of the page. Default: a GET counts as a public read, a POST as a login: a form may hold a password. */
  readonly limit?: LimitName
  readonly answer: (request: HttpRequest) => Effect.Effect<HttpResponse, Failure, HandlerServices>
}

/** HTML that is already safe: only `html` and `raw` make it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | ReadonlyArray<Html>

const render = (part: Part): string => {
  if (part instanceof Html) return part.text
  return typeof part === "string" ? escapeHtml(part) : part.map(({ text }) => text).join("")
}

/** A template whose strings are always escaped. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(strings.reduce((text, string, index) => text + render(parts[index - 1] ?? "") + string))

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
label{display:block;margin:.75rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;margin-top:.25rem}
button{font:inherit;padding:.5rem 1rem;margin-top:.75rem}[role=alert]{border-left:.25rem solid #b3261e;padding-left:.75rem}
@media (prefers-color-scheme:dark){body{color:#e6e1e5;background:#1b1b1f}a{color:#a8c7fa}}`

const HEADERS: HttpResponse["headers"] = [
  ["content-type", "text/html; charset=utf-8"],
  ["cache-control", "no-store"],
  // The URL of the page holds a token: it must not be sent to other sites.
  ["referrer-policy", "no-referrer"],
  [
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
]

export const renderPage = (
  title: string,
  body: Html,
  options: { readonly status?: number; readonly headers?: HttpResponse["headers"] } = {},
): HttpResponse => ({
  status: options.status ?? 200,
  headers: [...HEADERS, ...(options.headers ?? [])],
  body: html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Html(STYLE)}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`
    .text,
})

/** The error of the page, once, at the place where a screen reader reads it first. */
export const alert = (text: string): Html => html`<p role="alert">${text}</p>`

/** The value of a query parameter; empty when it is absent or cannot be stored as text. */
export const queryValue = (request: HttpRequest, name: string): string => {
  const value = new URLSearchParams(request.query).get(name) ?? ""
  return isStorable(value) ? value : ""
}

/** The fields of a submitted form. */
export const readForm = (request: HttpRequest): Effect.Effect<(name: string) => string, BadRequest> => {
  const type = request.headers["content-type"] ?? ""
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    return Effect.fail(new BadRequest({ detail: "Send the form as application/x-www-form-urlencoded." }))
  }
  const fields = new URLSearchParams(new TextDecoder().decode(request.body))
  return Effect.succeed((name) => {
    const value = fields.get(name) ?? ""
    return isStorable(value) ? value : ""
  })
}
