/**
 * Resolves a partner's token (JWT, RFC 7519) to the guest it names. Only RS256 by a registered key is accepted: key references inside a
 * token (`jwk`, `jku`, `x5u`) are ignored. Every fault of a token gets the same refusal; the reason is recorded for the people of the
 * workspace. Only what explains the fault is kept of a token: its issuer, its algorithm, the id of its key; nothing of its guest.
 */
import type { KeyObject } from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose"
import { Unauthorized, Unavailable } from "../../model/errors.ts"
import {
  ISSUER_FAULTS,
  MAX_SUBJECT_LENGTH,
  type PartnerFault,
  type RefusalReason,
  type RefusedToken,
  refusalDetail,
} from "../../model/integrations/guest-integration.ts"
import { isShallow, isStorable } from "../../model/json.ts"
import { faultsOf } from "../../model/schema-faults.ts"
import { displayName } from "../../model/text/display-name.ts"
import { foldEmail, isEmail } from "../../model/text/email.ts"
import { toMillis, toTimestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import {
  type ActiveIntegration,
  findActiveIntegration,
  noteRefusal,
  noteVerified,
} from "../../store/workspaces/guest-integrations.ts"
import { PartnerKeys, type PartnerProblem } from "./partner-keys.ts"
import { publicKeyFromPem } from "./partner-public-key.ts"

const ALGORITHM = "RS256"
const MAX_TOKEN_BYTES = 16 * 1024
const SKEW_SECONDS = 30
const RETRY_AFTER_SECONDS = 10
/** Verified tokens are recorded at most this often, so that a crowd costs no write per guest. */
const NOTE_EVERY_MS = 60_000

/** Name of a guest whose token has none. */
const NAMELESS = "Guest"

/** A guest that a partner vouches for. */
export interface PartnerGuest {
  readonly integrationId: string
  readonly issuer: string
  /** The partner's own id of the guest. */
  readonly sub: string
  readonly name: string
  /** Trimmed and lower-case address. */
  readonly email: string | null
}

/** The common answer to every fault of a token. */
export const tokenRefused = new Unauthorized({ detail: "The partner token is not valid for this event." })
const issuerAway = new Unavailable({
  detail: "The issuer's keys cannot be had now.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
})

/** Unverified claims of a token, by which the deciding key is found. */
interface Claimed {
  readonly issuer: string
  readonly alg: unknown
  readonly kid: unknown
}

const readClaimed = (token: string): Claimed | undefined => {
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) return undefined
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    const claims = decodeJwt(token)
    // The issuer is used in a query and the subject in an id, so text that cannot be stored is refused here.
    if (typeof claims.iss !== "string" || !isShallow(claims) || !isStorable(claims)) return undefined
    return { issuer: claims.iss, alg, kid }
  } catch {
    return undefined
  }
}

/** Errors of jose by code; its other errors concern the key. */
const FAULTS: Readonly<Record<string, PartnerFault>> = {
  [errors.JOSEAlgNotAllowed.code]: "algorithm",
  [errors.JWSSignatureVerificationFailed.code]: "signature",
  [errors.JWTExpired.code]: "expired",
  [errors.JWTClaimValidationFailed.code]: "claims",
}

const problemOf = (cause: unknown): PartnerProblem => {
  if (!(cause instanceof errors.JOSEError)) return { fault: "signature" }
  const fault = FAULTS[cause.code] ?? "malformed"
  if (!(cause instanceof errors.JWTClaimValidationFailed)) return { fault }
  const { claim, reason } = cause
  return claim === "nbf" && reason === "check_failed" ? { fault: "not_yet_valid" } : { fault, claim }
}

const verifySignature = (token: string, key: KeyObject, issuer: string, now: number) =>
  Effect.tryPromise({
    try: () =>
      jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer,
        requiredClaims: ["exp", "sub"],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(now),
      }),
    catch: problemOf,
  })

/** Empty for a guest without an address. Any other invalid address is refused, so that none passes for an account's. */
const PartnerEmail = Schema.String.check(
  Schema.makeFilter((text) => text.trim() === "" || isEmail(text) || "must be an e-mail address"),
)

/** Seconds since 1970 up to the year 9999, the range of a date. jose takes any number for one, such as 1e300. */
const NumericDate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799 }))

