/** Acts on an account itself: every workspace of the account has them in its log, and changes to its sign-in are announced by email. */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { SecondFactors } from "../../../identity/accounts/second-factors.ts"
import { RequestCaller } from "../../../identity/request-caller.ts"
import { signInChangedEmail } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { findPrimaryAddress } from "../../../store/accounts/accounts.ts"
import type { Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import type { AuditAction } from "../../contract/workspaces/audit.ts"
import { writeForAccount } from "../../requests/audit.ts"
import { HttpSettings } from "../../requests/settings.ts"

/** Records acts that are not the success of one endpoint. */
export const noteAccountAct = (action: AuditAction, accountId: string) =>
  Effect.gen(function* () {
    const { address, client, requestId } = yield* RequestCaller
    const origin = { address: address === "" ? null : address, client, requestId }
    yield* writeForAccount({ action, actorKind: "account", actorId: accountId, targetId: null, ...origin })
  })

const HOUR_MS = 3_600_000
/** Limits the statements of a flood of wrong passwords to the log's number of entries (`MOST` in `store/workspaces/audit.ts`). */
const FAILURES_NOTED = 20
const failures = new LRUCache<string, { count: number }>({ max: 10_000, ttl: HOUR_MS })

/** Runs beside the answer, so that its duration reveals nothing about the account. */
export const noteFailedSignIn = (accountId: string) =>
  Effect.suspend(() => {
    const known = failures.get(accountId) ?? { count: 0 }
    failures.set(accountId, known, { noUpdateTTL: true })
    return ++known.count > FAILURES_NOTED ? Effect.void : noteAccountAct("sign_in.failed", accountId)
  }).pipe(Effect.forkDetach)

const CHANGES = {
  totpAdded: "an authenticator app was added to your account.",
  totpRemoved: "the authenticator app of your account was removed.",
  passkeyAdded: "a passkey was added to your account.",
  passkeyRemoved: "a passkey of your account was removed.",
  codesRenewed: "your account has new recovery codes, and those from before no longer work.",
  codeUsed: "a recovery code of your account was used.",
  passwordChanged: "the password of your account was changed.",
} as const

/** Emails the person in the transaction that changes how they sign in. An unverified address may be another person's and gets no email. */
export const tellChange = (sql: Queryable, accountId: string, change: keyof typeof CHANGES) =>
  Effect.gen(function* () {
    const { appUrl } = yield* HttpSettings
    const { post } = yield* Mailer
    yield* query(async () => {
      const address = await findPrimaryAddress(sql, accountId)
      if (address?.verified !== true) return
      await post(sql, signInChangedEmail(address.email, address.name, CHANGES[change], `${appUrl}/`))
    })
  })

/** Consumes a code, and announces the use of a recovery code. */
export const takeToldCode = (sql: Queryable, accountId: string, code: string) =>
  Effect.gen(function* () {
    const kind = yield* (yield* SecondFactors).takeCode(sql, accountId, code)
    if (kind === "recovery") yield* tellChange(sql, accountId, "codeUsed")
    return kind
  })
