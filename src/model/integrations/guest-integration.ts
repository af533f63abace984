/**
 * Partner guests: a workspace registers an issuer whose signed tokens (JWT, RFC 7519) let its people join events without an
 * account. The faults of tokens and issuers are named here; the integration's owner reads them, the guest never does.
 */
import { Schema } from "effect"
import { named } from "../named.ts"

/** At most this many active integrations in a workspace. */
export const MAX_GUEST_INTEGRATIONS = 20
export const MAX_ISSUER_LENGTH = 2048
/** Of a partner's own id of a guest. */
export const MAX_SUBJECT_LENGTH = 1024
/** Room for the largest key that is taken, in any line width. */
export const MAX_PEM_LENGTH = 4096

/** The fault of the last refused token of an integration. */
export const PartnerFault = Schema.Literals([
  // The issuer's key set: its address may not be called, it does not answer 200, or its answer is no key set.
  "jwks_refused",
  "jwks_unreachable",
  "jwks_invalid",
  // The token: no usable key for it (RSA, 2048 bits or more, unambiguous), not RS256, changed after it was signed …
  "unknown_key",
  "algorithm",
  "signature",
  // … its time is over or has not come, a claim is missing or of a wrong type, or it is no token at all.
  "expired",
  "not_yet_valid",
  "claims",
  "malformed",
]).annotate(named("PartnerFault"))
export type PartnerFault = typeof PartnerFault.Type

/** Faults of the issuer, not of the token: the same token may be accepted when the issuer is back. */
export const ISSUER_FAULTS: ReadonlySet<PartnerFault> = new Set(["jwks_refused", "jwks_unreachable", "jwks_invalid"])
