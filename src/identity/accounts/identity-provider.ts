/**
 * Sign-in through an external OpenID Connect provider (openid-client: discovery, authorization code with PKCE, RFC 7636).
 * The values of the round trip (state, nonce, verifier) travel in a sealed cookie of the browser that began it, so an
 * answer that another browser began is refused (RFC 6749 §10.12). An account is linked only when both sides have proved
 * the address; otherwise an unproved claim to an address would open another person's account.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { allowInsecureRequests, type Configuration, discovery } from "openid-client"
import { currentTimers } from "../../clock/timers.ts"
import type { KeyRing } from "../../crypto/secret-key.ts"
import { BadRequest, IdpNotConfigured, Unavailable } from "../../model/errors.ts"
import {
  AnswerRefused,
  beginRoundTrip,
  endRoundTrip,
  openTrip,
  type ProvidedIdentity,
  type RoundTrip,
  sealTrip,
  TIMEOUT_SECONDS,
} from "./oidc.ts"

interface IdpSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
}

/** Interval after which the provider's metadata is fetched again, so that its new keys and addresses take effect. */
const DISCOVERY_MS = 3_600_000
const OWNER = "identity-provider"

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    readonly isConfigured: boolean
    /** Address for the browser, and the cookie it must return. `fresh` asks the person to sign in again. */
    readonly start: (
      fresh: boolean,
    ) => Effect.Effect<{ readonly url: string; readonly cookie: string }, IdpNotConfigured | Unavailable>
    /** `url` is the whole address to which the browser returned; `cookie` is the value it sent. */
    readonly finish: (
      url: string,
      cookie: string | undefined,
    ) => Effect.Effect<ProvidedIdentity, IdpNotConfigured | BadRequest | Unavailable>
  }
>()("gathercue/IdentityProvider") {
  /** `sealingKeys` are for this purpose alone; `redirectUri` is the one registered at the provider. */
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
          return { isConfigured: false, start: () => no, finish: () => no }
        }
        let known: { readonly configuration: Promise<Configuration>; readonly at: number } | undefined

        const discover = (): Promise<Configuration> => {
          if (known !== undefined && timers.now() - known.at < DISCOVERY_MS) return known.configuration
          const issuer = new URL(settings.issuer)
          const configuration = discovery(issuer, settings.clientId, Redacted.value(settings.clientSecret), undefined, {
            timeout: TIMEOUT_SECONDS,
            // The configuration allows an http issuer on loopback only.
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

        return {
          isConfigured: true,
          start: (fresh) =>
            Effect.gen(function* () {
              const configuration = yield* configured
              const { url, trip } = yield* Effect.promise(() =>
                beginRoundTrip(configuration, redirectUri, timers.now(), fresh),
              )
              return { url, cookie: sealTrip(sealingKeys, OWNER, trip) }
            }),
          finish: (url, cookie) =>
            Effect.gen(function* () {
              const trip = openTrip<RoundTrip>(sealingKeys, OWNER, cookie, timers.now())
              if (trip === undefined)
                return yield* new BadRequest({ detail: "The sign-in was not begun here; begin again." })
              const configuration = yield* configured
              const identity = yield* Effect.tryPromise({
                try: () => endRoundTrip(configuration, url, trip, timers.now()),
                catch: (cause) => {
                  const why = cause instanceof AnswerRefused ? cause.message : "The provider's answer was not accepted."
                  return new BadRequest({ detail: `${why} Begin again.` })
                },
              })
              return identity ?? (yield* new BadRequest({ detail: "The identity provider named nobody." }))
            }),
        }
      }),
    )
}
