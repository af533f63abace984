/** The ways into an account, the same for the API and for the pages: a new account with its first workspace, or a password. */
import { Effect } from "effect"
import { Passwords } from "../../../identity/accounts/passwords.ts"
import { RequestCaller } from "../../../identity/request-caller.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { EmailTaken, type SlugTaken, Unauthorized, type Unavailable } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { foldEmail, MAX_EMAIL_LENGTH } from "../../../model/text/email.ts"
import {
  FIRST_CREDENTIALS,
  findCredentials,
  insertAccount,
  type ProvedCredentials,
  storedForm,
} from "../../../store/accounts/accounts.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { onUniqueViolation, query } from "../../../store/query.ts"
import { insertWorkspace } from "../../../store/workspaces/workspaces.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { freeSlug, RETRY_SLUG } from "../workspaces/slug.ts"
import { noteFailedSignIn } from "./account-acts.ts"
import { postVerification } from "./account-security.ts"
import { requireSignup } from "./sign-up-rule.ts"

interface NewAccount extends ProvedCredentials {
  readonly emailId: string
  readonly name: string
  /** Case-folded address. */
  readonly email: string
}

/** Inserts the account and its first workspace. Fails with `SlugTaken` when it should be run again. */
export const insertAccountWithWorkspace = (
  sql: Queryable,
  person: { readonly name: string; readonly email: string; readonly passwordHash: string | null },
): Effect.Effect<NewAccount, EmailTaken | SlugTaken | Unavailable> =>
  Effect.gen(function* () {
    const account = {
      accountId: newId(),
      credentialsVersion: FIRST_CREDENTIALS,
      emailId: newId(),
      name: person.name,
      email: foldEmail(person.email),
    }
    const row = { ...account, id: account.accountId, passwordHash: person.passwordHash }
    yield* onUniqueViolation(
      () => insertAccount(sql, row),
      "account_emails_email_key",
      () => new EmailTaken(),
    )
    const name = `${person.name}'s workspace`.slice(0, 200)
    const slug = yield* query(() => freeSlug(sql, person.name))
    yield* insertWorkspace(sql, { id: newId(), name, slug, memberId: newId(), ownerId: account.accountId })
    return account
  })

/**
 * Signs up: resolves to the account and the verification link, which is also mailed. `inviteToken` belongs to the invite that the person
 * follows.
 */
export const createAccount = (
  person: { readonly name: string; readonly email: string; readonly password: string },
  inviteToken: string | undefined,
) =>
  Effect.gen(function* () {
    const mailer = yield* Mailer
    const { appUrl } = yield* HttpSettings
    // Checked before the cost of hashing.
    yield* (yield* Database).run((sql) => requireSignup(sql, { token: inviteToken }))
    const passwordHash = yield* (yield* Passwords).hash(person.password)
    const created = yield* (yield* Database)
      .transaction((sql) =>
        Effect.gen(function* () {
          const account = yield* insertAccountWithWorkspace(sql, { ...person, passwordHash })
          return { ...account, verifyUrl: yield* postVerification(sql, mailer, appUrl, account) }
        }),
      )
      .pipe(Effect.retry(RETRY_SLUG))
    mailer.collect()
    return created
  })

const WRONG = new Unauthorized({ detail: "The e-mail address or the password is wrong." })

/** Delay for an account with many wrong passwords; addresses that signed in before are not delayed. */
const SLOWED_DOWN = "2 seconds"

/**
 * Counts an attempt before it is known to fail, so that many concurrent attempts are not all let through. Fails when the client has failed
 * too often. Resolves to an effect that undoes the count.
 */
const countTry = (email: string) =>
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const { address } = yield* RequestCaller
    return yield* limits.takeAll([
      ["loginFailureByAddress", address],
      ["loginFailure", `${address} ${email}`],
    ])
  })

/** Resolves to the account and its credentials; takes equally long for an address without an account. */
export const signInWithPassword = (email: string, password: string) =>
  Effect.gen(function* () {
    const folded = foldEmail(email)
    // No account has an address of this length.
    if (folded.length > MAX_EMAIL_LENGTH) return yield* WRONG
    const takeBack = yield* countTry(folded)
    const limits = yield* RateLimits
    const database = yield* Database
    const passwords = yield* Passwords
    const [found, matches, isCounted] = yield* Effect.gen(function* () {
      const credentials = yield* database.run((sql) =>
        storedForm(sql, email).then((stored) => findCredentials(sql, stored)),
      )
      const isKnown = yield* passwords.knows(credentials?.passwordHash ?? null)
      const hasTries = yield* Effect.match(limits.take("loginFailureByEmail", folded), {
        onSuccess: () => true,
        onFailure: () => false,
      })
      if (!hasTries && !isKnown) yield* Effect.sleep(SLOWED_DOWN)
      return [credentials, yield* passwords.verify(credentials?.passwordHash ?? null, password), hasTries] as const
      // An overload of the server proves nothing about the password.
    }).pipe(Effect.tapError(() => takeBack))
    if (!matches || found === undefined) {
      if (found !== undefined) yield* noteFailedSignIn(found.accountId)
      return yield* WRONG
    }
    yield* takeBack
    if (isCounted) yield* limits.giveBack("loginFailureByEmail", folded)
    return { accountId: found.accountId, credentialsVersion: found.credentialsVersion }
  })
