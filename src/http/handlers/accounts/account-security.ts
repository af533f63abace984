/** Verification, password reset and change, and sessions. Requests about an address get the same answer for every address. */
import { Clock, Effect } from "effect"
import {
  changePassword,
  isAccountToken,
  issueAccountToken,
  verifyEmail,
} from "../../../identity/accounts/account-tokens.ts"
import { Passwords } from "../../../identity/accounts/passwords.ts"
import { RequestCaller } from "../../../identity/request-caller.ts"
import { resetEmail, verificationEmail } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { Conflict, Forbidden, InvalidToken, NotFound, Unauthorized, type Unavailable } from "../../../model/errors.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { deleteAccountTokens } from "../../../store/accounts/account-tokens.ts"
import {
  type AddressRow,
  deleteAccountSession,
  findAddress,
  findPassword,
  findPrimaryAddress,
  holdsCredentials,
  listSessions,
  lockAccount,
  storedForm,
} from "../../../store/accounts/accounts.ts"
import { Database, outsideTransaction, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { Telemetry } from "../../../telemetry/telemetry.ts"
import type { AccountSecurity } from "../../contract/accounts/account-security.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { tellChange } from "./account-acts.ts"
import { resetPasswordBy } from "./first-proof.ts"

/** Sends the verification email in the caller's transaction; succeeds with its link. */
export const postVerification = (
  sql: Queryable,
  mailer: Mailer["Service"],
  appUrl: string,
  { accountId, emailId, email, name }: Pick<AddressRow, "accountId" | "emailId" | "email" | "name">,
): Effect.Effect<string, Unavailable> =>
  Effect.gen(function* () {
    const token = yield* issueAccountToken(sql, "verify_email", { accountId, emailId })
    const url = `${appUrl}/verify#token=${token}`
    yield* query(() => mailer.post(sql, verificationEmail(email, name, url)))
    return url
  })

/** Sends the reset email if the address is known; succeeds with its link. */
const postReset = (
  sql: Queryable,
  mailer: Mailer["Service"],
  appUrl: string,
  email: string,
): Effect.Effect<string | undefined, Unavailable> =>
  Effect.gen(function* () {
    const address = yield* query(async () => findAddress(sql, await storedForm(sql, email)))
    if (address === undefined) return undefined
    const url = `${appUrl}/reset#token=${yield* issueAccountToken(sql, "reset_password", address)}`
    yield* query(() => mailer.post(sql, resetEmail(address.email, address.name, url)))
    return url
  })

export const accountSecurity = {
  verifyEmail: {
    access: "public",
    handle: ({ payload }) =>
      Effect.flatMap(Database, (database) => database.transaction((sql) => verifyEmail(sql, payload.token))).pipe(
        Effect.map((email) => ({ verified: true as const, email })),
      ),
  },
  resendVerification: {
    access: "account",
    handle: ({ scope }) =>
      Effect.gen(function* () {
        const { appUrl, emailDevMode } = yield* HttpSettings
        const mailer = yield* Mailer
        const database = yield* Database
        const address = yield* database.run((sql) => findPrimaryAddress(sql, scope.accountId))
        if (address === undefined || address.verified) {
          return yield* new Conflict({ detail: "The address is verified already." })
        }
        yield* (yield* RateLimits).mail("verification", address.email)
        const verifyUrl = yield* database.transaction((sql) => postVerification(sql, mailer, appUrl, address))
        mailer.collect()
        return { requested: true as const, ...(emailDevMode ? { verifyUrl } : {}) }
      }),
  },
  requestPasswordReset: {
    access: "public",
    handle: ({ payload }) =>
      Effect.gen(function* () {
        const { appUrl, emailDevMode } = yield* HttpSettings
        const { log } = yield* Telemetry
        const { address } = yield* RequestCaller
        yield* (yield* RateLimits).resetEmail(address, foldEmail(payload.email))
        const mailer = yield* Mailer
        const post = (yield* Database)
          .transaction((sql) => postReset(sql, mailer, appUrl, payload.email))
          .pipe(Effect.tap(() => Effect.sync(mailer.collect)))
        if (emailDevMode) {
          const resetUrl = yield* post
          return { requested: true as const, ...(resetUrl === undefined ? {} : { resetUrl }) }
        }
        // Runs in the background: the time of the answer must not reveal whether the address is known.
        yield* Effect.forkDetach(
          Effect.catchCause(post, (cause) => Effect.sync(() => log.error({ err: cause }, "a reset email was lost"))),
        )
        return { requested: true as const }
      }),
  },
  resetPassword: {
    access: "public",
    handle: ({ payload, requestId }) =>
      Effect.gen(function* () {
        const database = yield* Database
        // Checked first, so that no password is hashed for a caller without a token.
        const isOpen = yield* database.run((sql) => isAccountToken(sql, "reset_password", payload.token))
        if (!isOpen) return yield* new InvalidToken()
        const passwordHash = yield* (yield* Passwords).hash(payload.password)
        yield* resetPasswordBy(payload.token, passwordHash, requestId)
        return { reset: true as const }
      }),
  },
  changePassword: {
    access: "account",
    handle: ({ payload, scope }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const passwords = yield* Passwords
        const limits = yield* RateLimits
        // Counted by session: failures of one session do not block the others.
        const giveBack = yield* limits.takeAll([["loginFailure", scope.sessionId]])
        const { passwordHash: stored, credentialsVersion } = yield* outsideTransaction(
          database.run((sql) => findPassword(sql, scope.accountId)),
        )
        const isRight = yield* Effect.tapError(passwords.verify(stored, payload.currentPassword), () => giveBack)
        if (!isRight) return yield* new Forbidden({ detail: "The current password is wrong." })
        yield* giveBack
        const passwordHash = yield* passwords.hash(payload.password)
        yield* database.transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, scope.accountId))
            // Another reset or change came first: the session or the given password no longer counts.
            const proved = { accountId: scope.accountId, credentialsVersion }
            if (!(yield* query(() => holdsCredentials(sql, scope.sessionId, proved)))) {
              return yield* new Unauthorized({ detail: "The password was changed meanwhile." })
            }
            yield* query(() => changePassword(sql, scope.accountId, passwordHash, scope.sessionId))
            yield* tellChange(sql, scope.accountId, "passwordChanged")
          }),
        )
        yield* recheckSockets({ accountId: scope.accountId })
        return { changed: true as const }
      }),
  },
  listSessions: {
    access: "account",
    handle: ({ scope }) =>
      Effect.gen(function* () {
        const now = toTimestamp(yield* Clock.currentTimeMillis)
        const rows = yield* (yield* Database).run((sql) => listSessions(sql, scope.accountId, now))
        return { sessions: rows.map((session) => ({ ...session, current: session.id === scope.sessionId })) }
      }),
  },
  endSession: {
    access: "account",
    handle: ({ params, scope }) =>
      Effect.gen(function* () {
        const ended = yield* (yield* Database).transaction((sql) =>
          query(async () => {
            await lockAccount(sql, scope.accountId)
            // The reset links end too: a person who signs other sessions out means those as well.
            await deleteAccountTokens(sql, scope.accountId, "reset_password")
            return deleteAccountSession(sql, scope.accountId, params.sessionId)
          }),
        )
        if (!ended) return yield* NotFound.of("session")
        yield* recheckSockets({ sessionId: params.sessionId })
        return new Reply(undefined, {})
      }),
  },
} satisfies Handlers<typeof AccountSecurity>
