/**
 * Short-lived signed tokens (JWT, RFC 7519, HS256). Each purpose has its own key derived from `SECRET_KEY` and its own
 * audience, so that no token is ever accepted as another.
 */
import { webcrypto } from "node:crypto"
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import { jwtVerify, SignJWT } from "jose"
import { Unauthorized } from "../model/errors.ts"
import { Basis } from "../model/grants.ts"
import { ParticipantKind } from "../model/participants.ts"
import { EventRole } from "../model/roles.ts"
import { type Timestamp, toTimestamp } from "../model/timestamp.ts"
import { deriveKey } from "../secret-key.ts"

/** A person on one event, a partner's guest or a registered one: no participant elsewhere in the workspace. */
const EventSession = Schema.Struct({
  participantId: Schema.String,
  eventId: Schema.String,
  name: Schema.String,
})

/** Opens gateway sockets of one participant on one event. */
const GatewayGrant = Schema.Struct({
  participantId: Schema.String,
  eventId: Schema.String,
  workspaceId: Schema.String,
  kind: ParticipantKind,
  userId: Schema.NullOr(Schema.String),
  name: Schema.String,
  /** The role when the token was minted. A user's present role is looked up when the token is used, and may differ by then. */
  role: EventRole,
  /** True for a user who neither belongs to the workspace nor is on the event's list. */
  walkIn: Schema.optionalKey(Schema.Boolean),
  /** For a user: the basis of the session that the token was minted with, and so of the socket. */
  basis: Schema.optionalKey(Basis),
  /** When the session behind this token ends, in Unix seconds: how long a socket may live without a new token. */
  sessionExpires: Schema.Int,
})
export type GatewayGrant = typeof GatewayGrant.Type

/** A browser that votes signed out: the same voter for as long as it keeps its cookie. */
const AnonymousVoter = Schema.Struct({ participantId: Schema.String })

/** One answer for every fault of a token, so that it does not reveal the fault. */
export const INVALID_TOKEN = new Unauthorized({ detail: "The token is not valid or has expired." })

/** Thirty days. */
export const ANONYMOUS_VOTER_SECONDS = 2_592_000

const PURPOSES = {
  /** A user's session in a workspace, for viewer and stage surfaces. */
  workspace: { claims: Basis, seconds: 3600 },
  entry: { claims: EventSession, seconds: 43_200 },
  guest: { claims: EventSession, seconds: 7200 },
  gateway: { claims: GatewayGrant, seconds: 120 },
  voter: { claims: AnonymousVoter, seconds: ANONYMOUS_VOTER_SECONDS },
} as const

type Purpose = keyof typeof PURPOSES
type Claims<P extends Purpose> = (typeof PURPOSES)[P]["claims"]["Type"]

const importKey = (bytes: Uint8Array): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])

export interface IssuedToken {
  readonly token: string
  readonly expiresAt: Timestamp
}

export interface VerifiedToken<P extends Purpose> {
  readonly claims: Claims<P>
  /** Unix seconds. */
  readonly expires: number
}

export class Tokens extends Context.Service<
  Tokens,
  {
    readonly issue: <P extends Purpose>(purpose: P, claims: Claims<P>) => Effect.Effect<IssuedToken>
    /** Fails for a bad signature, another purpose, an expired token or one that is no token, with one and the same answer. */
    readonly verify: <P extends Purpose>(purpose: P, token: string) => Effect.Effect<VerifiedToken<P>, Unauthorized>
  }
>()("gathercue/Tokens") {
  static readonly layer = (secretKey: Redacted.Redacted<string>): Layer.Layer<Tokens> =>
    Layer.sync(Tokens, () => {
      // Imported once: a join storm verifies thousands of tokens a second, and an import costs as much as a signature.
      const keys = new Map<Purpose, Promise<webcrypto.CryptoKey>>()
      const keyOf = (purpose: Purpose): Promise<webcrypto.CryptoKey> => {
        const key = keys.get(purpose) ?? importKey(deriveKey(secretKey, `token/${purpose}`))
        keys.set(purpose, key)
        return key
      }
      return {
        issue: (purpose, claims) =>
          Effect.promise(async () => {
            const expires = Math.floor(Date.now() / 1000) + PURPOSES[purpose].seconds
            const token = await new SignJWT({ ...claims })
              .setProtectedHeader({ alg: "HS256" })
              .setAudience(`gathercue/${purpose}`)
              .setExpirationTime(expires)
              .sign(await keyOf(purpose))
            return { token, expiresAt: toTimestamp(expires * 1000) }
          }),
        verify: <P extends Purpose>(purpose: P, token: string) => {
          const claimsOf = Schema.decodeUnknownSync(PURPOSES[purpose].claims as unknown as Schema.Codec<Claims<P>>)
          return Effect.tryPromise({
            try: async () => {
              const { payload } = await jwtVerify(token, await keyOf(purpose), {
                algorithms: ["HS256"],
                audience: `gathercue/${purpose}`,
                requiredClaims: ["exp"],
              })
              return { claims: claimsOf(payload), expires: payload.exp ?? 0 }
            },
            catch: () => INVALID_TOKEN,
          })
        },
      }
    })
}
