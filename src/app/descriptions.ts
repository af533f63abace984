/**
 * The descriptions of REST and of the gateway, and the reference page. Making them takes some hundred milliseconds, which a server
 * beside live events does not have: the build writes them for an address that stands for the server's, and the server puts in its own.
 */
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { Effect } from "effect"
import { serverOf } from "../gateway/description/server-address.ts"
import { sessionCookieName } from "../http/requests/credentials.ts"

interface Descriptions {
  readonly openapi: Effect.Effect<string | Uint8Array>
  readonly asyncapi: Effect.Effect<string | Uint8Array>
  /** HTML with three megabytes. */
  readonly reference: Effect.Effect<string | Uint8Array>
}

/** A text in a file of the build, and the text that a server puts in its place. */
type Placement = readonly [string, string]

/** No address ends with this name (RFC 2606), and no cookie has it. */
const BUILT = { publicUrl: "http://server.invalid", sessionCookie: "cookie.invalid" }

const NAMES = { openapi: "openapi.json", asyncapi: "asyncapi.json", reference: "reference.txt" } as const

/** Loaded only where there is no build: the parts of the reference page are a module of three megabytes. */
const made = (publicUrl: string, sessionCookie: string): Descriptions => {
  const api = Effect.promise(async () => {
    const { apiDescription } = await import("../http/description/openapi.ts")
    return apiDescription(publicUrl, sessionCookie)
  })
  return {
    openapi: Effect.flatMap(api, ({ json }) => json),
    asyncapi: Effect.promise(async () => {
      const { gatewayDescription } = await import("../gateway/description/asyncapi.ts")
      return gatewayDescription(publicUrl)
    }),
    reference: Effect.flatMap(api, ({ page }) => page),
  }
}

/** As the gateway's description names the server. */
const hostOf = (publicUrl: string): string => JSON.stringify(serverOf(publicUrl)).slice(1, -1)

/** With bytes, because a text of three megabytes keeps the process busy each time that it is copied. */
const place = (bytes: Buffer, [from, to]: Placement): Buffer => {
  const parts: Buffer[] = []
  let start = 0
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, start)) {
    parts.push(bytes.subarray(start, at), Buffer.from(to))
    start = at + Buffer.byteLength(from)
  }
  return Buffer.concat([...parts, bytes.subarray(start)])
}

/** `folder`: as the build writes it. A server that runs from its sources makes the texts when they are first asked for. */
export const descriptionsOf = (folder: URL, publicUrl: string): Descriptions => {
  const sessionCookie = sessionCookieName(publicUrl)
  if (!existsSync(new URL(NAMES.reference, folder))) return made(publicUrl, sessionCookie)
  const read = (name: string, ...placements: ReadonlyArray<Placement>) =>
    Effect.promise(async () => placements.reduce(place, await readFile(new URL(name, folder))))
  const address: Placement = [BUILT.publicUrl, publicUrl]
  const cookie: Placement = [BUILT.sessionCookie, sessionCookie]
  return {
    openapi: read(NAMES.openapi, address, cookie),
    asyncapi: read(NAMES.asyncapi, [hostOf(BUILT.publicUrl), hostOf(publicUrl)]),
    reference: read(NAMES.reference, address, cookie),
  }
}

export const writeDescriptions = async (folder: URL): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const { openapi, asyncapi, reference } = made(BUILT.publicUrl, BUILT.sessionCookie)
  await writeFile(new URL(NAMES.openapi, folder), await Effect.runPromise(openapi))
  await writeFile(new URL(NAMES.asyncapi, folder), await Effect.runPromise(asyncapi))
  // The last one: its presence says that all are there.
  await writeFile(new URL(NAMES.reference, folder), await Effect.runPromise(reference))
}
