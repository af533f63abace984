/**
 * Sign-in through an external OpenID Connect provider (openid-client: discovery, authorization code with PKCE, RFC 7636).
 * The values of the round trip (state, nonce, verifier) travel in a sealed cookie of the browser that began it, so an
 * answer that another browser began is refused (RFC 6749 §10.12). An account is linked only when both sides have proved
 * the address; otherwise an unproved claim to an address would open another person's account.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client"
import { currentTimers } from "../../clock/timers.ts"
import { BadRequest, IdpNotConfigured, Unavailable } from "../../model/errors.ts"
import { displayName } from "../../model/text/display-name.ts"
import { foldEmail, isEmail } from "../../model/text/email.ts"
import type { KeyRing } from "../../secret-key.ts"
import { openText, sealText } from "../../store/sealed-text.ts"

export interface IdpSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
}

/** The person as the provider identifies them. `email` is folded. */
export interface ProvidedIdentity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
}

interface RoundTrip {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly expires: number
}

const identityOf = ({ iss, sub, email, email_verified: emailVerified, name }: IDToken): ProvidedIdentity => ({
  issuer: iss,
  subject: sub,
  email: typeof email === "string" && isEmail(email) ? foldEmail(email) : null,
  emailVerified: emailVerified === true,
  name: typeof name === "string" ? displayName(name, "") || null : null,
})

/** Time for the consent at the provider, in seconds. */
export const ROUND_TRIP_SECONDS = 600
const TIMEOUT_SECONDS = 10
/** The provider's metadata is fetched again after this long, so that its new keys and addresses take effect. */
const DISCOVERY_MS = 3_600_000
const OWNER = "identity-provider"

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    readonly isConfigured: boolean
    /** The address for the browser, and the cookie it must bring back. */
    readonly start: Effect.Effect<{ readonly url: string; readonly cookie: string }, IdpNotConfigured | Unavailable>
    /** `url`: the whole address the browser came back to; `cookie`: the value it brought. */
    readonly finish: (
      url: string,
      cookie: string | undefined,
    ) => Effect.Effect<ProvidedIdentity, IdpNotConfigured | BadRequest | Unavailable>
  }
>()("gathercue/IdentityProvider") {
  /** `sealingKeys`: for this purpose alone; `redirectUri`: as registered at the provider. */
  static readonly layer = (options: {
    readonly settings: IdpSettings | null
    readonly redirectUri: string
    readonly sealingKeys: KeyRing
  }): Layer.Layer<IdentityProvider> =>
    Layer.effect(IdentityProvider)(
      Effect.map(currentTimers, (timers) => {
        const { settings, redirectUri, sealingKeys } = options
        if (settings === null) {
          const no = Effect.fail(new IdpNotConfigured())
          return { isConfigured: false, start: no, finish: () => no }
        }
        let known: { readonly configuration: Promise<Configuration>; readonly at: number } | undefined

        const discover = (): Promise<Configuration> => {
          if (known !== undefined && timers.now() - known.at < DISCOVERY_MS) return known.configuration
          const issuer = new URL(settings.issuer)
          const configuration = discovery(issuer, settings.clientId, Redacted.value(settings.clientSecret), undefined, {
            timeout: TIMEOUT_SECONDS,
            // The configuration lets an http issuer through on loopback only.
            execute: issuer.protocol === "http:" ? [allowInsecureRequests] : [],
          })
          known = { configuration, at: timers.now() }
          configuration.catch(() => {
            known = undefined
          })
          return configuration
        }

        const configured = Effect.tryPromise({
          try: discover,
          catch: () => new Unavailable({ detail: "The identity provider is not reachable.", retryAfterSeconds: 10 }),
        })

        const openRoundTrip = (cookie: string | undefined): RoundTrip | undefined => {
          try {
            const trip = JSON.parse(openText(sealingKeys, OWNER, Buffer.from(cookie ?? "", "base64url"))) as RoundTrip
            return trip.expires > timers.now() ? trip : undefined
          } catch {
            return undefined
          }
        }

        return {
          isConfigured: true,
          start: Effect.gen(function* () {
            const configuration = yield* configured
            const trip: RoundTrip = {
              state: randomState(),
              nonce: randomNonce(),
              verifier: randomPKCECodeVerifier(),
              expires: timers.now() + ROUND_TRIP_SECONDS * 1000,
            }
            const challenge = yield* Effect.promise(() => calculatePKCECodeChallenge(trip.verifier))
            const url = buildAuthorizationUrl(configuration, {
              redirect_uri: redirectUri,
              scope: "openid email profile",
              state: trip.state,
              nonce: trip.nonce,
              code_challenge: challenge,
              code_challenge_method: "S256",
            })
            const sealed = Buffer.from(sealText(sealingKeys, OWNER, JSON.stringify(trip)))
            return { url: url.href, cookie: sealed.toString("base64url") }
          }),
          finish: (url, cookie) =>
            Effect.gen(function* () {
              const trip = openRoundTrip(cookie)
              if (trip === undefined)
                return yield* new BadRequest({ detail: "The sign-in was not begun here; begin again." })
              const configuration = yield* configured
              const tokens = yield* Effect.tryPromise({
                try: () =>
                  authorizationCodeGrant(configuration, new URL(url), {
                    pkceCodeVerifier: trip.verifier,
                    expectedState: trip.state,
                    expectedNonce: trip.nonce,
                    idTokenExpected: true,
                  }),
                catch: () =>
                  new BadRequest({ detail: "The identity provider's answer was not accepted; begin again." }),
              })
              const claims = tokens.claims()
              if (claims === undefined) return yield* new BadRequest({ detail: "The identity provider named nobody." })
              // A provider names people in at most 255 ASCII characters (OpenID Connect Core §2).
              if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) {
                return yield* new BadRequest({ detail: "The identity provider named nobody." })
              }
              return identityOf(claims)
            }),
        }
      }),
    )
}
