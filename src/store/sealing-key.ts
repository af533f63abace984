/**
 * Is the configured key the one that the database's secrets were sealed with? A server with another one would run, and fail
 * at each webhook; worse, with a key made anew because its file was lost it would go on so for good.
 */
import { withSession } from "./pool/session.ts"
import { openText } from "./sealed-text.ts"

const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

/** True also when nothing is sealed yet. `sealingKey`: 32 bytes, the one for webhook secrets. */
export const opensSealedSecrets = (url: string, sealingKey: Uint8Array): Promise<boolean> =>
  withSession(url, { application_name: "gathercue start" }, LIMITS, async ({ sql }) => {
    const [row] = await sql<{ id: string; secretSealed: Uint8Array }[]>`
      select id, secret_sealed from webhook_endpoints order by id desc limit 1`
    if (row === undefined) return true
    try {
      openText(sealingKey, row.id, row.secretSealed)
      return true
    } catch {
      return false
    }
  })
