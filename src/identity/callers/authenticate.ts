/**
 * Turns credentials into a principal. Exactly one credential authenticates a request: an API key before a platform key before a bearer
 * token before a cookie. When any of them is invalid the request is refused, whatever else it carries.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { Unauthorized, type Unavailable } from "../../model/errors.ts"
import { holds } from "../../model/grants.ts"
import { findGrantState } from "../../store/accounts/grant-states.ts"
import { Database } from "../../store/database.ts"
import { isRegistered } from "../../store/events/registrations.ts"
import { areErased } from "../../store/personal/erased-guests.ts"
import { AccountSessions } from "../accounts/account-sessions.ts"
import { API_KEY_PREFIX, ApiKeys } from "../api-keys.ts"
import { sameSecret } from "../secrets.ts"
import { INVALID_TOKEN, Tokens } from "../tokens.ts"
import type { Credentials, Principal } from "./principal.ts"

const unauthorized = (detail: string): Unauthorized => new Unauthorized({ detail })
const WRONG_KEY = unauthorized("The API key is not valid.")
const NO_KEY = unauthorized("An API key begins with gck_; a token belongs in authorization, as `Bearer` and the token.")
const MISPLACED_KEY = unauthorized("An API key belongs in the header x-api-key.")
const OTHER_SCHEME = unauthorized("Send a token as `authorization: Bearer` and the token, and an API key in x-api-key.")

export class Authenticator extends Context.Service<
  Authenticator,
  (credentials: Credentials) => Effect.Effect<Principal, Unauthorized | Unavailable>
>()("gathercue/Authenticator") {
  static readonly layer = (
    platformKey: Redacted.Redacted<string> | null,
  ): Layer.Layer<Authenticator, never, ApiKeys | Database | AccountSessions | Tokens> =>
    Layer.effect(
      Authenticator,
      Effect.gen(function* () {
        const apiKeys = yield* ApiKeys
        const database = yield* Database
        const sessions = yield* AccountSessions
        const tokens = yield* Tokens

        const byKey = (secret: string) =>
          Effect.flatMap(apiKeys.recognise(secret), (key) => {
            if (key === undefined) return Effect.fail(secret.startsWith(API_KEY_PREFIX) ? WRONG_KEY : NO_KEY)
            return "expiredAt" in key
              ? Effect.fail(new Unauthorized({ detail: `The API key expired at ${key.expiredAt}; make another one.` }))
              : Effect.succeed<Principal>({ kind: "key", ...key })
          })

        const byPlatformKey = (secret: string) =>
          platformKey !== null && sameSecret(secret, Redacted.value(platformKey))
            ? Effect.succeed<Principal>({ kind: "platform" })
            : Effect.fail(new Unauthorized({ detail: "The platform key is not valid." }))

        const byWorkspaceSession = (token: string) =>
          Effect.gen(function* () {
            const { claims: basis, expires } = yield* tokens.verify("workspace", token)
            if (!holds(yield* database.run((sql) => findGrantState(sql, basis)))) return yield* INVALID_TOKEN
            const { userId, workspaceId, login } = basis
            const accountId = login?.accountId ?? null
            return { kind: "session", userId, workspaceId, accountId, basis, expires } as Principal
          })

        const bySessionOf = (as: "guest" | "entry") => (token: string) =>
          tokens.verify(as, token).pipe(
            Effect.map(
              ({ claims, expires }): Extract<Principal, { kind: "attendee" }> => ({
                kind: "attendee",
                as: as === "entry" ? "registrant" : "guest",
                ...claims,
                expires,
              }),
            ),
          )
        const byGuestToken = bySessionOf("guest")
        const byEntryToken = bySessionOf("entry")
        /** The guest may be erased while their session lasts. */
        const byGuestSession = (token: string) =>
          Effect.gen(function* () {
            const principal = yield* byGuestToken(token)
            const session = { ...principal, expiresAt: principal.expires * 1000 }
            const [isErased] = yield* database.run((sql) => areErased(sql, [session]))
            return isErased === false ? principal : yield* INVALID_TOKEN
          })
        /** A registration may be cancelled while its session lasts. */
        const byEntrySession = (token: string) =>
          Effect.gen(function* () {
            const principal = yield* byEntryToken(token)
            const isThere = yield* database.run((sql) => isRegistered(sql, principal))
            return isThere ? principal : yield* INVALID_TOKEN
          })

        /** Each purpose has its own key, so a token is valid for at most one of them. */
        const byBearer = (token: string) =>
          token === "" || token.startsWith(API_KEY_PREFIX)
            ? Effect.fail(token === "" ? OTHER_SCHEME : MISPLACED_KEY)
            : byWorkspaceSession(token).pipe(
                Effect.catchTag("Unauthorized", () => byGuestSession(token)),
                Effect.catchTag("Unauthorized", () => byEntrySession(token)),
              )

        const byCookie = (token: string) =>
          sessions
            .find(token)
            .pipe(
              Effect.flatMap((session) =>
                session === undefined
                  ? Effect.fail(new Unauthorized({ detail: "The session has ended; sign in again." }))
                  : Effect.succeed<Principal>({ kind: "account", ...session }),
              ),
            )

        return ({ apiKey, platformKey: operator, bearer, sessionCookie }) => {
          const ways = [
            [apiKey, byKey],
            [operator, byPlatformKey],
            [bearer, byBearer],
            [sessionCookie, byCookie],
          ] as const
          const [first, ...others] = ways.flatMap(([secret, by]) => (secret === undefined ? [] : [by(secret)]))
          if (first === undefined) return Effect.succeed<Principal>({ kind: "anonymous" })
          return others.length === 0 ? first : Effect.map(Effect.all([first, ...others]), ([principal]) => principal)
        }
      }),
    )
}
