/**
 * The secret from which all keys are derived. If none is configured, it is generated once and kept in the data folder, so that sessions and
 * sealed secrets survive a restart.
 */
import { hkdfSync, randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { Redacted } from "effect"

/** Fewest characters of a key; the generated one has 43. */
export const FEWEST_KEY_CHARACTERS = 32

/** The kept key cannot be read or created. The message is one sentence. */
export class SecretKeyUnusable extends Error {
  override readonly name = "SecretKeyUnusable"
}

/** Writes the key atomically, even if the machine stops half-way: a truncated key could be guessed. */
const writeNewKey = (path: string): void => {
  const partial = `${path}.${randomBytes(6).toString("hex")}`
  const file = openSync(partial, "wx", 0o600)
  try {
    writeSync(file, randomBytes(32).toString("base64url"))
    fsyncSync(file)
  } catch (cause) {
    unlinkSync(partial)
    throw cause
  } finally {
    closeSync(file)
  }
  // Unlike a rename, a link does not replace the key of a process that was faster; not every file system supports links.
  try {
    linkSync(partial, path)
    unlinkSync(partial)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
      unlinkSync(partial)
      throw cause
    }
    renameSync(partial, path)
  }
  const folder = openSync(dirname(path), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const readKey = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    throw new SecretKeyUnusable(`The key in ${path} cannot be read (${(cause as Error).message}).`)
  }
}

const keyPath = (dataDir: string): string => join(dataDir, "secret-key")

export const hasKeptKey = (dataDir: string): boolean => existsSync(keyPath(dataDir))

/** The kept key, which is generated if there is none. */
export const keptSecretKey = (dataDir: string): Redacted.Redacted<string> => {
  const path = keyPath(dataDir)
  if (!existsSync(path)) {
    try {
      mkdirSync(dataDir, { recursive: true })
      writeNewKey(path)
    } catch (cause) {
      // EEXIST is also reported if the folder itself is a file.
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST" || !existsSync(path)) {
        throw new SecretKeyUnusable(`DATA_DIR cannot be written to (${(cause as Error).message}).`)
      }
    }
  }
  const key = readKey(path).trim()
  if (key.length < FEWEST_KEY_CHARACTERS) {
    throw new SecretKeyUnusable(
      `The key in ${path} is empty or cut short; restore the file, or delete it to have a new one made.`,
    )
  }
  return Redacted.make(key)
}

/** The secret that signs and seals, followed by older ones, which only verify and open what they signed and sealed. */
export type SecretKeys = readonly [Redacted.Redacted<string>, ...Redacted.Redacted<string>[]]

/** Keys for one purpose, 32 bytes each, in the order of the secrets: the first one signs and seals, all verify and open. */
export type KeyRing = readonly [Uint8Array, ...Uint8Array[]]

/** Key of 32 bytes for one purpose (HKDF, RFC 5869), derived from `SECRET_KEY`, so that no two purposes share a key. */
export const deriveKey = (secretKey: Redacted.Redacted<string>, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", Redacted.value(secretKey), "", `gathercue/${purpose}`, 32))

export const deriveKeyRing = ([current, ...older]: SecretKeys, purpose: string): KeyRing => [
  deriveKey(current, purpose),
  ...older.map((secretKey) => deriveKey(secretKey, purpose)),
]
