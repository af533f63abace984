/**
 * Is the configured key the one that the database's secrets were sealed with? A server with another key would run and fail
 * later: webhooks could not be signed, waiting letters not be sent, kept answers not be given again. With a new key that
 * replaced a lost file, the failures would be permanent.
 */
import { withSession } from "./pool/session.ts"
import type { Queryable } from "./pool/statement.ts"
import { openText, sealText } from "./sealed-text.ts"

const LIMITS = { connectMs: 10_000, withinMs: 10_000 }
const OWNER = "sealing check"

const opens = (key: Uint8Array, owner: string, sealed: Uint8Array): boolean => {
  try {
    openText(key, owner, sealed)
    return true
  } catch {
    return false
  }
}

const isAnythingSealed = async (sql: Queryable): Promise<boolean> => {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from webhook_endpoints) or exists (select from mails)
        or exists (select from idempotency_keys) as found`
  return row?.found === true
}

/** For databases without a check row: does the key open a webhook's secret, if there is one? */
const opensSecrets = async (sql: Queryable, key: Uint8Array): Promise<boolean> => {
  const [row] = await sql<{ id: string; secretSealed: Uint8Array }[]>`
    select id, secret_sealed from webhook_endpoints order by id desc limit 1`
  return row === undefined || opens(key, row.id, row.secretSealed)
}

/**
 * False: a secret is sealed with another key. Where nothing is sealed, the key becomes the required one from then on.
 * `sealingKey`: 32 bytes, the one for webhook secrets; all others derive from the same secret.
 */
export const ownsSealedSecrets = (url: string, sealingKey: Uint8Array): Promise<boolean> =>
  withSession(url, { application_name: "gathercue start" }, LIMITS, async ({ sql }) => {
    const [check] = await sql<{ sealed: Uint8Array }[]>`select sealed from sealing_checks`
    if (check !== undefined && opens(sealingKey, OWNER, check.sealed)) return true
    const isOurs = check === undefined ? await opensSecrets(sql, sealingKey) : !(await isAnythingSealed(sql))
    if (!isOurs) return false
    const sealed = sealText(sealingKey, OWNER, OWNER)
    await sql`insert into sealing_checks (sealed) values (${sealed}) on conflict (id) do update set sealed = excluded.sealed`
    return true
  })
