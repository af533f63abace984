/** Acts on an account itself: every workspace that the account belongs to has them in its log, and changes of its sign-in are told by a letter. */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { SecondFactors } from "../../../identity/accounts/second-factors.ts"
import { RequestCaller } from "../../../identity/request-caller.ts"
import { signInChangedLetter } from "../../../mail/letters.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { findPrimaryAddress } from "../../../store/accounts/accounts.ts"
import type { Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import type { AuditAction } from "../../contract/workspaces/audit.ts"
import { writeForAccount } from "../../requests/audit.ts"
import { HttpSettings } from "../../requests/settings.ts"

/** For acts that are no success of one endpoint. */
export const noteAccountAct = (action: AuditAction, accountId: string) =>
  Effect.gen(function* () {
    const { address, client, requestId } = yield* RequestCaller
    const origin = { address: address === "" ? null : address, client, requestId }
    yield* writeForAccount({ action, actorKind: "account", actorId: accountId, targetId: null, ...origin })
  })

const HOUR_MS = 3_600_000
/** A flood of wrong passwords costs the log no more statements than it has entries of it (`MOST` in `store/workspaces/audit.ts`). */
const FAILURES_NOTED = 20
const failures = new LRUCache<string, { count: number }>({ max: 10_000, ttl: HOUR_MS })

/** It takes its time beside the answer, which tells nothing of the account. */
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

/** Tells the person by a letter, in the transaction that changes how they sign in. An address that nobody proved may be another person's. */
export const tellChange = (sql: Queryable, accountId: string, change: keyof typeof CHANGES) =>
  Effect.gen(function* () {
    const { appUrl } = yield* HttpSettings
    const { post } = yield* Mailer
    yield* query(async () => {
      const address = await findPrimaryAddress(sql, accountId)
      if (address?.verified !== true) return
      await post(sql, signInChangedLetter(address.email, address.name, CHANGES[change], `${appUrl}/`))
    })
  })

/** Uses up a code, and tells of a recovery code. */
export const takeToldCode = (sql: Queryable, accountId: string, code: string) =>
  Effect.gen(function* () {
    const kind = yield* (yield* SecondFactors).takeCode(sql, accountId, code)
    if (kind === "recovery") yield* tellChange(sql, accountId, "codeUsed")
    return kind
  })
