/**
 * Verifying an address and resetting a password: one-time links, kept hashed, bound to one purpose. A reset ends every session of the
 * account and invalidates every token minted before it. Any person can sign up with any address: what the account made before is taken back
 * when a reset or the identity provider first proves its address. The verification link removes second factors alone.
 */
import { Clock, Effect } from "effect"
import { InvalidToken, type Unavailable } from "../../model/errors.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import {
  type AccountTokenPurpose,
  consumeAccountToken,
  deleteAccountTokens,
  hasAccountToken,
  insertAccountToken,
  lockTokenAccount,
} from "../../store/accounts/account-tokens.ts"
import { deleteAccountSessions, lockAccount, markVerified, setPassword } from "../../store/accounts/accounts.ts"
import { type TakenBack, takeBack } from "../../store/accounts/first-proof.ts"
import { deleteFactors } from "../../store/accounts/second-factors.ts"
import type { Queryable } from "../../store/database.ts"
import { query } from "../../store/query.ts"
import { hashSecret, newSecret } from "../secrets.ts"

const LIFETIME_MS: Readonly<Record<AccountTokenPurpose, number>> = {
  verify_email: 86_400_000,
  reset_password: 1_800_000,
}

const nowText = Effect.map(Clock.currentTimeMillis, toTimestamp)

/** Succeeds with the token itself, for a link. */
export const issueAccountToken = (
  sql: Queryable,
  purpose: AccountTokenPurpose,
  { accountId, emailId }: { readonly accountId: string; readonly emailId: string },
): Effect.Effect<string, Unavailable> =>
  Effect.gen(function* () {
    const token = newSecret()
    const expiresAt = toTimestamp((yield* Clock.currentTimeMillis) + LIFETIME_MS[purpose])
    yield* query(() =>
      insertAccountToken(sql, { tokenHash: hashSecret(token), purpose, accountId, emailId, expiresAt }),
    )
    return token
  })

/** Whether the token would be accepted, for a page that shows a form first. */
export const isAccountToken = (
  sql: Queryable,
  purpose: AccountTokenPurpose,
  token: string,
): Effect.Effect<boolean, Unavailable> =>
  Effect.flatMap(nowText, (now) => query(() => hasAccountToken(sql, hashSecret(token), purpose, now)))

/** Consumes the token. Fails with `InvalidToken` when it is unknown, used or expired. Locks the account for the transaction. */
const consume = (sql: Queryable, purpose: AccountTokenPurpose, token: string) =>
  Effect.gen(function* () {
    const now = yield* nowText
    const found = yield* query(async () => {
      const tokenHash = hashSecret(token)
      await lockTokenAccount(sql, tokenHash, purpose)
      return consumeAccountToken(sql, tokenHash, purpose, now)
    })
    return found ?? (yield* new InvalidToken())
  })

/** Succeeds with the verified address. Run in a transaction. */
export const verifyEmail = (sql: Queryable, token: string): Effect.Effect<string, InvalidToken | Unavailable> =>
  Effect.gen(function* () {
    const found = yield* consume(sql, "verify_email", token)
    return yield* query(async () => {
      await deleteAccountTokens(sql, found.accountId, "verify_email")
      const { email, isFirst } = await markVerified(sql, found.emailId)
      // The account may have been made by somebody other than the owner of the address.
      if (isFirst) await deleteFactors(sql, found.accountId)
      return email
    })
  })

/**
 * Sets a new password and ends all sessions. The holder of the link has the mailbox, so the address counts as verified; its first proof
 * takes back what the account made before. Run in a transaction.
 */
export const resetPassword = (
  sql: Queryable,
  token: string,
  passwordHash: string,
): Effect.Effect<{ readonly accountId: string; readonly takenBack: TakenBack | null }, InvalidToken | Unavailable> =>
  Effect.gen(function* () {
    const { accountId, emailId } = yield* consume(sql, "reset_password", token)
    return yield* query(async () => {
      await changePassword(sql, accountId, passwordHash, null)
      await deleteAccountTokens(sql, accountId, null)
      const { isFirst } = await markVerified(sql, emailId)
      return { accountId, takenBack: isFirst ? await takeBack(sql, accountId) : null }
    })
  })

/**
 * Handles a provider's proof of an address that no account had proved. The account belongs to the owner of the address: earlier objects are
 * taken back, and the password is removed, because another person may know it. `null` when the address was proved meanwhile. Run in a
 * transaction.
 */
export const proveByProvider = async (
  sql: Queryable,
  { accountId, emailId }: { readonly accountId: string; readonly emailId: string },
): Promise<TakenBack | null> => {
  await lockAccount(sql, accountId)
  const { isFirst } = await markVerified(sql, emailId)
  if (!isFirst) return null
  await changePassword(sql, accountId, null, null)
  await deleteAccountTokens(sql, accountId, null)
  return takeBack(sql, accountId)
}

/**
 * `passwordHash` null removes the password. `keepSession` is the session of the request, which stays. Earlier reset links end, so an
 * unrequested one is harmless after a change. Run in a transaction.
 */
export const changePassword = async (
  sql: Queryable,
  accountId: string,
  passwordHash: string | null,
  keepSession: string | null,
): Promise<void> => {
  await setPassword(sql, accountId, passwordHash)
  await deleteAccountSessions(sql, accountId, keepSession)
  await deleteAccountTokens(sql, accountId, "reset_password")
}
