/**
 * Pages behind links in emails: plain HTML and forms without external resources. Opening a page changes nothing, because mail scanners open
 * links: the change is behind a button. The token of an email is in the fragment of its link, where no server, proxy or log sees it; a
 * script reads it and requests the page with a form.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { BadRequest, type Failure } from "../../model/errors.ts"
import { isStorable } from "../../model/json.ts"
import type { Language, WorkspaceBranding } from "../../model/presentation.ts"
import { shadesOf } from "../../model/shades.ts"
import { escapeHtml } from "../../model/text/escape-html.ts"
import type { LimitName } from "../limits/rate-limits.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import type { Problem } from "../transport/problem.ts"

export interface PageRoute<Services = unknown> {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Rate limit of the page. By default, a GET counts as a public read and a POST as a login, because a form may hold a password. */
  readonly limit?: LimitName
  readonly answer: (request: HttpRequest) => Effect.Effect<HttpResponse, Failure, Services>
  /** Form of a failure, for a route that answers with no page. */
  readonly refuse?: (problem: Problem) => HttpResponse
}

/** HTML that is already safe: only `html` and `raw` make it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Insert = string | Html | ReadonlyArray<Html>

const render = (insert: Insert): string => {
  if (insert instanceof Html) return insert.text
  return typeof insert === "string" ? escapeHtml(insert) : insert.map(({ text }) => text).join("")
}

/** A template whose interpolated strings are always escaped. */
export const html = (strings: TemplateStringsArray, ...inserts: ReadonlyArray<Insert>): Html =>
  new Html(strings.reduce((text, string, index) => text + render(inserts[index - 1] ?? "") + string))

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
label{display:block;margin:.75rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;margin-top:.25rem}
button{font:inherit;padding:.5rem 1rem;margin-top:.75rem}[role=alert]{border-left:.25rem solid #b3261e;padding-left:.75rem}
@media (prefers-color-scheme:dark){body{color:#e6e1e5;background:#1b1b1f}a{color:#a8c7fa}}`

/** Submits the form with the token before the page is loaded, so that the next page replaces its entry in the browser's history. */
const SCRIPT = `const token=new URLSearchParams(location.hash.slice(1)).get("token");if(token!==null){const form=document.querySelector("form");form.elements.token.value=token;form.submit()}`

/** Signs in with a passkey, and submits the form of its button. */
const PASSKEY_SCRIPT = `const button=document.querySelector("#passkey"),problem=document.querySelector("#problem"),ask=async(path,body)=>{const answer=await fetch("/v1/accounts/login/passkey"+path,{method:"POST",headers:{"content-type":"application/json"},body});if(!answer.ok)throw answer;return answer.json()};if(!window.PublicKeyCredential?.parseRequestOptionsFromJSON)button.hidden=true;button.onclick=async()=>{try{const publicKey=PublicKeyCredential.parseRequestOptionsFromJSON(await ask("/options"));const{id,rawId,type,response:{clientDataJSON,authenticatorData,signature,userHandle=null}}=(await navigator.credentials.get({publicKey})).toJSON();await ask("",JSON.stringify({response:{id,rawId,type,response:{clientDataJSON,authenticatorData,signature,userHandle}}}));button.form.submit()}catch{problem.textContent="The passkey was not accepted; try again."}}`
const SCRIPTS = { opening: SCRIPT, passkey: PASSKEY_SCRIPT }
type ScriptName = keyof typeof SCRIPTS
const hashOf = (script: string): string => createHash("sha256").update(script).digest("base64")
const SCRIPT_POLICIES: { readonly [name in ScriptName]: string } = {
  opening: `script-src 'sha256-${hashOf(SCRIPT)}'; `,
  passkey: `script-src 'sha256-${hashOf(PASSKEY_SCRIPT)}'; connect-src 'self'; `,
}

/** A workspace on the page of its events. */
interface Brand {
  readonly name: string
  readonly branding: WorkspaceBranding | null
}

/** Grounds and texts are those of `STYLE`, which follows the reader's device. */
const styleOf = ({ branding }: Brand): string => {
  const { accent = null, theme = null } = branding ?? {}
  const scheme = `:root{color-scheme:${theme === null || theme === "system" ? "light dark" : theme}}body{color:light-dark(#1b1b1f,#e6e1e5);background:light-dark(#fff,#1b1b1f)}img{display:block;max-width:100%}img.logo{height:2.5rem;max-width:14rem;padding:.25rem .5rem;border-radius:.375rem;object-fit:contain;object-position:left;background:light-dark(transparent,#fff)}img.cover{width:100%;aspect-ratio:2/1;object-fit:cover;border-radius:.75rem}`
  if (accent === null) return scheme
  const { light, dark } = shadesOf(accent)
  return `${scheme}a{color:light-dark(${light.accent},${dark.accent})}button{border:0;border-radius:.5rem;background:light-dark(${light.accent},${dark.accent});color:light-dark(${light.onAccent},${dark.onAccent})}`
}

const picturesOf = ({ branding }: Brand): ReadonlyArray<string> =>
  [branding?.logoUrl, branding?.coverUrl].filter((url) => typeof url === "string")

const mastheadOf = ({ name, branding }: Brand): Html => {
  const { logoUrl = null, coverUrl = null } = branding ?? {}
  const logo = logoUrl === null ? html`` : html`<img class="logo" src="${logoUrl}" alt="${name}">`
  return html`${logo}${coverUrl === null ? html`` : html`<img class="cover" src="${coverUrl}" alt="">`}`
}

/** Only from where the page's pictures are may the browser load any. */
const imagePolicy = (brand: Brand): string => {
  const origins = new Set(picturesOf(brand).map((url) => new URL(url).origin))
  return origins.size === 0 ? "" : `img-src ${[...origins].join(" ")}; `
}

const NO_BRAND: Brand = { name: "", branding: null }

const headersOf = (script: ScriptName | undefined, brand: Brand): HttpResponse["headers"] => [
  ["content-type", "text/html; charset=utf-8"],
  ["cache-control", "no-store"],
  // A page's address may hold a token and must not be sent to other sites. Under `no-referrer`, forms would have the origin `null`.
  ["referrer-policy", "same-origin"],
  [
    "content-security-policy",
    `default-src 'none'; ${imagePolicy(brand)}${script === undefined ? "" : SCRIPT_POLICIES[script]}style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ],
]

export const renderPage = (
  title: string,
  body: Html,
  options: {
    readonly status?: number
    readonly headers?: HttpResponse["headers"]
    /** `opening` belongs to the form of `openingForm`, `passkey` to that of `passkeyForm`. */
    readonly script?: ScriptName | undefined
    readonly brand?: Brand
    /** Language of the page's texts; English by default. */
    readonly language?: Language
  } = {},
): HttpResponse => ({
  status: options.status ?? 200,
  headers: [...headersOf(options.script, options.brand ?? NO_BRAND), ...(options.headers ?? [])],
  body: html`<!doctype html><html lang="${options.language ?? "en"}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Html(STYLE + (options.brand === undefined ? "" : styleOf(options.brand)))}</style></head><body><main>${options.brand === undefined ? html`` : mastheadOf(options.brand)}<h1>${title}</h1>${body}</main>${options.script === undefined ? "" : new Html(`<script>${SCRIPTS[options.script]}</script>`)}</body></html>`
    .text,
})

/** Form that requests the page behind a link. Without scripts, people paste the end of their link. */
export const openingForm = (action: string): Html =>
  html`<form method="post" action="${action}"><label>The part of your link behind <code>token=</code><input name="token" autocomplete="off" required></label><button>Open</button></form>`

/** Form that signs in with a passkey and then requests the page behind the token again. */
export const passkeyForm = (action: string, token: string): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}"><button type="button" id="passkey">Sign in with a passkey</button><p role="alert" id="problem"></p></form>`

export const openingPage = (title: string, action: string, language: Language = "en"): HttpResponse =>
  renderPage(title, openingForm(action), { script: "opening", language })

/** Error of the page, placed where a screen reader reads it first. */
export const alert = (text: string): Html => html`<p role="alert">${text}</p>`

/** The id in the path of a page's address, as it was sent. */
export const idIn = (request: HttpRequest): string => request.params["id"] ?? ""

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

/** Target of the form of `openingForm`. It changes nothing, so it counts as a read. */
export const openRoute = <Services>(
  path: string,
  show: (token: string, request: HttpRequest) => ReturnType<PageRoute<Services>["answer"]>,
): PageRoute<Services> => ({
  method: "POST",
  path: `${path}/open`,
  limit: "publicRead",
  answer: (request) => Effect.flatMap(readForm(request), (field) => show(field("token"), request)),
})
