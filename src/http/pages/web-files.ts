/** The pages of `packages/web` for attendees, hosts, projectors and operators: files of the server's build. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { sharedBody } from "../transport/shared-body.ts"
import { LANGUAGE_HEADER, type ReadPublicEvent, withEvent } from "./event-in-page.ts"
import { preferredLanguage } from "./preferred-language.ts"

type Answer = <R>(request: HttpRequest, read: ReadPublicEvent<R>) => Effect.Effect<HttpResponse | undefined, never, R>

interface WebRoute {
  readonly path: string
  readonly readsEvent?: boolean
  readonly answer: Answer
}

interface WebOptions {
  /** Production has no playground. */
  readonly production: boolean
  readonly publicUrl: string
  /** Origins that may embed the attendee's page in a frame. */
  readonly embedOrigins: ReadonlyArray<string>
  /** Address of the media server, if there is one. */
  readonly mediaUrl: string | null
}

const TYPES: { readonly [ending: string]: string } = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
}

/** Cached for good, because asset names hold a hash of their bytes. */
const KEPT = "public, max-age=31536000, immutable"

/** HTML files with the paths that serve them. */
const ATTENDEE = ["/", "/join", "/join/:code"]
const EVENT = ["/e/:id", "/enter/:id"]
const FORMS = ["/answers/:id", "/survey/:id"]
const SCREEN = ["/screen/:id"]
const HOST = ["/host", "/host/:section", "/host/:section/:id", "/host/:section/:id/:tab"]

interface Policy {
  /** Things that may come from other origins: `pictures`, or also films and media servers, which may be hosted anywhere. */
  readonly elsewhere: "nothing" | "pictures" | "media"
  readonly ancestors: ReadonlyArray<string>
}

/** A media server without TLS, as in development, is covered by no scheme of the policy. Its client also calls it over HTTP. */
const mediaAt = (url: string | null): string => (url === null ? "" : ` ${url} ${url.replace(/^ws/, "http")}`)

const policyOf = ({ publicUrl, mediaUrl }: WebOptions, { elsewhere, ancestors }: Policy): string => {
  const sockets = publicUrl.replace(/^http/, "ws")
  const loadsMedia = elsewhere === "media"
  const media = loadsMedia ? ` https: wss:${mediaAt(mediaUrl)}` : ""
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${elsewhere === "nothing" ? "" : " https:"}`,
    `connect-src 'self' ${sockets}${media}`,
    `media-src 'self' blob:${loadsMedia ? " https:" : ""}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
  ].join("; ")
}

const pageHeaders = (policy: string): HttpResponse["headers"] => [
  ["content-type", "text/html; charset=utf-8"],
  ["cache-control", "public, no-cache"],
  ["content-security-policy", policy],
  // The page's address may briefly hold the token of an email.
  ["referrer-policy", "no-referrer"],
]

const assetAnswer = (folder: URL, name: string): Answer => {
  const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"
  return sharedBody(
    Effect.sync(() => readFileSync(new URL(name, folder), "utf8")),
    [
      ["content-type", type],
      ["cache-control", KEPT],
    ],
  )
}

/** Text files by language, one each: the build names a file after its source, such as `texts/en.ts`. */
type TextFiles = ReadonlyMap<string, string>

const textFilesIn = (names: ReadonlyArray<string>): TextFiles =>
  new Map(
    names.flatMap((name): ReadonlyArray<readonly [string, string]> => {
      const [, language] = /^([a-z]{2})-.+\.js$/.exec(name) ?? []
      return language === undefined ? [] : [[language, name]]
    }),
  )

const FALLBACK = "en"

/** The language that the page will choose from the order of the browser's languages. */
const languageOf = (files: TextFiles, request: HttpRequest): string =>
  preferredLanguage(request, (tag): tag is string => files.has(tag)) ?? FALLBACK

/** Preloads the page's texts: without it, the page would learn which texts it needs only when its script runs. */
const withTexts =
  (page: Answer, files: TextFiles): Answer =>
  (request, read) => {
    const added = (answer: HttpResponse): HttpResponse["headers"] => {
      const [, spoken] = answer.headers.find(([name]) => name === LANGUAGE_HEADER) ?? []
      const texts = files.get(spoken ?? languageOf(files, request))
      return [
        ["vary", "accept-language"],
        ...(texts === undefined ? [] : [["link", `</web/${texts}>; rel="modulepreload"`] as const]),
      ]
    }
    return Effect.map(
      page(request, read),
      (answer) => answer && { ...answer, headers: [...answer.headers, ...added(answer)] },
    )
  }

/** `folder` is built by `scripts/build-web.mjs`. There are no routes when it is missing, as in a server that runs from its sources. */
export const webRoutes = (folder: URL, options: WebOptions): ReadonlyArray<WebRoute> => {
  if (!existsSync(new URL("attendee.html", folder))) return []
  const names = readdirSync(folder).filter((name) => !name.endsWith(".html"))
  const texts = textFilesIn(names)
  const page = (
    name: string,
    paths: ReadonlyArray<string>,
    policy: Policy,
    ofEvents: { readonly [shows in "event" | "look"]?: ReadonlyArray<string> } = {},
  ): ReadonlyArray<WebRoute> => {
    const text = readFileSync(new URL(`${name}.html`, folder), "utf8")
    const headers = pageHeaders(policyOf(options, policy))
    const built = sharedBody(Effect.succeed(text), headers)
    const plain = withTexts(built, texts)
    const languageFor = (request: HttpRequest) => languageOf(texts, request)
    const { publicUrl } = options
    const routesOf = (shows: "event" | "look"): ReadonlyArray<WebRoute> => {
      const answer = withTexts(withEvent({ file: text, shows, headers, publicUrl, plain: built, languageFor }), texts)
      return (ofEvents[shows] ?? []).map((path) => ({ path, readsEvent: true, answer }))
    }
    return [...paths.map((path) => ({ path, answer: plain })), ...routesOf("event"), ...routesOf("look")]
  }
  const assets = new Map(names.map((name) => [name, assetAnswer(folder, name)]))
  const absent: Answer = () => Effect.succeed(undefined)
  const own: Policy = { elsewhere: "nothing", ancestors: [] }
  return [
    ...page(
      "attendee",
      ATTENDEE,
      { elsewhere: "media", ancestors: options.embedOrigins },
      { event: EVENT, look: FORMS },
    ),
    ...page("host", HOST, { elsewhere: "media", ancestors: [] }),
    ...page("screen", [], { elsewhere: "pictures", ancestors: [] }, { look: SCREEN }),
    ...page("ops", ["/ops"], own),
    ...(options.production ? [] : page("play", ["/play"], own)),
    {
      path: "/web/:file",
      answer: (request, read) => (assets.get(request.params["file"] ?? "") ?? absent)(request, read),
    },
  ]
}
