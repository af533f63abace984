/**
 * Short-lived signed tokens (JWT, RFC 7519, HS256). Each purpose has its own key derived from `SECRET_KEY` and its own
 * audience, so that no token is ever accepted as another.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { deriveKeyRing, type SecretKeys } from "../crypto/secret-key.ts"
import { Unauthorized } from "../model/errors.ts"
import { Basis } from "../model/grants.ts"
import { GUEST_SESSION_SECONDS, ParticipantKind } from "../model/participants.ts"
import { EventRole } from "../model/roles.ts"
import { type Timestamp, toTimestamp } from "../model/timestamp.ts"
import { signClaims, verifyClaims } from "./signed-claims.ts"

/** A person on one event, a partner's guest or a registered one: no participant elsewhere in the workspace. */
const EventSession = Schema.Struct({
  participantId: Schema.String,
  eventId: Schema.String,
  name: Schema.String,
})

/** Grant that opens gateway sockets of one participant on one event. */
const GatewayGrant = Schema.Struct({
  participantId: Schema.String,
  eventId: Schema.String,
  workspaceId: Schema.String,
  kind: ParticipantKind,
  userId: Schema.NullOr(Schema.String),
  name: Schema.String,
  /** Role when the token was issued. A user's current role is looked up when the token is used, and may differ by then. */
  role: EventRole,
  /** True for a user who neither belongs to the workspace nor is on the event's list. */
  walkIn: Schema.optionalKey(Schema.Boolean),
  /** Whether the participant is refused for their address (`isBlockedByAddress`). */
  barred: Schema.optionalKey(Schema.Boolean),
  /** The token opens replays of an ended event, and nothing else. */
  replay: Schema.optionalKey(Schema.Boolean),
  /** Basis of a user's session when the token was issued, and so of the socket. */
  basis: Schema.optionalKey(Basis),
  /** End of the session behind this token in Unix seconds, until which a socket may live without a new token. */
  sessionExpires: Schema.Int,
})
export type GatewayGrant = typeof GatewayGrant.Type

/** Link to the survey of an event, in the email of one registrant. */
const SurveyLink = Schema.Struct({ eventId: Schema.String, registrationId: Schema.String })

/** A browser that votes signed out: the same voter as long as it keeps its cookie. */
const AnonymousVoter = Schema.Struct({ participantId: Schema.String })

/** One answer for every fault of a token, so that it does not reveal the fault. */
export const INVALID_TOKEN = new Unauthorized({ detail: "The token is not valid or has expired." })

/** Thirty days. */
export const ANONYMOUS_VOTER_SECONDS = 2_592_000

const PURPOSES = {
  /** Session of a user in a workspace, for viewer and stage surfaces. */
  workspace: { claims: Basis, seconds: 3600 },
  entry: { claims: EventSession, seconds: 43_200 },
  guest: { claims: EventSession, seconds: GUEST_SESSION_SECONDS },
  gateway: { claims: GatewayGrant, seconds: 120 },
  /** Thirty days, as long as a survey is open. */
  survey: { claims: SurveyLink, seconds: 2_592_000 },
  voter: { claims: AnonymousVoter, seconds: ANONYMOUS_VOTER_SECONDS },
} as const

type Purpose = keyof typeof PURPOSES
type Claims<P extends Purpose> = (typeof PURPOSES)[P]["claims"]["Type"]

interface IssuedToken {
  readonly token: string
  readonly expiresAt: Timestamp
}

interface VerifiedToken<P extends Purpose> {
  readonly claims: Claims<P>
  /** Expiry in Unix seconds. */
  readonly expires: number
}

interface PurposeOf<C> {
  readonly claims: Schema.Codec<C, unknown>
  readonly seconds: number
}

/** Key, audience, term and decoder of one purpose, created once. */
class Signer<P extends Purpose> {
  readonly #seconds: number
  readonly #audience: string
  readonly #key: KeyObject
  /** Older keys, which only verify tokens that they signed before. */
  readonly #olderKeys: ReadonlyArray<KeyObject>
  readonly #decode: (payload: unknown) => Option.Option<Claims<P>>

  constructor(purpose: P, { claims, seconds }: PurposeOf<Claims<P>>, secretKeys: SecretKeys) {
    this.#seconds = seconds
    this.#audience = `gathercue/${purpose}`
    const [current, ...older] = deriveKeyRing(secretKeys, `token/${purpose}`)
    this.#key = createSecretKey(current)
    this.#olderKeys = older.map((key) => createSecretKey(key))
    this.#decode = Schema.decodeUnknownOption(claims)
  }

  /** `now` is in Unix milliseconds, as in `verify`. */
  issue(claims: Claims<P>, now: number): IssuedToken {
    const exp = Math.floor(now / 1000) + this.#seconds
    const token = signClaims(this.#key, claims, { aud: this.#audience, exp })
    return { token, expiresAt: toTimestamp(exp * 1000) }
  }

  verify(token: string, now: number): VerifiedToken<P> | undefined {
    const signed = this.#verified(token, Math.floor(now / 1000))
    const claims = signed === undefined ? Option.none() : this.#decode(signed)
    return signed === undefined || Option.isNone(claims) ? undefined : { claims: claims.value, expires: signed.exp }
  }

  #verified(token: string, nowSeconds: number): ReturnType<typeof verifyClaims> {
    const signed = verifyClaims(this.#key, token, this.#audience, nowSeconds)
    if (signed !== undefined) return signed
    for (const key of this.#olderKeys) {
      const signedBefore = verifyClaims(key, token, this.#audience, nowSeconds)
      if (signedBefore !== undefined) return signedBefore
    }
    return undefined
  }
}

export class Tokens extends Context.Service<
  Tokens,
  {
    readonly issue: <P extends Purpose>(purpose: P, claims: Claims<P>) => Effect.Effect<IssuedToken>
    /** Fails with the same answer for a bad signature, another purpose, an expired token and anything that is no token. */
    readonly verify: <P extends Purpose>(purpose: P, token: string) => Effect.Effect<VerifiedToken<P>, Unauthorized>
  }
>()("gathercue/Tokens") {
  static readonly layer = (secretKeys: SecretKeys): Layer.Layer<Tokens> =>
    Layer.sync(Tokens, () => {
      const signers: { readonly [P in Purpose]: Signer<P> } = {
        workspace: new Signer("workspace", PURPOSES.workspace, secretKeys),
        entry: new Signer("entry", PURPOSES.entry, secretKeys),
        guest: new Signer("guest", PURPOSES.guest, secretKeys),
        gateway: new Signer("gateway", PURPOSES.gateway, secretKeys),
        survey: new Signer("survey", PURPOSES.survey, secretKeys),
        voter: new Signer("voter", PURPOSES.voter, secretKeys),
      }
      const signerOf = <P extends Purpose>(purpose: P): Signer<P> => signers[purpose]
      return {
        issue: (purpose, claims) =>
          Effect.clockWith((clock) => Effect.succeed(signerOf(purpose).issue(claims, clock.currentTimeMillisUnsafe()))),
        verify: (purpose, token) =>
          Effect.clockWith((clock) => {
            const verified = signerOf(purpose).verify(token, clock.currentTimeMillisUnsafe())
            return verified === undefined ? Effect.fail(INVALID_TOKEN) : Effect.succeed(verified)
          }),
      }
    })
}
