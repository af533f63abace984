/**
 * Checks that the nodes on a database share one CLUSTER_SECRET. The database keeps keyed hashes of the secrets of the node that started
 * last. Two nodes fit when each accepts the secret that the other one uses. Nothing is stored under the secret, so nodes that have all
 * stopped may start with another one.
 */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import type { Queryable } from "../pool/statement.ts"
import { countHolders } from "../process-lock.ts"
import { SecretRefused } from "../sealing/secret-refused.ts"

export interface ClusterSecrets {
  /** Null when nodes trust their network. */
  readonly secret: Redacted.Redacted<string> | null
  /** Second accepted secret while the secret is being changed. */
  readonly otherSecret: Redacted.Redacted<string> | null
}

const ANOTHER_SECRET =
  "Other nodes on this database have another CLUSTER_SECRET; set the same one, or follow the steps to change it (docs/scaling.md)."

interface Hashes {
  readonly used: string
  readonly other: string | null
}

const fits = (one: Hashes, { used, other }: Hashes): boolean => one.used === used || one.used === other

/** `key` is 32 bytes that stay the same. Run it in the transaction of a start. @throws SecretRefused */
export const takeClusterSecrets = async (
  sql: Queryable,
  key: Uint8Array,
  { secret, otherSecret }: ClusterSecrets,
): Promise<void> => {
  const hashOf = (one: Redacted.Redacted<string> | null): string =>
    createHmac("sha256", key)
      .update(one === null ? "" : Redacted.value(one))
      .digest("hex")
  const own: Hashes = { used: hashOf(secret), other: otherSecret && hashOf(otherSecret) }
  const [known] = await sql<Hashes[]>`select used, other from cluster_secrets`
  const doFit = known === undefined || (fits(own, known) && fits(known, own))
  if (!doFit && (await countHolders(sql)) > 1) throw new SecretRefused(ANOTHER_SECRET)
  await sql`
    insert into cluster_secrets (used, other) values (${own.used}, ${own.other})
        on conflict (id) do update set used = excluded.used, other = excluded.other`
}
