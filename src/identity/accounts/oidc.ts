/** The round trip of a sign-in at an OpenID Connect provider: authorization code with PKCE, state and nonce (openid-client). */
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client"
import type { KeyRing } from "../../crypto/secret-key.ts"
import { displayName } from "../../model/text/display-name.ts"
import { foldEmail, isEmail } from "../../model/text/email.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import { FRESH_MINUTES } from "../../store/accounts/session-proofs.ts"
import { openText, sealText } from "../../store/sealing/sealed-text.ts"

/** The person as the provider identifies them. `email` is folded. */
export interface ProvidedIdentity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  /** Time of the person's proof to the provider; long ago if the provider does not say. */
  readonly provedAt: Timestamp
}

/** A refused answer, with a sentence for the reason. */
export class AnswerRefused extends Error {
  override readonly name = "AnswerRefused"
}

/** State of a round trip, kept in a sealed cookie of the browser that began it. */
export interface RoundTrip {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Whether the person must sign in again at the provider, even in a browser that it remembers. */
  readonly fresh: boolean
  /** Expiry in Unix milliseconds. */
  readonly expires: number
}

/** Time for the consent at the provider, in seconds. */
export const ROUND_TRIP_SECONDS = 600
export const TIMEOUT_SECONDS = 10
/** Maximum age in seconds of the sign-in at the provider, which otherwise asks the person again. A year only has the time reported. */
const MAX_AGE = { fresh: "60", any: "31536000" }

const identityOf = (
  { iss, sub, email, email_verified: emailVerified, name, auth_time: seconds = 0 }: IDToken,
  now: number,
): ProvidedIdentity => ({
  issuer: iss,
  subject: sub,
  email: typeof email === "string" && isEmail(email) ? foldEmail(email) : null,
  emailVerified: emailVerified === true,
  name: typeof name === "string" ? displayName(name, "") || null : null,
  provedAt: toTimestamp(Math.min(seconds * 1000, now)),
})

/** Address for the browser, and what it must bring back. */
export const beginRoundTrip = async (
  configuration: Configuration,
  redirectUri: string,
  now: number,
  fresh: boolean,
): Promise<{ readonly url: string; readonly trip: RoundTrip }> => {
  const verifier = randomPKCECodeVerifier()
  const expires = now + ROUND_TRIP_SECONDS * 1000
  const trip = { state: randomState(), nonce: randomNonce(), verifier, fresh, expires }
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: "openid email profile",
    state: trip.state,
    nonce: trip.nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    max_age: fresh ? MAX_AGE.fresh : MAX_AGE.any,
  })
  return { url: url.href, trip }
}

/** Resolves to the person; undefined when the provider named nobody. Rejects for a refused answer. */
export const endRoundTrip = async (
  configuration: Configuration,
  url: string,
  { verifier, state, nonce, fresh }: RoundTrip,
  now: number,
): Promise<ProvidedIdentity | undefined> => {
  const tokens = await authorizationCodeGrant(configuration, new URL(url), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  // Providers identify people by at most 255 ASCII characters (OpenID Connect Core §2).
  if (claims === undefined || !/^[\x20-\x7e]{1,255}$/.test(claims.sub)) return undefined
  // A provider must report the time when `max_age` is given (OpenID Connect Core §3.1.2.1).
  if (fresh && (claims.auth_time ?? 0) * 1000 < now - FRESH_MINUTES * 60_000) {
    throw new AnswerRefused("The provider did not say that the person has just signed in there (auth_time).")
  }
  return identityOf(claims, now)
}

type Sealed = Pick<RoundTrip, "expires">

export const sealTrip = (keys: KeyRing, owner: string, trip: Sealed): string =>
  Buffer.from(sealText(keys, owner, JSON.stringify(trip))).toString("base64url")

/** `undefined` when no round trip was begun here recently. */
export const openTrip = <T extends Sealed>(
  keys: KeyRing,
  owner: string,
  cookie: string | undefined,
  now: number,
): T | undefined => {
  try {
    const trip = JSON.parse(openText(keys, owner, Buffer.from(cookie ?? "", "base64url"))) as T
    return trip.expires > now ? trip : undefined
  } catch {
    return undefined
  }
}
