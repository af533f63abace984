/** The call passed to a handler: path, query and body of a request, decoded by the contract. */
import { Effect, Result } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { type Failure, NotFound } from "../../model/errors.ts"
import { isStorable, UNSTORABLE_TEXT, unstorableIn } from "../../model/json.ts"
import { deviceOf, type HttpRequest, queryOf } from "../transport/message.ts"
import {
  badRequestOf,
  bodyReader,
  contentTypeOf,
  decoder,
  finishOf,
  refuseRequest,
  typeChecker,
} from "../transport/request-body.ts"
import type { AnyCall } from "./call.ts"
import type { traitsOf } from "./endpoint-traits.ts"
import type { HttpSettings } from "./settings.ts"

/** An invalid path is not found; a query and a body get a fault for each field. */
export const callReader = (
  endpoint: HttpApiEndpoint.Top,
  traits: ReturnType<typeof traitsOf>,
  { namesIgnored }: HttpSettings["Service"],
) => {
  const decodeParams = decoder(endpoint.params)
  const decodeQuery = decoder(endpoint.query)
  const readBody = traits.isBytes ? typeChecker(endpoint) : bodyReader(endpoint, traits)

  const readQuery = (request: HttpRequest): Effect.Effect<unknown, Failure> => {
    if (decodeQuery === undefined) return Effect.void
    const asked = queryOf(request)
    const unstorable = unstorableIn(asked)
    if (unstorable !== undefined)
      return Effect.fail(badRequestOf([{ path: unstorable, message: UNSTORABLE_TEXT }], "query"))
    const query = decodeQuery(asked)
    return Result.isFailure(query) ? refuseRequest(query.failure.issue, "query") : Effect.succeed(query.success)
  }

  const readCall = (request: HttpRequest, scope: object): Effect.Effect<AnyCall, Failure> => {
    if (!isStorable(request.params)) return Effect.fail(NotFound.of("resource"))
    const params = decodeParams?.(request.params)
    if (params !== undefined && Result.isFailure(params)) return Effect.fail(NotFound.of("resource"))
    return Effect.flatMap(readQuery(request), (query) =>
      Effect.map(readBody(request), (payload) => ({
        params: params?.success,
        query,
        payload,
        bytes: request.body,
        scope,
        path: request.path,
        contentType: contentTypeOf(request),
        // A getter, because only sign-in handlers read it.
        get device() {
          return deviceOf(request)
        },
        requestId: request.requestId,
      })),
    )
  }

  return { readCall, finish: finishOf(endpoint, traits, namesIgnored) }
}
