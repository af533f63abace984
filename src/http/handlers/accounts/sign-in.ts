/** Signing in through the external identity provider. The browser always ends at the application: callers choose no target. */
import { Effect } from "effect"
import { proveByProvider } from "../../../identity/accounts/account-tokens.ts"
import { IdentityProvider } from "../../../identity/accounts/identity-provider.ts"
import { type ProvidedIdentity, ROUND_TRIP_SECONDS } from "../../../identity/accounts/oidc.ts"
import { BadRequest } from "../../../model/errors.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { findAccountByIdentity, linkIdentity } from "../../../store/accounts/account-identities.ts"
import { findAddress, findPassword, markVerified } from "../../../store/accounts/accounts.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import type { SignIn } from "../../contract/accounts/sign-in.ts"
import { issueSession } from "../../requests/browser-session.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { RETRY_SLUG } from "../workspaces/slug.ts"
import { insertAccountWithWorkspace } from "./account-entry.ts"
import { announceTakenBack, takenBackNotice } from "./first-proof.ts"
import { challengeFor, countAtAddress } from "./second-step.ts"
import { type Invited, requireSignup } from "./sign-up-rule.ts"

const ROUND_TRIP_COOKIE = "gc_idp"
const PATH = "/v1/auth/idp"

/** Cookie of a browser during the redirect to a provider and back. */
export const tripCookie = (publicUrl: string, path: string, name: string, value: string, maxAge: number): string =>
  `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${
    publicUrl.startsWith("https:") ? "; Secure" : ""
  }`

const roundTripCookie = (publicUrl: string, value: string, maxAge: number): string =>
  tripCookie(publicUrl, PATH, ROUND_TRIP_COOKIE, value, maxAge)

export const redirect = (location: string, cookies: ReadonlyArray<string>) =>
  new Reply(undefined, {
    status: 302,
    headers: [["location", location], ...cookies.map((cookie) => ["set-cookie", cookie] as const)],
  })

/**
 * The account that this identity signs in: the linked one, the one with the verified address, or a new one. An account with an unverified
 * address may have been made by another person, so what it made before is taken back. `invited` shows that the person may sign up; it
 * defaults to the address.
 */
export const accountOfIdentity = (sql: Queryable, identity: ProvidedIdentity, invited?: Invited) =>
  Effect.gen(function* () {
    const { issuer, subject, email, emailVerified } = identity
    const linked = yield* query(() => findAccountByIdentity(sql, issuer, subject))
    if (linked !== undefined) return { accountId: linked, takenBack: null }
    if (email === null || !emailVerified) {
      const detail = "The identity provider has not verified an e-mail address for you."
      return yield* new BadRequest({ detail })
    }
    const address = yield* query(() => findAddress(sql, email))
    const takenBack =
      address === undefined || address.verified ? null : yield* query(() => proveByProvider(sql, address))
    const accountId = address?.accountId ?? (yield* createAccount(sql, identity.name ?? email, email, invited))
    yield* query(() => linkIdentity(sql, { issuer, subject, accountId }))
    return { accountId, takenBack }
  })

const createAccount = (sql: Queryable, name: string, email: string, invited?: Invited) =>
  Effect.gen(function* () {
    yield* requireSignup(sql, invited ?? { provedEmail: foldEmail(email) })
    const account = yield* insertAccountWithWorkspace(sql, { name: name.slice(0, 200), email, passwordHash: null })
    yield* query(() => markVerified(sql, account.emailId))
    return account.accountId
  })

export const signInHandlers = {
  getIdp: {
    access: "public",
    handle: () =>
      Effect.gen(function* () {
        const { isConfigured } = yield* IdentityProvider
        return { configured: isConfigured, signup: (yield* HttpSettings).signup }
      }),
  },
  startIdp: {
    access: "browser",
    handle: ({ query: { fresh } }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        const { url, cookie } = yield* (yield* IdentityProvider).start(fresh === "true")
        return redirect(url, [roundTripCookie(publicUrl, cookie, ROUND_TRIP_SECONDS)])
      }),
  },
  finishIdp: {
    access: "browser",
    handle: ({ query: returned, path, requestId, device, scope }) =>
      Effect.gen(function* () {
        const { publicUrl, appUrl } = yield* HttpSettings
        const provider = yield* IdentityProvider
        const forget = roundTripCookie(publicUrl, "", 0)
        // A person who declines at the provider returns to the application, signed out as before.
        if (returned.error !== undefined && provider.isConfigured)
          return redirect(`${appUrl}/?signIn=refused`, [forget])
        const takeBack = yield* countAtAddress
        const identity = yield* provider
          .finish(`${publicUrl}${path}?${scope.queryString}`, scope.cookie(ROUND_TRIP_COOKIE))
          .pipe(Effect.tapErrorTag(["IdpNotConfigured", "Unavailable"], () => takeBack))
        yield* takeBack
        const note = yield* takenBackNotice(requestId)
        const { accountId, credentialsVersion, takenBack } = yield* (yield* Database)
          .transaction((sql) =>
            Effect.gen(function* () {
              const signedIn = yield* accountOfIdentity(sql, identity)
              yield* query(() => note(sql, signedIn.takenBack))
              const { credentialsVersion: current } = yield* query(() => findPassword(sql, signedIn.accountId))
              return { ...signedIn, credentialsVersion: current }
            }),
          )
          .pipe(Effect.retry(RETRY_SLUG))
        if (takenBack !== null) yield* recheckSockets({ accountId })
        yield* announceTakenBack(takenBack)
        const challenge = yield* challengeFor({ accountId, credentialsVersion })
        // Browsers send the fragment to no server.
        if (challenge !== null) return redirect(`${appUrl}/?signIn=code#mfaToken=${challenge.mfaToken}`, [forget])
        return redirect(`${appUrl}/`, [
          forget,
          yield* issueSession({ accountId, credentialsVersion, provedAt: identity.provedAt }, device),
        ])
      }).pipe(
        // A person in a browser gets a page of the application instead of a problem.
        Effect.catchTag("SignupClosed", () =>
          Effect.map(HttpSettings, ({ publicUrl, appUrl }) =>
            redirect(`${appUrl}/?signIn=closed`, [roundTripCookie(publicUrl, "", 0)]),
          ),
        ),
      ),
  },
} satisfies Handlers<typeof SignIn>
