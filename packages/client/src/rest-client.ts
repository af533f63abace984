/**
 * The typed REST client: one method per endpoint, with the parameters, body and answer of the contract. Types come from the contract and
 * vanish when compiled; only a table of routes and `fetch` remain, so it has no dependencies in a browser.
 */
import type { RestClient } from "./contract/rest.ts"
import { ROUTES } from "./contract/routes.ts"
import type { ProblemCode } from "./contract/types.ts"
import type { CallSettings } from "./rest-call.ts"
import { METHODS, PREFIX } from "./route-table.ts"

export type EndpointName = keyof RestClient

/** A refusal by the server, as its problem body states it (RFC 9457). Branch on `code` and `status`; `detail` is for people. */
export class RestProblem extends Error {
  override readonly name = "RestProblem"
  readonly status: number
  readonly code: ProblemCode
  readonly requestId: string | null
  /** Seconds until the request may be sent again, when the server states them. */
  readonly retryAfterSeconds: number | null
  /** Whole body of the problem. */
  readonly body: { readonly [field: string]: unknown }

  constructor(response: Response, body: { readonly [field: string]: unknown }) {
    super(String(body["detail"] ?? `status ${response.status}`))
    this.status = response.status
    this.code = body["code"] as ProblemCode
    this.requestId = response.headers.get("x-request-id")
    const retryAfter = response.headers.get("retry-after")
    this.retryAfterSeconds = retryAfter === null ? null : Number(retryAfter)
    this.body = body
  }
}

export interface RestClientOptions {
  /** Base address such as `https://events.example.com`. */
  readonly baseUrl: string
  /** Workspace API key, for servers. */
  readonly apiKey?: string
  /** Token of a workspace, entry or guest session; a function is called before each request. */
  readonly sessionToken?: string | (() => string | Promise<string>)
  /** Workspace of the requests, for an account session with several workspaces. */
  readonly workspaceId?: string
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

interface AnyRequest {
  readonly params?: { readonly [name: string]: string }
  readonly query?: { readonly [name: string]: string | number | undefined }
  readonly payload?: unknown
}

/** Drops undefined values. `URLSearchParams` and `fetch` make texts of numbers. */
const present = (values: { readonly [name: string]: string | number | undefined }) =>
  Object.entries(values).filter(([, value]) => value !== undefined) as [string, string][]

const addressOf = (baseUrl: string, path: string, { params = {}, query = {} }: AnyRequest): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`params.${name} is missing`)
    return encodeURIComponent(value)
  })
  const search = String(new URLSearchParams(present(query)))
  return baseUrl.replace(/\/+$/, "") + filled + (search && `?${search}`)
}

const headersOf = async (
  { apiKey, workspaceId, sessionToken }: RestClientOptions,
  { idempotencyKey }: CallSettings,
  hasBody: boolean,
): Promise<[string, string][]> => {
  const token = typeof sessionToken === "function" ? await sessionToken() : sessionToken
  return present({
    "content-type": hasBody ? "application/json" : undefined,
    "x-api-key": apiKey,
    "x-workspace-id": workspaceId,
    "idempotency-key": idempotencyKey,
    authorization: token === undefined ? undefined : `Bearer ${token}`,
  })
}

const read = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (text === "") return undefined
  return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text
}

/** Every method rejects with `RestProblem` when the server refuses, and with the error of `fetch` when the server is unreachable. */
export const makeRestClient = (options: RestClientOptions): RestClient => {
  const send = options.fetch ?? globalThis.fetch
  const endpoint =
    (method: string, path: string) =>
    async (request: AnyRequest = {}, settings: CallSettings = {}): Promise<unknown> => {
      const hasBody = request.payload !== undefined
      const response = await send(addressOf(options.baseUrl, path, request), {
        method,
        headers: await headersOf(options, settings, hasBody),
        // Undefined without a payload, and then no body is sent.
        body: JSON.stringify(request.payload),
        signal: settings.signal ?? null,
      })
      const body = await read(response)
      if (!response.ok) throw new RestProblem(response, (body ?? {}) as { readonly [field: string]: unknown })
      return body
    }
  let stem = ""
  let path = ""
  const methods = Array.from(ROUTES.matchAll(/([^,]*),(\d)(\w*)/g), ([, given = "", place, name]) => {
    if (given[0] === "/") path = stem + given
    else if (given) {
      stem = given
      path = given
    }
    return [name, endpoint(METHODS.split(" ")[Number(place)] as string, PREFIX + path)]
  })
  return Object.fromEntries(methods) as unknown as RestClient
}
