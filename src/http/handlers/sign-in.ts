/** Signing in through the external identity provider. The browser always ends at the application: nobody chooses where. */
import { Effect } from "effect"
import { IdentityProvider, type ProvidedIdentity, ROUND_TRIP_SECONDS } from "../../identity/identity-provider.ts"
import { BadRequest, EmailTaken, type SlugTaken } from "../../model/errors.ts"
import { findAccountByIdentity, linkIdentity } from "../../store/account-identities.ts"
import { findAddress, markVerified } from "../../store/accounts.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { insertAccountWithWorkspace } from "../account-entry.ts"
import { issueSession } from "../browser-session.ts"
import { type Handlers, Reply } from "../call.ts"
import type { SignIn } from "../contract/sign-in.ts"
import { HttpSettings } from "../settings.ts"
import { RETRY_SLUG } from "../slug.ts"

const ROUND_TRIP_COOKIE = "gc_idp"
const PATH = "/v1/auth/idp"

const roundTripCookie = (publicUrl: string, value: string, maxAge: number): string =>
  `${ROUND_TRIP_COOKIE}=${value}; Path=${PATH}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${
    publicUrl.startsWith("https:") ? "; Secure" : ""
  }`

const redirect = (location: string, cookies: ReadonlyArray<string>) =>
  new Reply(undefined, {
    status: 302,
    headers: [["location", location], ...cookies.map((cookie) => ["set-cookie", cookie] as const)],
  })

/** The account this identity signs in: the linked one, the one whose proved address it proves too, or a new one. */
const accountOf = async (sql: Queryable, identity: ProvidedIdentity): Promise<string> => {
  const { issuer, subject, email, emailVerified } = identity
  const linked = await findAccountByIdentity(sql, issuer, subject)
  if (linked !== undefined) return linked
  if (email === null || !emailVerified) {
    throw new BadRequest({ detail: "The identity provider has not verified an e-mail address for you." })
  }
  const address = await findAddress(sql, email)
  // Somebody may have signed up with an address that is not theirs: only a proved one is the same person.
  if (address !== undefined && !address.verified) throw new EmailTaken()
  const accountId = address?.accountId ?? (await createAccount(sql, identity.name ?? email, email))
  await linkIdentity(sql, { issuer, subject, accountId })
  return accountId
}

const createAccount = async (sql: Queryable, name: string, email: string): Promise<string> => {
  const account = await insertAccountWithWorkspace(sql, { name: name.slice(0, 200), email, passwordHash: null })
  await markVerified(sql, account.emailId)
  return account.accountId
}

export const signIn: Handlers<typeof SignIn> = {
  startIdp: {
    access: "browser",
    handle: () =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        const { url, cookie } = yield* (yield* IdentityProvider).start
        return redirect(url, [roundTripCookie(publicUrl, cookie, ROUND_TRIP_SECONDS)])
      }),
  },
  finishIdp: {
    access: "browser",
    handle: ({ query, path, scope }) =>
      Effect.gen(function* () {
        const { publicUrl, appUrl } = yield* HttpSettings
        const provider = yield* IdentityProvider
        const forget = roundTripCookie(publicUrl, "", 0)
        // Whoever says no at the provider comes back to the application, signed out as before.
        if (query.error !== undefined && provider.isConfigured) return redirect(`${appUrl}/?signIn=refused`, [forget])
        const identity = yield* provider.finish(
          `${publicUrl}${path}?${scope.queryString}`,
          scope.cookie(ROUND_TRIP_COOKIE),
        )
        const accountId = yield* (yield* Database)
          .transaction<string, BadRequest | EmailTaken | SlugTaken>((sql) => accountOf(sql, identity))
          .pipe(Effect.retry(RETRY_SLUG))
        return redirect(`${appUrl}/`, [forget, yield* issueSession(accountId)])
      }),
  },
}
