/** Accounts, sessions, keys, second factors and external sign-in. */
import { Layer } from "effect"
import { AccountSessions } from "../../identity/accounts/account-sessions.ts"
import { IdentityProvider } from "../../identity/accounts/identity-provider.ts"
import { Passkeys } from "../../identity/accounts/passkeys.ts"
import { SecondFactors } from "../../identity/accounts/second-factors.ts"
import { ApiKeys } from "../../identity/api-keys.ts"
import { Authenticator } from "../../identity/callers/authenticate.ts"
import { Connections } from "../../identity/connections/connections.ts"
import { BearerLinks } from "../../identity/links/bearer-links.ts"
import { PartnerKeys } from "../../identity/partners/partner-keys.ts"
import { PartnerTokens } from "../../identity/partners/partner-tokens.ts"
import { CONNECTIONS_PURPOSE, FACTORS_PURPOSE } from "../../store/sealing/sealing-keys.ts"
import { type Composition, keysOf } from "./composition.ts"
import type { placementOf } from "./live.ts"

/** Sign-in connections of workspaces. */
export const connectionsOf = (composition: Composition) =>
  Connections.layer({
    publicUrl: composition.publicUrl,
    provesDomains: composition.config.production,
    tripKeys: keysOf(composition, "sso-round-trips"),
    secretKeys: keysOf(composition, CONNECTIONS_PURPOSE),
  })

export const identityLayer = (composition: Composition, placement: ReturnType<typeof placementOf>) => {
  const { config, publicUrl } = composition
  return Layer.mergeAll(
    Authenticator.layer(config.platformKey).pipe(
      Layer.provideMerge(Layer.mergeAll(AccountSessions.layer, ApiKeys.layer(config.cluster === null))),
    ),
    BearerLinks.layer().pipe(Layer.provide(placement)),
    IdentityProvider.layer({
      settings: config.idp,
      redirectUri: `${publicUrl}/v1/auth/idp/callback`,
      sealingKeys: keysOf(composition, "idp-round-trips"),
    }),
    Passkeys.layer(publicUrl),
    SecondFactors.layer(keysOf(composition, FACTORS_PURPOSE)),
    PartnerTokens.layer.pipe(Layer.provide(PartnerKeys.layer)),
  )
}
