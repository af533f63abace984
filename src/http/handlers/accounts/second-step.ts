/** The second step of a sign-in, for accounts with a second factor: a short-lived token for the first step, and a code that redeems it. */
import { Clock, Effect } from "effect"
import { RequestCaller } from "../../../identity/request-caller.ts"
import { hashSecret, newSecret } from "../../../identity/secrets.ts"
import { InvalidToken, Unauthorized } from "../../../model/errors.ts"
import { type Timestamp, toTimestamp } from "../../../model/timestamp.ts"
import type { ProvedCredentials } from "../../../store/accounts/accounts.ts"
import { listCredentialIds } from "../../../store/accounts/passkeys.ts"
import { findTotp, hasFactor } from "../../../store/accounts/second-factors.ts"
import { insertChallenge, takeChallenge, tryChallenge } from "../../../store/accounts/sign-in-challenges.ts"
import { Database } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { noteAccountAct, noteFailedSignIn, takeToldCode } from "./account-acts.ts"

const TOKEN_MS = 300_000
/** Attempts per token; then the password is asked for again. */
const MOST_TRIES = 5
const WRONG = new Unauthorized({ detail: "The code is wrong or was used." })

interface Challenge {
  readonly mfaRequired: true
  readonly mfaToken: string
  readonly methods: ReadonlyArray<"totp" | "recovery_code" | "passkey">
  readonly expiresAt: Timestamp
}

/** Resolves to null for an account without a second factor, which is signed in. */
export const challengeFor = (proved: ProvedCredentials) =>
  Effect.gen(function* () {
    const database = yield* Database
    const { accountId } = proved
    if (!(yield* database.run((sql) => hasFactor(sql, accountId)))) return null
    const mfaToken = newSecret()
    const expiresAt = toTimestamp((yield* Clock.currentTimeMillis) + TOKEN_MS)
    const row = { ...proved, tokenHash: hashSecret(mfaToken), purpose: "code" as const, expiresAt }
    yield* database.run((sql) => insertChallenge(sql, row))
    const totp = yield* database.run((sql) => findTotp(sql, accountId))
    const passkeys = yield* database.run((sql) => listCredentialIds(sql, accountId))
    const methods = [
      ...(totp?.confirmedAt ? (["totp"] as const) : []),
      ...(passkeys.length > 0 ? (["passkey"] as const) : []),
      "recovery_code" as const,
    ]
    return { mfaRequired: true, mfaToken, methods, expiresAt } satisfies Challenge
  })

/**
 * Counts a sign-in that names no account against the client's address before it is known to fail. Resolves to an effect that undoes the
 * count.
 */
export const countAtAddress = Effect.gen(function* () {
  const { address } = yield* RequestCaller
  return yield* (yield* RateLimits).takeAll([["loginFailureByAddress", address]])
})

/**
 * Counts an attempt for the account before its code is known to be wrong. Resolves to an effect that undoes the count. Unlike the limit for
 * passwords, the limit by account refuses: a caller who gets this far knows the password.
 */
export const countCode = (accountId: string) =>
  Effect.gen(function* () {
    const { address } = yield* RequestCaller
    return yield* (yield* RateLimits).takeAll([
      ["loginFailureByAddress", address],
      ["loginFailure", `${address} ${accountId}`],
      ["codeFailure", accountId],
    ])
  })

/** Resolves to the credentials proved in the first step. */
export const signInWithCode = (mfaToken: string, code: string) =>
  Effect.gen(function* () {
    const database = yield* Database
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    const challenge = { tokenHash: hashSecret(mfaToken), purpose: "code" as const, now }
    const found = yield* database.run((sql) => tryChallenge(sql, { ...challenge, most: MOST_TRIES }))
    if (found === undefined || found.accountId === null || found.credentialsVersion === null) {
      return yield* new InvalidToken()
    }
    const { accountId, credentialsVersion, connectionId = null } = found
    const takeBack = yield* countCode(accountId)
    const kind = yield* database
      .transaction((sql) =>
        Effect.gen(function* () {
          // A wrong code leaves the token for another attempt.
          if ((yield* query(() => takeChallenge(sql, challenge))) === undefined) return yield* new InvalidToken()
          return (yield* takeToldCode(sql, accountId, code)) ?? (yield* WRONG)
        }),
      )
      .pipe(
        Effect.tapErrorTag("Unauthorized", () => noteFailedSignIn(accountId)),
        // An overload of the server proves nothing about the code.
        Effect.tapErrorTag("Unavailable", () => takeBack),
      )
    yield* takeBack
    if (kind === "recovery") yield* noteAccountAct("recovery_code.used", accountId)
    return { accountId, credentialsVersion, connectionId }
  })
