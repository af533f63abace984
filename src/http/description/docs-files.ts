/** The documentation as pages, as Markdown, and as `llms.txt`: files that come with the build of the server. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { sharedBody } from "../transport/shared-body.ts"

type Answer = (request: HttpRequest) => Effect.Effect<HttpResponse | undefined>

const TYPES: { readonly [ending: string]: string } = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
}

/** The pages run no script. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const fileAnswer = (folder: URL, name: string, publicUrl: string): Answer => {
  const text = readFileSync(new URL(name, folder), "utf8")
  // Lists of addresses for programs need whole ones.
  const placed = name === "llms.txt" ? text.replaceAll("{base}", publicUrl) : text
  return sharedBody(Effect.succeed(placed), [
    ["content-type", TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"],
    ["cache-control", "public, no-cache"],
    ["content-security-policy", POLICY],
  ])
}

/** `folder`: built by `scripts/build-docs.mjs`. No routes where it is not built, as in a server that runs from its sources. */
export const docsRoutes = (
  folder: URL,
  publicUrl: string,
): ReadonlyArray<{ readonly path: string; readonly answer: Answer }> => {
  if (!existsSync(new URL("index.html", folder))) return []
  const answers = new Map(readdirSync(folder).map((name) => [name, fileAnswer(folder, name, publicUrl)]))
  const absent: Answer = () => Effect.succeed(undefined)
  const find = (name: string): Answer => answers.get(name) ?? absent
  return [
    { path: "/docs", answer: find("index.html") },
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
