/**
 * Checks that the database's secrets are sealed with one of the configured keys. A server with other keys would run and fail later:
 * webhooks could not be signed, waiting emails not be sent, kept answers not be repeated. With a new key that replaced a lost file, the
 * failures would be permanent.
 *
 * Hashes cannot be resealed as secrets can. Their keys are therefore kept in the database: derived once, at the first start, from the key
 * configured then.
 */
import { deriveKey, deriveKeyRing, type KeyRing, type SecretKeys } from "../../crypto/secret-key.ts"
import { type ClusterSecrets, takeClusterSecrets } from "../cluster/cluster-secrets.ts"
import { withSession } from "../pool/session.ts"
import type { Queryable } from "../pool/statement.ts"
import { countHolders } from "../process-lock.ts"
import { openSealed, openText, SealBroken, sealText } from "./sealed-text.ts"
import { SecretRefused } from "./secret-refused.ts"

const SESSION = { application_name: "gathercue start" }
const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

/** Owner of the one text that shows whether the configured keys are the right ones. */
export const CHECK_OWNER = "sealing check"
/** Purpose of the keys that seal the check and webhook secrets. */
export const SECRETS_PURPOSE = "webhook-secrets"
/** Purpose of the keys that seal the secrets of authenticator apps. */
export const FACTORS_PURPOSE = "second-factors"
/** Purpose of the keys that seal the client secrets of workspaces' identity providers. */
export const CONNECTIONS_PURPOSE = "connections"
/** Purpose of the keys that seal the kept keys. */
export const KEPT_KEYS_PURPOSE = "kept-keys"

/** Keys that stay the same as long as the database has hashes made with them, 32 bytes each. */
export interface KeptKeys {
  readonly pseudonyms: Uint8Array
  readonly emailRefusals: Uint8Array
}

const KEPT = ["pseudonyms", "letter-refusals", "cluster-secrets"] as const

const WRONG_KEY =
  "The secrets in this database were sealed with another key; set SECRET_KEY (or SECRET_KEYS_OLD beside a new one), or restore the file secret-key in the data folder, to the one they were sealed with."

/** Ring index of the key that opens the sealed text. */
const opensWith = (keys: KeyRing, owner: string, sealed: Uint8Array): number | undefined => {
  try {
    return openSealed(keys, owner, sealed).key
  } catch (cause) {
    if (cause instanceof SealBroken) return undefined
    throw cause
  }
}

/** A text sealed by the secret in use: the check, or for a database without one the first text found. */
const findSealed = async (sql: Queryable) => {
  const [row] = await sql<{ purpose: string; owner: string; sealed: Uint8Array }[]>`
    (select ${SECRETS_PURPOSE} as purpose, ${CHECK_OWNER} as owner, sealed, 0 as place from sealing_checks)
     union all (select ${KEPT_KEYS_PURPOSE}, name, sealed, 1 from kept_keys order by name limit 1)
     union all (select ${SECRETS_PURPOSE}, id::text, secret_sealed, 2 from webhook_endpoints order by id desc limit 1)
     order by place limit 1`
  return row
}

/** Whether an account or a workspace exists, to which all data belong. */
const isAnybodyThere = async (sql: Queryable): Promise<boolean> => {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from accounts) or exists (select from workspaces) as found`
  return row?.found === true
}

/** A lost key protects nothing when nobody used the database, neither an account nor another node. */
const mayReplaceKey = async (sql: Queryable): Promise<boolean> =>
  !(await isAnybodyThere(sql)) && (await countHolders(sql)) <= 1

/** Index of the secret with which the database's data were made; null when the newest may become it. @throws SecretRefused */
const secretInUse = async (sql: Queryable, secretKeys: SecretKeys): Promise<number | null> => {
  const found = await findSealed(sql)
  if (found === undefined) return null
  const opening = opensWith(deriveKeyRing(secretKeys, found.purpose), found.owner, found.sealed)
  if (opening === undefined && !(await mayReplaceKey(sql))) throw new SecretRefused(WRONG_KEY)
  return opening ?? null
}

const readKept = async (sql: Queryable, keys: KeyRing): Promise<ReadonlyMap<string, Uint8Array>> => {
  const rows = await sql<{ name: string; sealed: Uint8Array }[]>`select name, sealed from kept_keys`
  return new Map(rows.map(({ name, sealed }) => [name, Buffer.from(openText(keys, name, sealed), "base64url")]))
}

const openKept = async (sql: Queryable, secretKeys: SecretKeys): Promise<ReadonlyArray<Uint8Array>> => {
  const inUse = await secretInUse(sql, secretKeys)
  if (inUse === null) {
    await sql`delete from sealing_checks`
    await sql`delete from kept_keys`
  }
  // Sealed with the secret in use, so that a node that has only the older secret still starts.
  const secret = secretKeys[inUse ?? 0] ?? secretKeys[0]
  const sealedFor = (purpose: string, owner: string, text: string) =>
    sealText([deriveKey(secret, purpose)], owner, text)
  const check = sealedFor(SECRETS_PURPOSE, CHECK_OWNER, CHECK_OWNER)
  await sql`insert into sealing_checks (sealed) values (${check}) on conflict (id) do nothing`
  for (const name of KEPT) {
    const sealed = sealedFor(KEPT_KEYS_PURPOSE, name, Buffer.from(deriveKey(secret, name)).toString("base64url"))
    await sql`insert into kept_keys (name, sealed) values (${name}, ${sealed}) on conflict (name) do nothing`
  }
  const kept = await readKept(sql, deriveKeyRing(secretKeys, KEPT_KEYS_PURPOSE))
  return KEPT.flatMap((name) => kept.get(name) ?? [])
}

/**
 * The kept keys. Each server on the database gets the same ones, in whatever order they start. `cluster` belongs to a node; null for a
 * server that runs alone.
 * @throws SecretRefused with another secret than the database's data were made with, or than other nodes have
 */
export const openKeptKeys = (
  url: string,
  secretKeys: SecretKeys,
  cluster: ClusterSecrets | null = null,
): Promise<KeptKeys> =>
  withSession(url, SESSION, LIMITS, async ({ connection, sql }) => {
    // Serialises starts. A refused start leaves nothing, because its session ends without a commit.
    await connection.control("begin; lock table sealing_checks in share row exclusive mode")
    const [pseudonyms, emailRefusals, clusterSecrets] = await openKept(sql, secretKeys)
    if (pseudonyms === undefined || emailRefusals === undefined || clusterSecrets === undefined) {
      throw new Error("a kept key is gone")
    }
    if (cluster !== null) await takeClusterSecrets(sql, clusterSecrets, cluster)
    await connection.control("commit")
    return { pseudonyms, emailRefusals }
  })

/** Whether the keys open what the database has; false when it has nothing yet that counts. Reads only. @throws SecretRefused */
export const opensSecrets = (url: string, secretKeys: SecretKeys): Promise<boolean> =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => (await secretInUse(sql, secretKeys)) !== null)
