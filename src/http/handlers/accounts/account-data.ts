/** The export and the deletion of the signed-in account. */
import { Clock, Effect } from "effect"
import { Erasures } from "../../../erasure/erasures.ts"
import { Passwords } from "../../../identity/accounts/passwords.ts"
import { Forbidden, Unauthorized } from "../../../model/errors.ts"
import { findPassword, holdsCredentials, isSession, lockAccount } from "../../../store/accounts/accounts.ts"
import { hasFactor } from "../../../store/accounts/second-factors.ts"
import { Database, outsideTransaction } from "../../../store/database.ts"
import { decodeAccountCursor, deleteAccount, pageAccountExport } from "../../../store/personal/accounts.ts"
import { query } from "../../../store/query.ts"
import { Telemetry } from "../../../telemetry/telemetry.ts"
import type { AccountData } from "../../contract/accounts/account-data.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { clearedSessionCookie } from "../../requests/credentials.ts"
import { requireProvedSession } from "../../requests/management.ts"
import { pageReply, pageRequestBy } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"

const ENDED = new Unauthorized({ detail: "The session was ended, or the password changed, meanwhile." })

/** Resolves to the version of the proved credentials. */
const prove = ({ accountId, sessionId }: Scopes["account"], password: string | null) =>
  Effect.gen(function* () {
    const database = yield* Database
    const { passwordHash, credentialsVersion } = yield* outsideTransaction(
      database.run((sql) => findPassword(sql, accountId)),
    )
    if ((passwordHash === null && password === null) || (yield* database.run((sql) => hasFactor(sql, accountId)))) {
      yield* requireProvedSession(sessionId)
    }
    if (passwordHash === null && password === null) return credentialsVersion
    // Counted by session: failures of one session do not block the others.
    const giveBack = yield* (yield* RateLimits).takeAll([["loginFailure", sessionId]])
    const isRight = yield* Effect.tapError((yield* Passwords).verify(passwordHash, password ?? ""), () => giveBack)
    if (!isRight) {
      // An account that was deleted meanwhile has no password.
      const isThere = yield* database.run((sql) => isSession(sql, { sessionId, accountId }))
      return yield* isThere ? new Forbidden({ detail: "The password is wrong." }) : ENDED
    }
    yield* giveBack
    return credentialsVersion
  })

export const accountData = {
  exportAccount: {
    access: "account",
    handle: (call) =>
      Effect.gen(function* () {
        const { limit, after } = yield* pageRequestBy(call.query, decodeAccountCursor)
        const { accountId } = call.scope
        const page = yield* (yield* Database).run((sql) => pageAccountExport(sql, accountId, limit, after))
        return pageReply(call, page, { items: page.rows, nextCursor: page.nextCursor })
      }),
  },
  deleteAccount: {
    access: "account",
    handle: ({ payload: { password }, scope, scope: { accountId, sessionId }, requestId }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        const { log } = yield* Telemetry
        const credentialsVersion = yield* prove(scope, password)
        const now = yield* Clock.currentTimeMillis
        const erasures = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, accountId))
            if (!(yield* query(() => holdsCredentials(sql, sessionId, { accountId, credentialsVersion })))) {
              return yield* ENDED
            }
            return yield* deleteAccount(sql, { accountId, requestId, now })
          }),
        )
        log.info({ accountId }, "an account was deleted")
        yield* recheckSockets({ accountId })
        const { begin } = yield* Erasures
        yield* Effect.forEach(erasures, begin, { concurrency: "unbounded", discard: true })
        return new Reply(undefined, { headers: [["set-cookie", clearedSessionCookie(publicUrl)]] })
      }),
  },
} satisfies Handlers<typeof AccountData>
