/**
 * Partner guests: a workspace registers an issuer whose signed tokens (JWT, RFC 7519) let its people join events without an account. Faults
 * of tokens and issuers are defined here; the integration's owner reads them, the guest never does.
 */
import { Schema } from "effect"
import { named } from "../named.ts"

/** Most active integrations of a workspace. */
export const MAX_GUEST_INTEGRATIONS = 20
export const MAX_ISSUER_LENGTH = 2048
/** Longest partner's id of a guest. */
export const MAX_SUBJECT_LENGTH = 1024
/** Large enough for the largest accepted key, in any line width. */
export const MAX_PEM_LENGTH = 4096

/** Fault of the last refused token of an integration. */
export const PartnerFault = Schema.Literals([
  // Issuer's key set: its address may not be called, it does not answer 200, or its answer is not a key set.
  "jwks_refused",
  "jwks_unreachable",
  "jwks_invalid",
  // Token: no usable key for it (RSA, 2048 bits or more), not RS256, signed by another key or changed after it was signed.
  "unknown_key",
  "algorithm",
  "signature",
  // Token: expired, not yet valid, a claim is missing or of a wrong type, or it is not a token at all.
  "expired",
  "not_yet_valid",
  "claims",
  "malformed",
]).annotate(named("PartnerFault"))
export type PartnerFault = typeof PartnerFault.Type

/** Faults of the issuer, not of the token: the same token may be accepted once the issuer is back. */
export const ISSUER_FAULTS: ReadonlySet<PartnerFault> = new Set(["jwks_refused", "jwks_unreachable", "jwks_invalid"])

/** Reason to refuse a token: a fault of an integration's token, or a token of no active integration. */
export const RefusalReason = Schema.Literals([...PartnerFault.literals, "unknown_issuer"]).annotate(
  named("GuestRefusalReason"),
)
export type RefusalReason = typeof RefusalReason.Type

/** Claims of a refused token about itself, unverified. */
export interface RefusedToken {
  readonly issuer?: unknown
  readonly alg?: unknown
  readonly kid?: unknown
  /** The faulty claim. */
  readonly claim?: string | undefined
}

const MAX_QUOTED = 200

/**
 * Quotes a value; JSON escapes what a text column cannot store. An object from a stranger may have any `toString`, so it is not converted.
 */
const quote = (value: unknown): string =>
  typeof value === "object" && value !== null ? "(an object)" : JSON.stringify(String(value).slice(0, MAX_QUOTED))

/** The reason in words, for the people of the workspace. */
export const refusalDetail = (reason: RefusalReason, { issuer, alg, kid, claim }: RefusedToken): string => {
  const forKid = kid === undefined ? "a token without a kid" : `the kid ${quote(kid)}`
  switch (reason) {
    case "jwks_refused":
      return "The address of the key set may not be called."
    case "jwks_unreachable":
      return "The address of the key set did not answer 200 in five seconds; redirects are not followed."
    case "jwks_invalid":
      return "The key set is no JSON object with up to 50 keys in 256 KiB."
    case "unknown_key":
      return `There is no RSA key of 2048 to 8192 bits for RS256 that fits ${forKid}.`
    case "algorithm":
      return `The token's alg is ${quote(alg)}, and RS256 is the one that is taken.`
    case "signature":
      return `The signature is by none of the keys that fit ${forKid}.`
    case "expired":
      return "The time in exp is over."
    case "not_yet_valid":
      return "The time in nbf has not come."
    case "claims":
      return `The claim ${quote(claim)} is missing or has a value that is not taken.`
    case "unknown_issuer":
      return `The workspace has no active integration for the issuer ${quote(issuer)}.`
    case "malformed":
      return "It is no signed JWT of at most 16 KiB with an iss, or its header has fields that are not taken."
  }
}
