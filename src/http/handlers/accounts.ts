/** Signing up, in, and out. */
import { Effect } from "effect"
import { AccountSessions } from "../../identity/account-sessions.ts"
import { Passwords } from "../../identity/passwords.ts"
import { Mailer } from "../../mail/mailer.ts"
import { EmailTaken, type SlugTaken, Unauthorized } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { findAccount, findCredentials, insertAccount, listAccountEmails } from "../../store/accounts.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { onUniqueViolation } from "../../store/sqlstate.ts"
import { insertWorkspace, listAccountWorkspaces } from "../../store/workspaces.ts"
import { issueSession } from "../browser-session.ts"
import { type Handlers, Reply } from "../call.ts"
import type { Accounts, AccountView } from "../contract/accounts.ts"
import { clearedSessionCookie } from "../credentials.ts"
import { foldEmail } from "../email.ts"
import { HttpSettings } from "../settings.ts"
import { freeSlug, RETRY_SLUG } from "../slug.ts"
import { postVerification } from "./account-security.ts"

const accountView = async (sql: Queryable, accountId: string): Promise<AccountView> => {
  const [account, emails, workspaces] = await Promise.all([
    findAccount(sql, accountId),
    listAccountEmails(sql, accountId),
    listAccountWorkspaces(sql, accountId),
  ])
  if (account === undefined) throw new Unauthorized({ detail: "The account no longer exists." })
  const primary = emails.find((email) => email.primary)
  return {
    account: { ...account, email: primary?.email ?? "", emailVerified: primary?.verified ?? false },
    emails,
    workspaces,
  }
}

/** Starts a session and answers with the account and the cookie. */
const signedIn = (
  accountId: string,
  options: { readonly status: number; readonly location?: string; readonly verifyUrl?: string },
) =>
  Effect.gen(function* () {
    const cookie = ["set-cookie", yield* issueSession(accountId)] as const
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
    handle: ({ payload }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const mailer = yield* Mailer
        const { appUrl, emailDevMode } = yield* HttpSettings
        const passwordHash = yield* (yield* Passwords).hash(payload.password)
        const id = newId()
        const account = { id, name: payload.name, passwordHash, emailId: newId(), email: foldEmail(payload.email) }
        const name = `${payload.name}'s workspace`.slice(0, 200)
        const verifyUrl = yield* database
          .transaction<string, EmailTaken | SlugTaken>(async (sql) => {
            await onUniqueViolation(insertAccount(sql, account), "account_emails_email_key", () => new EmailTaken())
            const slug = await freeSlug(sql, payload.name)
            await insertWorkspace(sql, { id: newId(), name, slug, memberId: newId(), ownerId: id })
            return postVerification(sql, mailer, appUrl, { accountId: id, ...account })
          })
          .pipe(Effect.retry(RETRY_SLUG))
        mailer.collect()
        return yield* signedIn(id, {
          status: 201,
          location: "/v1/accounts/me",
          ...(emailDevMode ? { verifyUrl } : {}),
        })
      }),
  },
  login: {
    access: "public",
    handle: ({ payload }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const found = yield* database.run((sql) => findCredentials(sql, foldEmail(payload.email)))
        const matches = yield* (yield* Passwords).verify(found?.passwordHash ?? null, payload.password)
        if (!matches || found === undefined) {
          return yield* new Unauthorized({ detail: "The e-mail address or the password is wrong." })
        }
        return yield* signedIn(found.accountId, { status: 200 })
      }),
  },
  logout: {
    access: "account",
    handle: ({ scope }) =>
      Effect.gen(function* () {
        const { publicUrl } = yield* HttpSettings
        yield* (yield* AccountSessions).end(scope.sessionId)
        return new Reply(undefined, { headers: [["set-cookie", clearedSessionCookie(publicUrl)]] })
      }),
  },
  me: {
    access: "account",
    handle: ({ scope }) =>
      Effect.flatMap(Database, (database) => database.run((sql) => accountView(sql, scope.accountId))),
  },
}
