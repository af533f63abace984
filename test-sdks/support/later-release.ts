/** A server of a later release, as far as a client of today can tell: its answers have fields that the description does not name. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { keepAlive } from "../../test/support/keep-alive.ts"

const ADDED = { addedLater: { by: ["a later release"] } }

const withAdded = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withAdded)
  if (typeof value !== "object" || value === null) return value
  return { ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withAdded(inner)])), ...ADDED }
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Of one message alone, or of its length and encoding, which the added fields change. */
const NOT_HANDED_ON = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "http2-settings",
  "transfer-encoding",
  "upgrade",
])

const handOn = async (target: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || NOT_HANDED_ON.has(name) ? [] : [[name, String(value)] as const],
  )
  const body = await bodyOf(request)
  const method = request.method ?? "GET"
  const answer = await fetch(target + request.url, {
    method,
    headers: { ...Object.fromEntries(headers), "accept-encoding": "identity" },
    ...(body.length > 0 ? { body } : {}),
  })
  const text = await answer.text()
  const type = answer.headers.get("content-type") ?? ""
  for (const [name, value] of answer.headers) if (!NOT_HANDED_ON.has(name)) response.setHeader(name, value)
  response.statusCode = answer.status
  response.end(type.includes("json") && text !== "" ? JSON.stringify(withAdded(JSON.parse(text))) : text)
}

export interface LaterRelease {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Stands before the server of the test. */
export const laterRelease = async (target: string): Promise<LaterRelease> => {
  const server: Server = createServer((request, response) => {
    handOn(target, request, response).catch(() => response.destroy())
  })
  keepAlive(server)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped())
        server.closeAllConnections()
      }),
  }
}
