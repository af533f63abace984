/** Signing up, in, and out. */
import { Effect } from "effect"
import { AccountSessions } from "../../../identity/accounts/account-sessions.ts"
import { Unauthorized, type Unavailable } from "../../../model/errors.ts"
import { findAccount, listAccountEmails, type ProvedCredentials } from "../../../store/accounts/accounts.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { listAccountWorkspaces } from "../../../store/workspaces/workspaces.ts"
import type { Accounts, AccountView } from "../../contract/accounts/accounts.ts"
import { issueSession } from "../../requests/browser-session.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { clearedSessionCookie } from "../../requests/credentials.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { createAccount, signInWithPassword } from "./account-entry.ts"

const accountView = (sql: Queryable, accountId: string): Effect.Effect<AccountView, Unauthorized | Unavailable> =>
  Effect.gen(function* () {
    const [account, emails, workspaces] = yield* query(() =>
      Promise.all([
        findAccount(sql, accountId),
        listAccountEmails(sql, accountId),
        listAccountWorkspaces(sql, accountId),
      ]),
    )
    if (account === undefined) return yield* new Unauthorized({ detail: "The account no longer exists." })
    const primary = emails.find((email) => email.primary)
    return {
      account: { ...account, email: primary?.email ?? "", emailVerified: primary?.verified ?? false },
      emails,
      workspaces,
    }
  })

/** Starts a session and answers with the account and the cookie. */
const signedIn = (
  { accountId, credentialsVersion }: ProvedCredentials,
  device: string | null,
  options: { readonly status: number; readonly location?: string; readonly verifyUrl?: string },
) =>
  Effect.gen(function* () {
    const cookie = ["set-cookie", yield* issueSession({ accountId, credentialsVersion }, device)] as const
    const view = yield* (yield* Database).run((sql) => accountView(sql, accountId))
    const location = options.location === undefined ? [] : [["location", options.location] as const]
    const { verifyUrl } = options
    return new Reply(verifyUrl === undefined ? view : { ...view, verifyUrl }, {
      status: options.status,
      headers: [cookie, ...location],
    })
  })

export const accounts: Handlers<typeof Accounts> = {
  signup: {
    access: "public",
    handle: ({ payload, device }) =>
      Effect.gen(function* () {
        const { emailDevMode } = yield* HttpSettings
        const { verifyUrl, ...account } = yield* createAccount(payload)
        const shown = emailDevMode ? { verifyUrl } : {}
        return yield* signedIn(account, device, { status: 201, location: "/v1/accounts/me", ...shown })
      }),
  },
  login: {
    access: "public",
    handle: ({ payload: { email, password }, device }) =>
      Effect.flatMap(signInWithPassword(email, password), (proved) => signedIn(proved, device, { status: 200 })),
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
}
