/** Signing up, in, and out. */
import { Effect } from "effect"
import { AccountSessions } from "../../../identity/accounts/account-sessions.ts"
import { Database } from "../../../store/database.ts"
import type { Accounts } from "../../contract/accounts/accounts.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { clearedSessionCookie } from "../../requests/credentials.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { createAccount, signInWithPassword } from "./account-entry.ts"
import { challengeFor, signInWithCode } from "./second-step.ts"
import { accountView, signedIn } from "./signed-in.ts"

export const accounts = {
  signup: {
    access: "public",
    handle: ({ payload, device }) =>
      Effect.gen(function* () {
        const { emailDevMode } = yield* HttpSettings
        const { inviteToken, ...person } = payload
        const { verifyUrl, ...account } = yield* createAccount(person, inviteToken)
        const shown = emailDevMode ? { verifyUrl } : {}
        return yield* signedIn(account, device, { status: 201, location: "/v1/accounts/me", ...shown })
      }),
  },
  login: {
    access: "public",
    handle: ({ payload: { email, password }, device }) =>
      Effect.gen(function* () {
        const proved = yield* signInWithPassword(email, password)
        return (yield* challengeFor(proved)) ?? (yield* signedIn(proved, device, { status: 200 }))
      }),
  },
  loginWithCode: {
    access: "public",
    handle: ({ payload: { mfaToken, code }, device }) =>
      Effect.flatMap(signInWithCode(mfaToken, code), (proved) => signedIn(proved, device, { status: 200 })),
  },
  logout: {
    access: "account",
    handle: ({ scope }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        yield* (yield* AccountSessions).end(scope.sessionId)
        yield* recheckSockets({ sessionId: scope.sessionId })
        return new Reply(undefined, { headers: [["set-cookie", clearedSessionCookie(publicUrl)]] })
      }),
  },
  me: {
    access: "account",
    handle: ({ scope }) =>
      Effect.flatMap(Database, (database) => database.run((sql) => accountView(sql, scope.accountId))),
  },
} satisfies Handlers<typeof Accounts>
