/**
 * Are the database's secrets sealed with one of the configured keys? A server with other keys would run and fail later: webhooks
 * could not be signed, waiting letters not be sent, kept answers not be given again. With a new key that replaced a lost file,
 * the failures would be permanent.
 *
 * Hashes cannot be sealed anew as secrets can. Their keys are therefore kept in the database: derived once, at the first start,
 * from the key that was configured then.
 */
import { deriveKey, deriveKeyRing, type KeyRing, type SecretKeys } from "../secret-key.ts"
import { withSession } from "./pool/session.ts"
import type { Queryable } from "./pool/statement.ts"
import { openSealed, openText, SealBroken, sealText } from "./sealed-text.ts"

const SESSION = { application_name: "gathercue start" }
const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

/** The owner of the one text that shows whether the configured keys are the right ones. */
export const CHECK_OWNER = "sealing check"
/** The purpose of the keys that seal the check and the secrets of webhooks. */
export const SECRETS_PURPOSE = "webhook-secrets"
/** The purpose of the keys that seal the secrets of authenticator apps. */
export const FACTORS_PURPOSE = "second-factors"
/** The purpose of the keys that seal the client secrets of workspaces' identity providers. */
export const CONNECTIONS_PURPOSE = "connections"
/** The purpose of the keys that seal the kept keys. */
export const KEPT_KEYS_PURPOSE = "kept-keys"

/** Keys that stay the same for as long as the database has hashes made with them, 32 bytes each. */
export interface KeptKeys {
  readonly pseudonyms: Uint8Array
  readonly letterRefusals: Uint8Array
}

const KEPT = ["pseudonyms", "letter-refusals"] as const

/** The place in the ring of the key that opens it. */
const opensWith = (keys: KeyRing, owner: string, sealed: Uint8Array): number | undefined => {
  try {
    return openSealed(keys, owner, sealed).key
  } catch (cause) {
    if (cause instanceof SealBroken) return undefined
    throw cause
  }
}

const isAnythingSealed = async (sql: Queryable): Promise<boolean> => {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from webhook_endpoints) or exists (select from mails)
        or exists (select from idempotency_keys) or exists (select from account_totp)
        or exists (select from connections) as found`
  return row?.found === true
}

/** For databases without a check row: which key opens a webhook's secret? The newest, when there is none. */
const opensSecrets = async (sql: Queryable, keys: KeyRing): Promise<number | undefined> => {
  const [row] = await sql<{ id: string; secretSealed: Uint8Array }[]>`
    select id, secret_sealed from webhook_endpoints order by id desc limit 1`
  return row === undefined ? 0 : opensWith(keys, row.id, row.secretSealed)
}

const writeCheck = async (sql: Queryable, keys: KeyRing): Promise<void> => {
  const sealed = sealText(keys, CHECK_OWNER, CHECK_OWNER)
  await sql`insert into sealing_checks (sealed) values (${sealed}) on conflict (id) do update set sealed = excluded.sealed`
}

/**
 * The place of the secret that the database's data were made with; undefined: it is none of the configured ones. Where nothing
 * is sealed, the newest becomes the required one.
 */
const secretInUse = async (sql: Queryable, keys: KeyRing): Promise<number | undefined> => {
  const [check] = await sql<{ sealed: Uint8Array }[]>`select sealed from sealing_checks`
  const found = check === undefined ? await opensSecrets(sql, keys) : opensWith(keys, CHECK_OWNER, check.sealed)
  if (check !== undefined && found !== undefined) return found
  if (check === undefined && found === undefined) return undefined
  if (check !== undefined) {
    if (await isAnythingSealed(sql)) return undefined
    // The key was lost before it sealed anything that counts.
    await sql`delete from kept_keys`
  }
  await writeCheck(sql, keys)
  return found ?? 0
}

const readKept = async (sql: Queryable, keys: KeyRing): Promise<ReadonlyMap<string, Uint8Array>> => {
  const rows = await sql<{ name: string; sealed: Uint8Array }[]>`select name, sealed from kept_keys`
  return new Map(rows.map(({ name, sealed }) => [name, Buffer.from(openText(keys, name, sealed), "base64url")]))
}

/**
 * The kept keys; undefined: the database's secrets are sealed with none of the configured keys. Each server on the database gets
 * the same ones, in whatever order they start.
 */
export const openKeptKeys = (url: string, secretKeys: SecretKeys): Promise<KeptKeys | undefined> =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => {
    const inUse = await secretInUse(sql, deriveKeyRing(secretKeys, SECRETS_PURPOSE))
    const secret = inUse === undefined ? undefined : secretKeys[inUse]
    if (secret === undefined) return undefined
    const keys = deriveKeyRing(secretKeys, KEPT_KEYS_PURPOSE)
    // Sealed with the secret in use: a node that has the older secret alone still starts.
    const sealing: KeyRing = [deriveKey(secret, KEPT_KEYS_PURPOSE)]
    for (const name of KEPT) {
      const sealed = sealText(sealing, name, Buffer.from(deriveKey(secret, name)).toString("base64url"))
      await sql`insert into kept_keys (name, sealed) values (${name}, ${sealed}) on conflict (name) do nothing`
    }
    const kept = await readKept(sql, keys)
    const [pseudonyms, letterRefusals] = KEPT.map((name) => kept.get(name))
    if (pseudonyms === undefined || letterRefusals === undefined) throw new Error("a kept key is gone")
    return { pseudonyms, letterRefusals }
  })
