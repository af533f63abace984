/** View of an account, and the answer that begins a session. */
import { Effect } from "effect"
import { Unauthorized, type Unavailable } from "../../../model/errors.ts"
import { findAccount, listAccountEmails, type ProvedCredentials } from "../../../store/accounts/accounts.ts"
import { hasFactor } from "../../../store/accounts/second-factors.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { listAccountWorkspaces } from "../../../store/workspaces/workspaces.ts"
import type { AccountView } from "../../contract/accounts/accounts.ts"
import { issueSession } from "../../requests/browser-session.ts"
import { Reply } from "../../requests/call.ts"

export const accountView = (
  sql: Queryable,
  accountId: string,
): Effect.Effect<AccountView, Unauthorized | Unavailable> =>
  Effect.gen(function* () {
    const [account, mfa, emails, workspaces] = yield* query(() =>
      Promise.all([
        findAccount(sql, accountId),
        hasFactor(sql, accountId),
        listAccountEmails(sql, accountId),
        listAccountWorkspaces(sql, accountId),
      ]),
    )
    if (account === undefined) return yield* new Unauthorized({ detail: "The account no longer exists." })
    const primary = emails.find((email) => email.primary)
    return {
      account: { ...account, email: primary?.email ?? "", emailVerified: primary?.verified ?? false, mfa },
      emails,
      workspaces,
    }
  })

/** Starts a session and answers with the account and the cookie. */
export const signedIn = (
  proved: ProvedCredentials,
  device: string | null,
  options: { readonly status: number; readonly location?: string; readonly verifyUrl?: string },
) =>
  Effect.gen(function* () {
    const cookie = ["set-cookie", yield* issueSession(proved, device)] as const
    const view = yield* (yield* Database).run((sql) => accountView(sql, proved.accountId))
    const location = options.location === undefined ? [] : [["location", options.location] as const]
    const { verifyUrl } = options
    return new Reply(verifyUrl === undefined ? view : { ...view, verifyUrl }, {
      status: options.status,
      headers: [cookie, ...location],
    })
  })
