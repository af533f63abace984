/** Sign-ins in progress, by the hash of their token. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

/** `code` means that the password is proved and the second factor is asked for. The others wait for an authenticator's answer. */
export type ChallengePurpose = "code" | "passkey" | "passkey_registration"

interface ChallengeRow {
  readonly tokenHash: Uint8Array
  readonly purpose: ChallengePurpose
  readonly accountId: string | null
  readonly credentialsVersion: number | null
  /** The workspace's connection that proved the first step. */
  readonly connectionId?: string | null
  readonly expiresAt: Timestamp
}

export const insertChallenge = async (sql: Queryable, row: ChallengeRow): Promise<void> => {
  await sql`
    insert into sign_in_challenges (token_hash, purpose, account_id, credentials_version, connection_id, expires_at)
    values (${row.tokenHash}, ${row.purpose}, ${row.accountId}, ${row.credentialsVersion}, ${row.connectionId ?? null},
            ${row.expiresAt})`
}

type Found = Pick<ChallengeRow, "accountId" | "credentialsVersion" | "connectionId">

/**
 * Counts an attempt before it is known to fail. Resolves to `undefined` for a challenge that is unknown, expired or has no attempts left.
 */
export const tryChallenge = async (
  sql: Queryable,
  { tokenHash, purpose, now, most }: Pick<ChallengeRow, "tokenHash" | "purpose"> & { now: Timestamp; most: number },
): Promise<Found | undefined> => {
  const [row] = await sql<Found[]>`
    update sign_in_challenges set tries = tries + 1
     where token_hash = ${tokenHash} and purpose = ${purpose} and expires_at > ${now} and tries < ${most}
    returning account_id, credentials_version, connection_id`
  return row
}

/** Deletes the challenge; only one of several callers gets it. */
export const takeChallenge = async (
  sql: Queryable,
  { tokenHash, purpose, now }: Pick<ChallengeRow, "tokenHash" | "purpose"> & { now: Timestamp },
): Promise<Found | undefined> => {
  const [row] = await sql<Found[]>`
    delete from sign_in_challenges where token_hash = ${tokenHash} and purpose = ${purpose} and expires_at > ${now}
    returning account_id, credentials_version, connection_id`
  return row
}

/** Deletes up to `limit` expired challenges. Resolves to their number. */
export const deleteExpiredChallenges = async (sql: Queryable, now: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from sign_in_challenges where token_hash = any (array(
      select token_hash from sign_in_challenges where expires_at <= ${now} order by expires_at limit ${limit}))`
  return count
}
