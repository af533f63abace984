/** Registering an issuer of partner guests: its key source is checked before it is stored. */
import { Effect } from "effect"
import { Egress } from "../../egress/egress.ts"
import { BadRequest, type Conflict, type Unauthorized, type Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { type Credential, keyOf, requireCredential } from "../../store/accounts/credentials.ts"
import { Database } from "../../store/database.ts"
import { type GuestIntegrationRow, insertGuestIntegration } from "../../store/workspaces/guest-integrations.ts"
import { publicKeyFingerprint, publicKeyFromPem, publicKeyPem } from "./partner-public-key.ts"

/** Exactly one of the two is given. */
type GivenKeySource = { readonly jwksUrl?: string | undefined; readonly publicKeyPem?: string | undefined }

interface CheckedKeySource {
  readonly jwksUrl: string | null
  readonly publicKeyPem: string | null
  readonly publicKeyFingerprint: string | null
}

const checkPem = (pem: string): Effect.Effect<CheckedKeySource, BadRequest> => {
  const key = publicKeyFromPem(pem)
  return key === undefined
    ? Effect.fail(BadRequest.ofField("publicKeyPem", "must be one RSA public key in SPKI form of at least 2048 bits"))
    : Effect.succeed({
        jwksUrl: null,
        publicKeyPem: publicKeyPem(key),
        publicKeyFingerprint: publicKeyFingerprint(key),
      })
}

/** Checks that need no call, because a partner's server may be down at its registration. */
const checkUrl = (jwksUrl: string): Effect.Effect<CheckedKeySource, BadRequest, Egress> =>
  Effect.flatMap(Egress, (egress) => egress.check(jwksUrl)).pipe(
    Effect.mapError(({ detail }) => BadRequest.ofField("jwksUrl", detail)),
    Effect.as({ jwksUrl, publicKeyPem: null, publicKeyFingerprint: null }),
  )

const checkSource = ({
  jwksUrl,
  publicKeyPem: pem,
}: GivenKeySource): Effect.Effect<CheckedKeySource, BadRequest, Egress> => {
  if (jwksUrl !== undefined && pem === undefined) return checkUrl(jwksUrl)
  if (pem !== undefined && jwksUrl === undefined) return checkPem(pem)
  return Effect.fail(BadRequest.ofFields(["jwksUrl", "publicKeyPem"], "give exactly one of them"))
}

/**
 * Fails with `BadRequest` for an unusable key source, `Conflict` for a second one of an issuer or one too many, and `Unauthorized` when the
 * caller's credential was revoked meanwhile.
 */
export const registerGuestIntegration = (
  wanted: GivenKeySource & { readonly workspaceId: string; readonly issuer: string },
  credential: Credential,
): Effect.Effect<GuestIntegrationRow, BadRequest | Conflict | Unauthorized | Unavailable, Database | Egress> =>
  Effect.gen(function* () {
    const source = yield* checkSource(wanted)
    const { workspaceId, issuer } = wanted
    return yield* (yield* Database).transaction((sql) =>
      Effect.tap(
        insertGuestIntegration(sql, {
          id: newId(),
          workspaceId,
          issuer,
          ...source,
          createdByKeyId: keyOf(credential),
        }),
        requireCredential(sql, workspaceId, credential),
      ),
    )
  })
