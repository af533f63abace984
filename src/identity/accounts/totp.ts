/** Codes of authenticator apps (TOTP, RFC 6238), and recovery codes. */
import { randomBytes } from "node:crypto"
import { Secret, TOTP } from "otpauth"
import { typedCode } from "../../model/text/compared.ts"
import { hashSecret } from "../secrets.ts"

/** Parameters that every app supports; some ignore other values. */
const FORM = { issuer: "Gathercue", algorithm: "SHA1", digits: 6, period: 30 } as const
/** Clocks differ, so the codes of the thirty seconds before and after count too (RFC 6238, section 5.2). */
const WINDOW = 1

/** 160 bits in base32, as RFC 4226 recommends. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

const totpOf = (secret: string, label = ""): TOTP => new TOTP({ ...FORM, label, secret: Secret.fromBase32(secret) })

/** Address for a QR code. `label` is the account as the person knows it. */
export const totpUri = (secret: string, label: string): string => totpOf(secret, label).toString()

/** The thirty-second step of a code, counted from 1970; undefined when the code is not within the window. */
export const stepOf = (secret: string, code: string, now: number): number | undefined => {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : Math.floor(now / (FORM.period * 1000)) + delta
}

export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code)

const RECOVERY_CODES = 10
/** Characters that are not mistaken for others. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"

/** 80 bits, which cannot be found from the hash. */
const newRecoveryCode = (): string => Array.from(randomBytes(16), (byte) => ALPHABET[byte % 32]).join("")

export const newRecoveryCodes = (): ReadonlyArray<string> =>
  Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode().replaceAll(/(.{4})(?=.)/g, "$1-"))

export const recoveryCodeHash = (typed: string): Uint8Array => hashSecret(typedCode(typed))
