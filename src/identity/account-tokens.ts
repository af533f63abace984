/**
 * Verifying an address and resetting a password: one-time links, kept hashed, bound to one purpose. A reset ends every
 * session of the account and makes every token minted before it worthless.
 */
import { InvalidToken } from "../model/errors.ts"
import { toTimestamp } from "../model/timestamp.ts"
import {
  type AccountTokenPurpose,
  consumeAccountToken,
  deleteAccountTokens,
  hasAccountToken,
  insertAccountToken,
} from "../store/account-tokens.ts"
import { deleteAccountSessions, markVerified, setPassword } from "../store/accounts.ts"
import type { Queryable } from "../store/database.ts"
import { hashSecret, newSecret } from "./secrets.ts"

const LIFETIME_MS: Readonly<Record<AccountTokenPurpose, number>> = {
  verify_email: 86_400_000,
  reset_password: 1_800_000,
}

const now = () => toTimestamp(Date.now())

/** Resolves to the token itself, for a link. */
export const issueAccountToken = async (
  sql: Queryable,
  purpose: AccountTokenPurpose,
  of: { readonly accountId: string; readonly emailId: string },
): Promise<string> => {
  const token = newSecret()
  const expiresAt = toTimestamp(Date.now() + LIFETIME_MS[purpose])
  await insertAccountToken(sql, { tokenHash: hashSecret(token), purpose, ...of, expiresAt })
  return token
}

/** Would the token be taken? For a page that shows a form first. */
export const isAccountToken = (sql: Queryable, purpose: AccountTokenPurpose, token: string): Promise<boolean> =>
  hasAccountToken(sql, hashSecret(token), purpose, now())

/** Resolves to the verified address. Throws `InvalidToken` when it is unknown, used or expired. Run in a transaction. */
export const verifyEmail = async (sql: Queryable, token: string): Promise<string> => {
  const found = await consumeAccountToken(sql, hashSecret(token), "verify_email", now())
  if (found === undefined) throw new InvalidToken()
  await deleteAccountTokens(sql, found.accountId, "verify_email")
  return markVerified(sql, found.emailId)
}

/**
 * Sets a new password and signs everything out. Whoever holds the link has the mailbox, so the address counts as verified.
 * Resolves to the account. Throws `InvalidToken`. Run in a transaction.
 */
export const resetPassword = async (sql: Queryable, token: string, passwordHash: string): Promise<string> => {
  const found = await consumeAccountToken(sql, hashSecret(token), "reset_password", now())
  if (found === undefined) throw new InvalidToken()
  await changePassword(sql, found.accountId, passwordHash, null)
  await markVerified(sql, found.emailId)
  return found.accountId
}

/** `keepSession`: the one that asked for it, if any, stays. Run in a transaction. */
export const changePassword = async (
  sql: Queryable,
  accountId: string,
  passwordHash: string,
  keepSession: string | null,
): Promise<void> => {
  await setPassword(sql, accountId, passwordHash)
  await deleteAccountSessions(sql, accountId, keepSession)
  await deleteAccountTokens(sql, accountId, null)
}
