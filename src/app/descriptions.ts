/**
 * The descriptions of REST and of the gateway, and the reference page. Generating them takes some hundred milliseconds, which a server with
 * live events cannot spare: the build writes them with a placeholder address, which the server replaces with its own.
 */
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { Effect } from "effect"
import { serverOf } from "../gateway/description/server-address.ts"
import { sessionCookieName } from "../http/requests/credentials.ts"

interface Descriptions {
  readonly openapi: Effect.Effect<string | Uint8Array>
  readonly asyncapi: Effect.Effect<string | Uint8Array>
  /** HTML page of three megabytes. */
  readonly reference: Effect.Effect<string | Uint8Array>
}

/** A placeholder in a file of the build, and the text with which a server replaces it. */
type Placement = readonly [string, string]

/** No address ends with this name (RFC 2606), and no cookie has it. */
const BUILT = { publicUrl: "http://server.invalid", sessionCookie: "cookie.invalid" }

const NAMES = { openapi: "openapi.json", asyncapi: "asyncapi.json", reference: "reference.txt" } as const

/** Loaded only if there is no build: the parts of the reference page are a module of three megabytes. */
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

/** The server entry as the gateway's description writes it. */
const hostOf = (publicUrl: string): string => JSON.stringify(serverOf(publicUrl)).slice(1, -1)

/** Replaces bytes, because every copy of a text of three megabytes blocks the process. */
const place = (bytes: Buffer, [from, to]: Placement): Buffer => {
  const parts: Buffer[] = []
  let start = 0
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, start)) {
    parts.push(bytes.subarray(start, at), Buffer.from(to))
    start = at + Buffer.byteLength(from)
  }
  return Buffer.concat([...parts, bytes.subarray(start)])
}

/** `folder`: the output of the build. A server that runs from its sources generates the texts on first request. */
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
  // Written last: its presence shows that all files are there.
  await writeFile(new URL(NAMES.reference, folder), await Effect.runPromise(reference))
}
