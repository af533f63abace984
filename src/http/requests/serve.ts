/**
 * The steps of one request, the same for every endpoint: authenticate, find the object, decode, handle, encode. Compiled
 * once from the contract; nothing is decoded by hand and a handler never reads a header.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Cause, Effect, Result, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { Authenticator } from "../../identity/callers/authenticate.ts"
import type { Principal } from "../../identity/callers/principal.ts"
import { type Failure, NotFound } from "../../model/errors.ts"
import { isStorable, UNSTORABLE_TEXT, unstorableIn } from "../../model/json.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { isPublicRead, isRepeatable, isViewerSurface, takesNoCredentials } from "../contract/access.ts"
import { RateLimits } from "../limits/rate-limits.ts"
import { tagged } from "../transport/etag.ts"
import { deviceOf, type HttpRequest, type HttpResponse, noteCaller, noteScope, queryOf } from "../transport/message.ts"
import { Problems } from "../transport/problem.ts"
import {
  bodyReader,
  contentTypeOf,
  decoder,
  finishOf,
  refuse,
  refuseRequest,
  typeChecker,
} from "../transport/request-body.ts"
import { accessCheck } from "./access.ts"
import { auditOf } from "./audit.ts"
import { type AnyCall, type AnyHandle, Reply } from "./call.ts"
import { CallerGround, credentialsOf, groundOf, refuseCrossSite, sessionCookieName } from "./credentials.ts"
import { traitsOf } from "./endpoint-traits.ts"
import { Idempotency } from "./idempotency.ts"
import { HttpSettings } from "./settings.ts"

/** What the steps of a request need beside the services of its handler. */
type StepServices =
  | Effect.Services<ReturnType<ReturnType<typeof accessCheck>>>
  | Effect.Services<ReturnType<NonNullable<ReturnType<typeof auditOf>>>>
  | Idempotency

/** Answers one request; never fails and never throws. */
export type Serve<Services> = (request: HttpRequest) => Effect.Effect<HttpResponse, never, Services | StepServices>

const ANONYMOUS: Principal = { kind: "anonymous" }

interface Encoding {
  readonly status: number
  readonly encode: ((body: unknown) => Result.Result<unknown, Schema.SchemaError>) | undefined
}

/** A created resource is found under the collection it was posted to, unless its handler set another address; if it can be read. */
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

/** Does a `GET` lead to this path? */
type IsReadable = (path: string) => boolean

const SHARED: HttpResponse["headers"] = [["cache-control", "public, no-cache"]]
/** Some callers with a credential are shown more. */
const SHARED_WITH_STRANGERS: HttpResponse["headers"] = [...SHARED, ["vary", "authorization, cookie, x-api-key"]]
const OWN: HttpResponse["headers"] = [["cache-control", "no-store"]]
const OWN_REVALIDATED: HttpResponse["headers"] = [["cache-control", "private, no-cache"]]

const ownOf = (isRevalidated: boolean): HttpResponse["headers"] => (isRevalidated ? OWN_REVALIDATED : OWN)

/** A public read is tagged and may be kept; the same read with a credential is private to its caller. */
const revalidated = (
  request: HttpRequest,
  response: HttpResponse,
  principal: Principal,
  shared: HttpResponse["headers"],
): HttpResponse => {
  const isShared = principal.kind === "anonymous"
  const cached = { ...response, headers: [...response.headers, ...(isShared ? shared : OWN)] }
  return isShared ? tagged(request, cached) : cached
}

/** Success schemas by status, as the contract's reflection gives them. */
export type Successes = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

const BODILESS = new Set([204, 302])

const encodings = (successes: Successes): ReadonlyArray<Encoding> =>
  Array.from(successes, ([status, [schema]]) => ({
    status,
    encode:
      BODILESS.has(status) || schema === undefined
        ? undefined
        : Schema.encodeUnknownResult(schema as Schema.Codec<unknown, unknown>),
  }))

/** The result of a handler, and its response. */
interface Answered {
  readonly reply: Reply<unknown>
  readonly response: HttpResponse
}

