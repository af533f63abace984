/** The caller of a request, and the one rate limit that counts it. */
import { Effect } from "effect"
import type { Authenticator } from "../../identity/callers/authenticate.ts"
import type { Principal } from "../../identity/callers/principal.ts"
import type { Failure } from "../../model/errors.ts"
import { isPublicRead, takesNoCredentials } from "../contract/access.ts"
import type { RateLimits } from "../limits/rate-limits.ts"
import type { HttpRequest } from "../transport/message.ts"
import { CallerGround, credentialsOf, groundOf, refuseCrossSite, sessionCookieName } from "./credentials.ts"
import type { traitsOf } from "./endpoint-traits.ts"
import type { HttpSettings } from "./settings.ts"

const ANONYMOUS: Principal = { kind: "anonymous" }

/** Recognises the caller of an endpoint with this access. */
export const callerOf = (
  { access, ignoresCookies }: Pick<ReturnType<typeof traitsOf>, "access" | "ignoresCookies">,
  authenticate: Authenticator["Service"],
  settings: HttpSettings["Service"],
) => {
  const cookieName = sessionCookieName(settings.publicUrl)
  return (request: HttpRequest): Effect.Effect<Principal, Failure> => {
    if (takesNoCredentials(access)) return Effect.succeed(ANONYMOUS)
    const credentials = credentialsOf(request, cookieName)
    if (isPublicRead(access)) {
      const given = authenticate(credentials)
      // A browser sends its cookie unasked, so an expired cookie must not refuse what a signed-out caller may do.
      return credentials.bearer === undefined && credentials.apiKey === undefined
        ? Effect.catchTag(given, "Unauthorized", () => Effect.succeed(ANONYMOUS))
        : given
    }
    // A viewer surface takes a session token: a cookie on it is ignored. A key is refused on most of them, because its server forgot to
    // create a session and must not be taken for an anonymous viewer.
    if (ignoresCookies) return authenticate({ ...credentials, sessionCookie: undefined })
    return Effect.tap(authenticate(credentials), (principal) => refuseCrossSite(request, principal, settings))
  }
}

/** One limit counts a request: that of its key, account, participant or address. Succeeds with headers for the answer. */
export const countedBy =
  (limits: RateLimits["Service"], { addressLimit }: Pick<ReturnType<typeof traitsOf>, "addressLimit">) =>
  (request: HttpRequest, principal: Principal): ReturnType<typeof limits.take> => {
    switch (principal.kind) {
      case "key":
        return limits.take("apiKey", principal.keyId)
      case "account":
        return limits.take("accountSession", principal.accountId)
      case "session":
        return limits.take("participant", principal.userId)
      case "attendee":
        return limits.take("participant", principal.participantId)
      default:
        return limits.take(addressLimit, request.client)
    }
  }

/** Makes the addresses in an answer depend on the caller's rights. */
export const onGroundOf =
  ({ access }: ReturnType<typeof traitsOf>) =>
  <A, E, R>(principal: Principal, acting: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    principal.kind === "anonymous" ? acting : Effect.provideService(acting, CallerGround, groundOf(principal, access))
