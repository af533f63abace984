/** The certificate and its key in the data folder: one file, which is replaced as a whole, so that the two always fit. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"

const CERTIFICATE = "certificate.pem"
const ACCOUNT = "account-key.pem"
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/
const FIRST = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/

export interface KeptCertificate {
  readonly file: string
  readonly names: ReadonlyArray<string>
  /** In milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

export const certificatesFolder = (dataDir: string): string => join(dataDir, "certificates")

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/** Undefined where it has no certificate, or not the key of it. */
const described = (file: string, pem: string): KeptCertificate | undefined => {
  const [key = ""] = KEY.exec(pem) ?? []
  const [first = ""] = FIRST.exec(pem) ?? []
  try {
    const certificate = new X509Certificate(first)
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return undefined
    const names = (certificate.subjectAltName ?? "").split(", ").map((name) => name.replace(/^DNS:/, ""))
    return { file, names, from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) }
  } catch {
    return undefined
  }
}

/** Undefined: there is none that can be used. */
export const readCertificate = (folder: string): KeptCertificate | undefined => {
  const file = join(folder, CERTIFICATE)
  const pem = textOf(file)
  return pem === undefined ? undefined : described(file, pem)
}

/** Nobody but the user of the server reads it, from its first byte on. */
const writeWhole = (folder: string, name: string, text: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  const file = openSync(`${path}.new`, "w", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
}

/** @throws Error when the chain is not one of this key */
export const keepCertificate = (folder: string, key: string, chain: string): KeptCertificate => {
  const pem = `${key.trim()}\n${chain.trim()}\n`
  const certificate = described(join(folder, CERTIFICATE), pem)
  if (certificate === undefined) throw new Error("the authority gave a certificate that does not fit the key")
  writeWhole(folder, CERTIFICATE, pem)
  return certificate
}

/** The key by which the authority knows this server. */
export const readAccountKey = (folder: string): string | undefined => textOf(join(folder, ACCOUNT))

export const keepAccountKey = (folder: string, key: string): void => writeWhole(folder, ACCOUNT, key)
