/** Diffie-Hellman on the curve that the hello chose. */
import { createECDH, createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto"
import { Malformed } from "../bytes.ts"

export interface KeyAgreement {
  /** In the form of the handshake: 32 bytes, or an uncompressed point. */
  readonly publicKey: Buffer
  /** @throws Malformed if the other side's key is none of the curve. */
  readonly sharedWith: (publicKey: Buffer) => Buffer
}

/** The DER prefix of a public key of X25519, before its 32 bytes (RFC 8410). */
const SPKI = Buffer.from("302a300506032b656e032100", "hex")

const x25519 = (): KeyAgreement => {
  const { publicKey, privateKey } = generateKeyPairSync("x25519")
  return {
    publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(SPKI.length),
    sharedWith: (other) => {
      const key = createPublicKey({ key: Buffer.concat([SPKI, other]), format: "der", type: "spki" })
      return diffieHellman({ privateKey, publicKey: key })
    },
  }
}

const p256 = (): KeyAgreement => {
  const pair = createECDH("prime256v1")
  return { publicKey: pair.generateKeys(), sharedWith: (other) => pair.computeSecret(other) }
}

export const keyAgreementOn = (curve: "x25519" | "prime256v1"): KeyAgreement => {
  const agreement = curve === "x25519" ? x25519() : p256()
  return {
    publicKey: agreement.publicKey,
    sharedWith: (other) => {
      try {
        return agreement.sharedWith(other)
      } catch {
        throw new Malformed("The public key is none of the curve.")
      }
    },
  }
}
