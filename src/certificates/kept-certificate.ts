/** The certificate and its key in the data folder: one file that is replaced as a whole, so the two always match. */
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
  /** Milliseconds since 1970. */
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

/** Undefined when it has no certificate, or another key. */
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

/** Undefined when there is no usable certificate. */
export const readCertificate = (folder: string): KeptCertificate | undefined => {
  const file = join(folder, CERTIFICATE)
  const pem = textOf(file)
  return pem === undefined ? undefined : described(file, pem)
}

/** Readable only by the user of the server, from its first byte on. */
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

/** @throws Error when the chain does not belong to this key */
export const keepCertificate = (folder: string, key: string, chain: string): KeptCertificate => {
  const pem = `${key.trim()}\n${chain.trim()}\n`
  const certificate = described(join(folder, CERTIFICATE), pem)
  if (certificate === undefined) throw new Error("the authority gave a certificate that does not fit the key")
  writeWhole(folder, CERTIFICATE, pem)
  return certificate
}

/** Key that identifies this server to the authority. */
export const readAccountKey = (folder: string): string | undefined => textOf(join(folder, ACCOUNT))

export const keepAccountKey = (folder: string, key: string): void => writeWhole(folder, ACCOUNT, key)
