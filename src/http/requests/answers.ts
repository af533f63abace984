/** Response of an endpoint: the handler's result encoded by the contract, its location, and its cache control. */
import { Result, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Principal } from "../../identity/callers/principal.ts"
import { isPublicRead, takesNoCredentials } from "../contract/access.ts"
import { tagged } from "../transport/etag.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { Reply } from "./call.ts"
import type { traitsOf } from "./endpoint-traits.ts"

/** Success schemas by status, as the contract's reflection gives them. */
export type Successes = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

/** Whether a `GET` route serves this path. */
export type IsReadable = (path: string) => boolean

/** Result of a handler, and its response. */
export interface Answered {
  readonly reply: Reply<unknown>
  readonly response: HttpResponse
}

interface Encoding {
  readonly status: number
  readonly encode: ((body: unknown) => Result.Result<unknown, Schema.SchemaError>) | undefined
}

const BODILESS = new Set([204, 302])

const encodings = (successes: Successes): ReadonlyArray<Encoding> =>
  Array.from(successes, ([status, [schema]]) => ({
    status,
    encode:
      BODILESS.has(status) || schema === undefined
        ? undefined
        : Schema.encodeUnknownResult(schema as Schema.Codec<unknown, unknown>),
  }))

/**
 * A created resource is located under the collection it was posted to, unless its handler set another address, and only if it can be read.
 */
const locationOf = (
  request: HttpRequest,
  status: number,
  body: unknown,
  given: HttpResponse["headers"],
  isReadable: IsReadable,
): HttpResponse["headers"] => {
  const { id } = body as { readonly id?: unknown }
  const [, own] = given.find(([name]) => name === "location") ?? []
  const location = own ?? (status === 201 && typeof id === "string" ? `${request.path}/${id}` : undefined)
  return location !== undefined && isReadable(location) ? [["location", location]] : []
}

const SHARED: HttpResponse["headers"] = [["cache-control", "public, no-cache"]]
/** Varies, because some callers with a credential are shown more. */
const SHARED_WITH_STRANGERS: HttpResponse["headers"] = [...SHARED, ["vary", "authorization, cookie, x-api-key"]]
const OWN: HttpResponse["headers"] = [["cache-control", "no-store"]]
const OWN_REVALIDATED: HttpResponse["headers"] = [["cache-control", "private, no-cache"]]

/** Encodes the successes of an endpoint. A result that violates its contract is a defect. */
export const answerWriter = (
  endpoint: HttpApiEndpoint.Top,
  { access, textType, isRevalidated, isSecret, retirement }: ReturnType<typeof traitsOf>,
  responses: Successes,
  isReadable: IsReadable,
) => {
  const write = textType === undefined ? JSON.stringify : String
  const successes = encodings(responses)
  const shared = takesNoCredentials(access) ? SHARED : SHARED_WITH_STRANGERS
  const isCached = isPublicRead(access) && endpoint.method === "GET" && !isSecret
  /** Headers of every success; caching of a public read is decided once the caller is known. */
  const own = isRevalidated ? OWN_REVALIDATED : OWN
  const always = [...(isCached ? [] : own), ...retirement]

  const encode = (request: HttpRequest, { body, status, headers, text }: Reply<unknown>): HttpResponse => {
    if (text !== undefined) {
      return { status: 200, headers: [["content-type", text.contentType], ...always, ...headers], body: text.content }
    }
    const success = successes.find((one) => one.status === status) ?? successes[0]
    if (success === undefined) throw new Error(`${endpoint.identifier} has no success schema`)
    if (success.encode === undefined) return { status: success.status, headers: [...always, ...headers], body: "" }
    const encoded = success.encode(body)
    if (Result.isFailure(encoded)) {
      throw new Error(`${endpoint.identifier} answered off its contract: ${encoded.failure}`)
    }
    return {
      status: success.status,
      headers: [
        ["content-type", textType ?? "application/json"],
        ...always,
        ...headers.filter(([name]) => name !== "location"),
        ...locationOf(request, success.status, encoded.success, headers, isReadable),
      ],
      body: write(encoded.success),
    }
  }

  return {
    answered: (request: HttpRequest, given: unknown): Answered => {
      const reply = given instanceof Reply ? given : new Reply(given, {})
      const response = encode(request, reply)
      return { reply, response: isRevalidated ? tagged(request, response) : response }
    },
    /** A public read is tagged and may be cached; the same read with a credential is private to its caller. */
    keepable: (request: HttpRequest, response: HttpResponse, principal: Principal): HttpResponse => {
      if (!isCached) return response
      const isShared = principal.kind === "anonymous"
      const cached = { ...response, headers: [...response.headers, ...(isShared ? shared : OWN)] }
      return isShared ? tagged(request, cached) : cached
    },
  }
}
