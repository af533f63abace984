/** Entity tags (RFC 9110 §8.8.3): a client that has a body already gets a 304 instead of the body again. */
import { hash } from "node:crypto"
import type { HttpRequest, HttpResponse } from "./message.ts"

/** The digest tells bodies apart and protects no secret: it is the cheapest one available in one call. */
export const etagOf = (body: string | Uint8Array): string => `"${hash("sha1", body, "base64url")}"`

/** Number of bodies whose tags are kept, so that repeated reads are hashed once. */
const REMEMBERED = 500
const SHORT = 2000
const remembered = new Map<string, string>()

const tagOf = (body: HttpResponse["body"]): string => {
  if (typeof body !== "string" || body.length > SHORT) return etagOf(body)
  const before = remembered.get(body)
  if (before !== undefined) return before
  const etag = etagOf(body)
  if (remembered.size >= REMEMBERED) remembered.clear()
  remembered.set(body, etag)
  return etag
}

/** Whether the header, a list of tags or a star, names the tag. Compared weakly (§13.1.2). */
export const namesTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

/** A response with its tag, or a 304 without a body for a client that has it. Only a 200 is changed. */
export const tagged = (request: HttpRequest, response: HttpResponse): HttpResponse => {
  if (response.status !== 200) return response
  const etag = tagOf(response.body)
  const headers: HttpResponse["headers"] = [...response.headers, ["etag", etag]]
  return namesTag(request.headers["if-none-match"], etag)
    ? { status: 304, headers, body: "" }
    : { ...response, headers }
}