/** Claims from which a guest is made. */
const GuestClaims = Schema.Struct({
  sub: Schema.String.check(Schema.isBetweenLength(1, MAX_SUBJECT_LENGTH)),
  exp: NumericDate,
  nbf: Schema.optionalKey(NumericDate),
  iat: Schema.optionalKey(NumericDate),
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  email: Schema.optionalKey(Schema.NullOr(PartnerEmail)),
})
const decodeClaims = Schema.decodeUnknownEffect(GuestClaims)

const guestOf = (
  integrationId: string,
  issuer: string,
  payload: JWTPayload,
): Effect.Effect<PartnerGuest, PartnerProblem> =>
  decodeClaims(payload).pipe(
    Effect.mapError(({ issue }): PartnerProblem => ({ fault: "claims", claim: faultsOf(issue)[0]?.path[0] })),
    Effect.map(({ sub, name, email }) => ({
      integrationId,
      issuer,
      sub,
      name: displayName(name ?? "", NAMELESS),
      email: foldEmail(email ?? "") || null,
    })),
  )

export class PartnerTokens extends Context.Service<
  PartnerTokens,
  {
    /**
     * The guest that the token names for events of the workspace. Fails with `Unauthorized` for every fault of the token, including an
     * unregistered issuer, and with `Unavailable` when the issuer's keys cannot be fetched.
     */
    readonly verify: (workspaceId: string, token: string) => Effect.Effect<PartnerGuest, Unauthorized | Unavailable>
  }
>()("gathercue/PartnerTokens") {
  static readonly layer: Layer.Layer<PartnerTokens, never, PartnerKeys | Database> = Layer.effect(
    PartnerTokens,
    Effect.gen(function* () {
      const keys = yield* PartnerKeys
      const database = yield* Database

      const check = (integration: ActiveIntegration, { issuer, alg, kid }: Claimed, token: string, now: number) => {
        const { id, jwksUrl, publicKeyPem } = integration
        // Checked first, so that no key set is fetched for a token that none of its keys could have signed.
        if (alg !== ALGORITHM) return Effect.fail<PartnerProblem>({ fault: "algorithm" })
        if (kid !== undefined && typeof kid !== "string") return Effect.fail<PartnerProblem>({ fault: "malformed" })
        const verify = (key: KeyObject) => verifySignature(token, key, issuer, now)
        const verifyAlone = () => {
          // A single registered key has no id, so none is required.
          const key = publicKeyFromPem(publicKeyPem ?? "")
          return key === undefined ? Effect.fail<PartnerProblem>({ fault: "unknown_key" }) : verify(key)
        }
        const verified = jwksUrl === null ? verifyAlone() : keys.verifyBy({ integrationId: id, jwksUrl }, kid, verify)
        return Effect.flatMap(verified, ({ payload }) => guestOf(id, issuer, payload))
      }

      /** Records are informational: a failed write of one is ignored. */
      const note = (write: (sql: Queryable) => Promise<void>) => Effect.ignore(database.run(write))

      const noteGuest = ({ id, lastVerifiedAt }: ActiveIntegration, now: number) =>
        lastVerifiedAt !== null && now - toMillis(lastVerifiedAt) < NOTE_EVERY_MS
          ? Effect.void
          : note((sql) => noteVerified(sql, id, toTimestamp(now), toTimestamp(now - NOTE_EVERY_MS)))

      const refuse = (workspaceId: string, reason: RefusalReason, token: RefusedToken, integrationId: string | null) =>
        note((sql) => noteRefusal(sql, { workspaceId, integrationId, reason, detail: refusalDetail(reason, token) }))

      return {
        verify: (workspaceId, token) =>
          Effect.gen(function* () {
            const claimed = readClaimed(token)
            if (claimed === undefined) {
              yield* refuse(workspaceId, "malformed", {}, null)
              return yield* tokenRefused
            }
            const integration = yield* database.run((sql) => findActiveIntegration(sql, workspaceId, claimed.issuer))
            if (integration === undefined) {
              yield* refuse(workspaceId, "unknown_issuer", claimed, null)
              return yield* tokenRefused
            }
            const now = yield* Clock.currentTimeMillis
            return yield* check(integration, claimed, token, now).pipe(
              Effect.tap(() => noteGuest(integration, now)),
              Effect.tapError(({ fault, claim }) => refuse(workspaceId, fault, { ...claimed, claim }, integration.id)),
              Effect.mapError(({ fault }) => (ISSUER_FAULTS.has(fault) ? issuerAway : tokenRefused)),
            )
          }),
      }
    }),
  )
}
