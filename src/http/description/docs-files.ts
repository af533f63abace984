/** The documentation as pages, as Markdown and as `llms.txt`: files of the server's build. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { type HttpRequest, type HttpResponse, queryOf } from "../transport/message.ts"
import { sharedBody } from "../transport/shared-body.ts"
import { docsSearch } from "./docs-search.ts"

type Answer = (request: HttpRequest) => Effect.Effect<HttpResponse | undefined>

const TYPES: { readonly [ending: string]: string } = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
}

/** The pages run no scripts. Their only form is the search. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const fileAnswer = (folder: URL, name: string, publicUrl: string): Answer => {
  const bytes = readFileSync(new URL(name, folder))
  // Address lists for programs need absolute addresses.
  const placed = name === "llms.txt" ? bytes.toString().replaceAll("{base}", publicUrl) : bytes
  return sharedBody(Effect.succeed(placed), [
    ["content-type", TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"],
    ["cache-control", "public, no-cache"],
    ["content-security-policy", POLICY],
  ])
}

/** `folder` is built by `scripts/build-docs.mjs`. There are no routes when it is missing, as in a server that runs from its sources. */
export const docsRoutes = (
  folder: URL,
  publicUrl: string,
): ReadonlyArray<{ readonly path: string; readonly answer: Answer }> => {
  if (!existsSync(new URL("index.html", folder))) return []
  const parts = new Set(["search.html", "passages.json"])
  const names = readdirSync(folder).filter((name) => !parts.has(name))
  const answers = new Map(names.map((name) => [name, fileAnswer(folder, name, publicUrl)]))
  const search = docsSearch(folder)
  const absent: Answer = () => Effect.succeed(undefined)
  const find = (name: string): Answer => answers.get(name) ?? absent
  return [
    { path: "/docs", answer: find("index.html") },
    {
      path: "/docs/search",
      answer: (request) =>
        Effect.sync(() => ({
          status: 200,
          headers: [
            ["content-type", TYPES["html"] ?? ""],
            ["cache-control", "no-store"],
            ["content-security-policy", POLICY],
          ],
          body: search(queryOf(request)["q"] ?? ""),
        })),
    },
    {
      path: "/docs/:page",
      answer: (request) => {
        const page = request.params["page"] ?? ""
        return find(page.includes(".") ? page : `${page}.html`)(request)
      },
    },
    { path: "/llms.txt", answer: find("llms.txt") },
    { path: "/llms-full.txt", answer: find("llms-full.txt") },
  ]
}
