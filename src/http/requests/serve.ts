/**
 * The steps of one request, the same for every endpoint: authenticate, find the object, decode, handle, encode. The steps are compiled once
 * from the contract; nothing is decoded by hand and a handler never reads a header.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Cause, Effect } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { Authenticator } from "../../identity/callers/authenticate.ts"
import type { Principal } from "../../identity/callers/principal.ts"
import type { Failure } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { RateLimits } from "../limits/rate-limits.ts"
import { type HttpRequest, type HttpResponse, noteCaller, noteScope } from "../transport/message.ts"
import { Problems } from "../transport/problem.ts"
import { accessCheck } from "./access.ts"
import { type Answered, answerWriter, type IsReadable, type Successes } from "./answers.ts"
import { auditOf } from "./audit.ts"
import { type AnyHandle, DryRun } from "./call.ts"
import { callReader } from "./call-reader.ts"
import { callerOf, countedBy, onGroundOf } from "./callers.ts"
import { traitsOf } from "./endpoint-traits.ts"
import { Idempotency } from "./idempotency.ts"
import { HttpSettings } from "./settings.ts"

/** Services of the request steps besides those of the handler. */
type StepServices =
  | Effect.Services<ReturnType<ReturnType<typeof accessCheck>>>
  | Effect.Services<ReturnType<NonNullable<ReturnType<typeof auditOf>>>>
  | Idempotency

/** Answers one request; never fails and never throws. */
export type Serve<Services> = (request: HttpRequest) => Effect.Effect<HttpResponse, never, Services | StepServices>

interface Compiled<Services> {
  readonly serve: Serve<Services>
  /**
   * Takes the steps of a request without its effect: nothing is stored, kept or noted. `decides` means that the handler only sends a
   * command to a live event, which decides it; other handlers are not run, and the answer is `{}`.
   */
  readonly rehearse: (decides: boolean) => Serve<Services>
  /** Whether the client's address is needed, by a limit or by anonymous acts. */
  readonly wantsClient: boolean
  /** Maximum body size in bytes. */
  readonly bodyLimit: number
  /** Milliseconds that the answer may wait for something new. */
  readonly waitsMs: number
}

const NOTHING: HttpResponse = { status: 200, headers: [], body: "{}" }

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
    const { addressLimit, bodyLimit, waitsMs } = traits
    const problems = new Problems(`${publicUrl}/v1/errors`)
    const { readCall, finish } = callReader(endpoint, traits, settings)
    const establish = accessCheck(traits)
    const principalOf = callerOf(traits, authenticate, settings)
    const count = countedBy(limits, traits)
    const grounded = onGroundOf(traits)
    const { answered, keepable } = answerWriter(endpoint, traits, responses, isReadable)

    const answer = (request: HttpRequest, scope: object): Effect.Effect<Answered, Failure, Services> =>
      Effect.flatMap(readCall(request, scope), (call) => Effect.map(handle(call), (given) => answered(request, given)))

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

    /** Answers, and logs an administrative act. */
    const act = (request: HttpRequest, principal: Principal, scope: object) => {
      const acting = answer(request, scope)
      const noted =
        note === undefined ? acting : Effect.tap(acting, ({ reply }) => note(principal, request, scope, reply))
      return Effect.map(noted, ({ response }) => response)
    }

    const workKind = traits.isCommanded ? "commanded" : "stored"

    const counted = (
      request: HttpRequest,
      principal: Principal,
      work: Effect.Effect<HttpResponse, Failure, Services | StepServices>,
    ): typeof work =>
      Effect.flatMap(count(request, principal), (added) =>
        Effect.map(settle(request, work), (response) => ({ ...response, headers: [...response.headers, ...added] })),
      )

    const process = (
      request: HttpRequest,
      principal: Principal,
    ): Effect.Effect<HttpResponse, Failure, Services | StepServices> =>
      Effect.flatMap(establish(principal, request), (scope) => {
        noteScope(request.notes, scope)
        const acting = grounded(principal, act(request, principal, scope))
        return traits.isRepeatable && principal.kind !== "anonymous"
          ? idempotency.once(request, principal, workKind, settle(request, acting))
          : acting
      }).pipe(Effect.map((response) => keepable(request, response, principal)))

    /** The effect that the request would have. A handler that decides stops at the decision; another one is not run. */
    const trial =
      (decides: boolean) =>
      (request: HttpRequest, principal: Principal): ReturnType<typeof process> =>
        Effect.flatMap(establish(principal, request), (scope) => {
          noteScope(request.notes, scope)
          const decided = Effect.provideService(answer(request, scope), DryRun, true)
          const trying = decides
            ? Effect.map(grounded(principal, decided), ({ response }) => response)
            : Effect.as(readCall(request, scope), NOTHING)
          return traits.isRepeatable && principal.kind !== "anonymous"
            ? idempotency.once(request, principal, "rehearsed", settle(request, trying))
            : trying
        })

    const isLimited = limits.isOn("apiKey") || limits.isOn(addressLimit)

    /** The address is needed when a limit counts it, an act is logged with it, or wrong guesses are counted by it. */
    const wantsClient = isLimited || traits.isForViewers || note !== undefined || addressLimit !== "publicRead"

    const serveBy =
      (work: typeof process): Serve<Services> =>
      (request) => {
        // A wrong credential is counted by the client's address.
        const known = isLimited
          ? Effect.tapErrorTag(principalOf(request), "Unauthorized", () => limits.take("publicRead", request.client))
          : principalOf(request)
        const served = Effect.flatMap(known, (principal) => {
          noteCaller(request.notes, principal)
          return isLimited ? counted(request, principal, work(request, principal)) : work(request, principal)
        })
        return finish(request, settle(request, served))
      }
    const serve = serveBy(process)
    return { serve, rehearse: (decides) => serveBy(trial(decides)), wantsClient, bodyLimit, waitsMs }
  })
