/**
 * The client for pages that have no build: modules and their types, at an address that always has the present ones, and at one for
 * each version that a browser may keep for ever. They come with the build of the server, so both are of one release.
 */
import { hash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { RELEASE } from "../../protocol/wire/release.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { sharedBody } from "../transport/shared-body.ts"

/** By name, with their media types. A module of another one imports it by its name, so both are at one address. */
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

/** A page that names an earlier version gets the present one, at its own address. */
const moved = (name: string): HttpResponse => ({
  status: 302,
  headers: [
    ["location", `/v1/${name}`],
    ["cache-control", "no-cache"],
  ],
  body: "",
})

/** `folder`: built by `scripts/build-client.mjs`. No routes where it is not built, as in a server that runs from its sources. */
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
          // By this header Deno finds the types of a module.
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
