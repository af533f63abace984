/** API keys as the store keeps them, more than the product lets a workspace have: each may send a hundred requests a second. */
import postgres from "postgres"
import { API_KEY_PREFIX } from "../../src/identity/api-keys.ts"
import { hashSecret, newSecret } from "../../src/identity/secrets.ts"
import { newId } from "../../src/model/ids.ts"

/** Resolves to the secrets. */
export const storeKeys = async (
  databaseUrl: string,
  workspaceId: string,
  count: number,
): Promise<ReadonlyArray<string>> => {
  const secrets = Array.from({ length: count }, () => API_KEY_PREFIX + newSecret())
  const sql = postgres(databaseUrl, { max: 1 })
  const rows = secrets.map((secret) => ({
    id: newId(),
    workspace_id: workspaceId,
    secret_hash: Buffer.from(hashSecret(secret)),
    prefix: secret.slice(0, API_KEY_PREFIX.length + 4),
    last4: secret.slice(-4),
  }))
  await sql`insert into api_keys ${sql(rows)}`.finally(() => sql.end())
  return secrets
}
