/**
 * The client for pages without a build step: modules and their types, at one address for the current version and at one per version, which
 * browsers may cache for ever. The files are part of the server's build, so both are of one release.
 */
import { hash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { RELEASE } from "../../protocol/wire/release.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { sharedBody } from "../transport/shared-body.ts"

/** Files by name, with their media types. Modules import each other by name, so they are served side by side. */
const FILES: { readonly [name: string]: string } = {
  "client.js": "text/javascript; charset=utf-8",
  "client.d.ts": "application/typescript; charset=utf-8",
  "client-media.js": "text/javascript; charset=utf-8",
  "client-media.d.ts": "application/typescript; charset=utf-8",
}
const VERSION_CHARACTERS = 8

const KEPT = "public, max-age=31536000, immutable"
const REVALIDATED = "public, no-cache"

type Answer = (request: HttpRequest) => Effect.Effect<HttpResponse | undefined>

interface ClientRoute {
  readonly path: string
  readonly answer: Answer
}

/** A page that names another version is redirected to the current one. */
const moved = (name: string): HttpResponse => ({
  status: 302,
  headers: [
    ["location", `/v1/${name}`],
    ["cache-control", "no-cache"],
  ],
  body: "",
})

/** `folder` is built by `scripts/build-client.mjs`. There are no routes when it is missing, as in a server that runs from its sources. */
export const clientRoutes = (folder: URL): ReadonlyArray<ClientRoute> => {
  const names = Object.keys(FILES)
  if (!names.every((name) => existsSync(new URL(name, folder)))) return []
  const texts = names.map((name) => readFileSync(new URL(name, folder), "utf8"))
  const version = `${RELEASE}-${hash("sha1", texts.join("\0"), "hex").slice(0, VERSION_CHARACTERS)}`
  const answers = new Map(
    names.map((name, index) => {
      const answerWith = (caching: string): Answer =>
        sharedBody(Effect.succeed(texts[index] ?? ""), [
          ["content-type", FILES[name] ?? ""],
          ["cache-control", caching],
          ["content-location", `/v1/client/${version}/${name}`],
          // Deno finds the types of a module by this header.
          ...(name.endsWith(".js") ? ([["x-typescript-types", `./${name.replace(/js$/, "d.ts")}`]] as const) : []),
        ])
      return [name, { present: answerWith(REVALIDATED), kept: answerWith(KEPT) }] as const
    }),
  )
  const versioned: Answer = (request) => {
    const { version: asked, file = "" } = request.params
    const found = answers.get(file)
    if (found === undefined) return Effect.succeed(undefined)
    return asked === version ? found.kept(request) : Effect.succeed(moved(file))
  }
  return [
    ...Array.from(answers, ([name, { present }]) => ({ path: `/v1/${name}`, answer: present })),
    { path: "/v1/client/:version/:file", answer: versioned },
  ]
}