interface Compiled<Services> {
  readonly serve: Serve<Services>
  /** Whether the client's address is needed, by a limit or by acts of people without a name. */
  readonly wantsClient: boolean
  /** Bytes of a request's body at most. */
  readonly bodyLimit: number
}

/** Compiles an endpoint and its handler into one function from request to response. */
export const compile = <Services>(
  endpoint: HttpApiEndpoint.Top,
  responses: Successes,
  handle: AnyHandle<Services>,
  isReadable: IsReadable,
): Effect.Effect<Compiled<Services>, never, HttpSettings | Telemetry | Authenticator | Idempotency | RateLimits> =>
  Effect.gen(function* () {
    const settings = yield* HttpSettings
    const { publicUrl } = settings
    const { log } = yield* Telemetry
    const authenticate = yield* Authenticator
    const idempotency = yield* Idempotency
    const limits = yield* RateLimits
    const traits = traitsOf(endpoint)
    const { access, textType, addressLimit, isRevalidated, bodyLimit } = traits
    const write = textType === undefined ? JSON.stringify : String
    const problems = new Problems(`${publicUrl}/v1/errors`)
    const cookieName = sessionCookieName(publicUrl)
    const decodeParams = decoder(endpoint.params)
    const decodeQuery = decoder(endpoint.query)
    const readBody = traits.isBytes ? typeChecker(endpoint) : bodyReader(endpoint, traits)
    const finish = finishOf(endpoint, traits, settings.namesIgnored)
    const successes = encodings(responses)
    const establish = accessCheck(traits)
    const shared = takesNoCredentials(access) ? SHARED : SHARED_WITH_STRANGERS
    const isCached = isPublicRead(access) && endpoint.method === "GET" && !traits.isSecret

    /** On every success; whether the answer may be cached is decided once the caller is known. */
    const always = [...(isCached ? [] : ownOf(isRevalidated)), ...traits.retirement]
    const principalOf = (request: HttpRequest): Effect.Effect<Principal, Failure> => {
      if (takesNoCredentials(access)) return Effect.succeed(ANONYMOUS)
      const credentials = credentialsOf(request, cookieName)
      if (isPublicRead(access)) {
        const given = authenticate(credentials)
        // A browser sends its cookie unasked: an expired one must not refuse what a signed-out caller may do.
        return credentials.bearer === undefined && credentials.apiKey === undefined
          ? Effect.catchTag(given, "Unauthorized", () => Effect.succeed(ANONYMOUS))
          : given
      }
      // A viewer surface takes a session token: a cookie on it is ignored. A key there comes from a server that did not create a
      // session, and must not be taken for an anonymous viewer.
      if (isViewerSurface(access)) return authenticate({ ...credentials, sessionCookie: undefined })
      return Effect.tap(authenticate(credentials), (principal) => refuseCrossSite(request, principal, settings))
    }

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

    const answered = (request: HttpRequest, given: unknown): Answered => {
      const reply = given instanceof Reply ? given : new Reply(given, {})
      const response = encode(request, reply)
      return { reply, response: isRevalidated ? tagged(request, response) : response }
    }

    const decodedQuery = (request: HttpRequest): Effect.Effect<unknown, Failure> => {
      if (decodeQuery === undefined) return Effect.void
      const asked = queryOf(request)
      const unstorable = unstorableIn(asked)
      if (unstorable !== undefined)
        return Effect.fail(refuse([{ path: unstorable, message: UNSTORABLE_TEXT }], "query"))
      const query = decodeQuery(asked)
      return Result.isFailure(query) ? refuseRequest(query.failure.issue, "query") : Effect.succeed(query.success)
    }

    const answer = (request: HttpRequest, scope: object): Effect.Effect<Answered, Failure, Services> => {
      if (!isStorable(request.params)) return Effect.fail(NotFound.of("resource"))
      const params = decodeParams?.(request.params)
      if (params !== undefined && Result.isFailure(params)) return Effect.fail(NotFound.of("resource"))
      const call = (query: unknown, payload: unknown): AnyCall => ({
        params: params?.success,
        query,
        payload,
        bytes: request.body,
        scope,
        path: request.path,
        contentType: contentTypeOf(request),
        // Read where somebody signs in, and by no other handler.
        get device() {
          return deviceOf(request)
        },
        requestId: request.requestId,
      })
      return Effect.flatMap(decodedQuery(request), (query) =>
        Effect.flatMap(readBody(request), (payload) =>
          Effect.map(handle(call(query, payload)), (given) => answered(request, given)),
        ),
      )
    }

    /** Turns every failure into a response. */
    const settle = <R>(
      request: HttpRequest,
      work: Effect.Effect<HttpResponse, Failure, R>,
    ): Effect.Effect<HttpResponse, never, R> =>
      Effect.catchCause(work, (cause) => {
        const failure = Cause.findErrorOption(cause)
        if (failure._tag === "Some") return Effect.succeed(problems.of(failure.value))
        log.error({ requestId: request.requestId, err: Cause.squash(cause) }, "a request failed unexpectedly")
        return Effect.succeed(problems.internalError(request.requestId))
      })

    const note = auditOf(traits)

    /** Answers, and writes an administrative act to the audit log. */
    const act = (request: HttpRequest, principal: Principal, scope: object) => {
      const acting = answer(request, scope)
      const noted =
        note === undefined ? acting : Effect.tap(acting, ({ reply }) => note(principal, request, scope, reply))
      return Effect.map(noted, ({ response }) => response)
    }

    const isRepeated = isRepeatable(endpoint)
    const workKind = traits.isCommanded ? "commanded" : "stored"

    /** One limit counts a request: its key's, its account's, its participant's, or its address's. */
    const count = (request: HttpRequest, principal: Principal): ReturnType<typeof limits.take> => {
      if (principal.kind === "key") return limits.take("apiKey", principal.keyId)
      if (principal.kind === "account") return limits.take("accountSession", principal.accountId)
      if (principal.kind === "session") return limits.take("participant", principal.userId)
      if (principal.kind === "attendee") return limits.take("participant", principal.participantId)
      return limits.take(addressLimit, request.client)
    }

    const counted = (
      request: HttpRequest,
      principal: Principal,
      work: Effect.Effect<HttpResponse, Failure, Services | StepServices>,
    ): typeof work =>
      Effect.flatMap(count(request, principal), (added) =>
        Effect.map(settle(request, work), (response) => ({ ...response, headers: [...response.headers, ...added] })),
      )

    /** Addresses that an answer gives name what they rest on. */
    const grounded = (request: HttpRequest, principal: Principal, scope: object) =>
      principal.kind === "anonymous"
        ? act(request, principal, scope)
        : Effect.provideService(act(request, principal, scope), CallerGround, groundOf(principal, access))

    const process = (
      request: HttpRequest,
      principal: Principal,
    ): Effect.Effect<HttpResponse, Failure, Services | StepServices> =>
      Effect.flatMap(establish(principal, request), (scope) => {
        noteScope(request.notes, scope)
        return isRepeated && principal.kind !== "anonymous"
          ? idempotency.once(request, principal, workKind, settle(request, grounded(request, principal, scope)))
          : grounded(request, principal, scope)
      }).pipe(Effect.map((response) => (isCached ? revalidated(request, response, principal, shared) : response)))

    const isLimited = limits.isOn("apiKey") || limits.isOn(addressLimit)

    /** A limit counts it, an act is noted with it, or its guesses are. */
    const wantsClient = isLimited || isViewerSurface(access) || note !== undefined || addressLimit !== "publicRead"

    const serve: Serve<Services> = (request) => {
      // A wrong credential is counted by its client's address.
      const known = isLimited
        ? Effect.tapErrorTag(principalOf(request), "Unauthorized", () => limits.take("publicRead", request.client))
        : principalOf(request)
      const work = Effect.flatMap(known, (principal) => {
        noteCaller(request.notes, principal)
        return isLimited ? counted(request, principal, process(request, principal)) : process(request, principal)
      })
      return finish(request, settle(request, work))
    }
    return { serve, wantsClient, bodyLimit }
  })
