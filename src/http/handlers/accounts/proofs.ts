/**
 * Renews the proof of a session holder's identity. An account with a second factor needs its code, because its password alone signs nobody
 * in.
 */
import { Effect } from "effect"
import { Passwords } from "../../../identity/accounts/passwords.ts"
import { BadRequest, Forbidden, Unauthorized } from "../../../model/errors.ts"
import { findPassword } from "../../../store/accounts/accounts.ts"
import { listCredentialIds } from "../../../store/accounts/passkeys.ts"
import { hasFactor } from "../../../store/accounts/second-factors.ts"
import { isProvedSession, proveSession } from "../../../store/accounts/session-proofs.ts"
import { Database, outsideTransaction } from "../../../store/database.ts"
import type { AssertionResponse } from "../../contract/accounts/passkeys.ts"
import type { Proofs } from "../../contract/accounts/proofs.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import type { Handlers, Scopes } from "../../requests/call.ts"
import { noteAccountAct, noteFailedSignIn, takeToldCode } from "./account-acts.ts"
import { accountByPasskey } from "./passkeys.ts"
import { countCode } from "./second-step.ts"

const WRONG = new Forbidden({ detail: "The password, the code or the passkey is wrong." })

const byPassword = ({ sessionId }: Scopes["account"], stored: string | null, password: string) =>
  Effect.gen(function* () {
    // Counted by session: failures of one session do not block the others.
    const takeBack = yield* (yield* RateLimits).takeAll([["loginFailure", sessionId]])
    const isRight = yield* Effect.tapError((yield* Passwords).verify(stored, password), () => takeBack)
    if (isRight) yield* takeBack
    return isRight
  })

const byCode = ({ accountId }: Scopes["account"], code: string) =>
  Effect.gen(function* () {
    const takeBack = yield* countCode(accountId)
    const kind = yield* (yield* Database)
      .transaction((sql) => takeToldCode(sql, accountId, code))
      .pipe(Effect.tapError(() => takeBack))
    if (kind !== null) yield* takeBack
    if (kind === "recovery") yield* noteAccountAct("recovery_code.used", accountId)
    return kind !== null
  })

/** A passkey of another account proves nothing. */
const byPasskey = ({ accountId }: Scopes["account"], response: AssertionResponse) =>
  accountByPasskey(response).pipe(
    Effect.map((found) => found === accountId),
    Effect.catchTag("Unauthorized", () => Effect.succeed(false)),
  )

interface Given {
  readonly password?: string
  readonly code?: string
  readonly passkey?: AssertionResponse
}

const isProved = (scope: Scopes["account"], stored: string | null, { password, code, passkey }: Given) =>
  Effect.gen(function* () {
    if (passkey !== undefined) return yield* byPasskey(scope, passkey)
    const needsCode = yield* outsideTransaction((yield* Database).run((sql) => hasFactor(sql, scope.accountId)))
    if (needsCode && code !== undefined) return yield* byCode(scope, code)
    if (!needsCode && password !== undefined) return yield* byPassword(scope, stored, password)
    return yield* BadRequest.ofField(needsCode ? "code" : "password", "Missing key")
  })

export const proofs = {
  getProof: {
    access: "account",
    handle: ({ scope: { accountId, sessionId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const fresh = yield* database.run((sql) => isProvedSession(sql, sessionId))
        const passkeys = yield* database.run((sql) => listCredentialIds(sql, accountId))
        const byKey = passkeys.length > 0 ? (["passkey"] as const) : []
        if (yield* database.run((sql) => hasFactor(sql, accountId))) {
          return { fresh, methods: [...byKey, "code" as const] }
        }
        const { passwordHash } = yield* database.run((sql) => findPassword(sql, accountId))
        return { fresh, methods: passwordHash === null ? [] : ["password" as const] }
      }),
  },
  prove: {
    access: "account",
    handle: ({ payload, scope }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const { passwordHash, credentialsVersion } = yield* outsideTransaction(
          database.run((sql) => findPassword(sql, scope.accountId)),
        )
        if (!(yield* isProved(scope, passwordHash, payload))) {
          yield* noteFailedSignIn(scope.accountId)
          return yield* WRONG
        }
        if (!(yield* database.run((sql) => proveSession(sql, { ...scope, credentialsVersion })))) {
          return yield* new Unauthorized({ detail: "The session was ended, or the password changed, meanwhile." })
        }
        return { proved: true as const }
      }),
  },
} satisfies Handlers<typeof Proofs>
