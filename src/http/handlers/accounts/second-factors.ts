/** Setting up a second factor, renewing its recovery codes, and removing it. */
import { Effect } from "effect"
import { SecondFactors as Factors } from "../../../identity/accounts/second-factors.ts"
import { Unauthorized } from "../../../model/errors.ts"
import { findPrimaryAddress } from "../../../store/accounts/accounts.ts"
import { listPasskeys } from "../../../store/accounts/passkeys.ts"
import { countRecoveryCodes, findTotp } from "../../../store/accounts/second-factors.ts"
import { Database } from "../../../store/database.ts"
import type { SecondFactorsApi } from "../../contract/accounts/second-factors.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { tellChange } from "./account-acts.ts"

export const secondFactors = {
  getMfa: {
    access: "account",
    handle: ({ scope: { accountId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const totp = yield* database.run((sql) => findTotp(sql, accountId))
        const passkeys = yield* database.run((sql) => listPasskeys(sql, accountId))
        const recoveryCodesLeft = yield* database.run((sql) => countRecoveryCodes(sql, accountId))
        const confirmedAt = totp?.confirmedAt ?? null
        return { totp: confirmedAt === null ? null : { confirmedAt }, passkeys, recoveryCodesLeft }
      }),
  },
  startTotp: {
    access: "account",
    handle: ({ scope: { accountId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const { begin } = yield* Factors
        const address = yield* database.run((sql) => findPrimaryAddress(sql, accountId))
        if (address === undefined) return yield* new Unauthorized({ detail: "The account no longer exists." })
        return yield* database.transaction((sql) => begin(sql, accountId, address.email))
      }),
  },
  confirmTotp: {
    access: "account",
    handle: ({ payload: { code }, scope: { accountId } }) =>
      Effect.gen(function* () {
        const { confirm } = yield* Factors
        const recoveryCodes = yield* (yield* Database).transaction((sql) =>
          Effect.tap(confirm(sql, accountId, code), () => tellChange(sql, accountId, "totpAdded")),
        )
        return { recoveryCodes }
      }),
  },
  removeTotp: {
    access: "account",
    handle: ({ scope: { accountId } }) =>
      Effect.gen(function* () {
        const { remove } = yield* Factors
        yield* (yield* Database).transaction((sql) =>
          Effect.tap(remove(sql, accountId), () => tellChange(sql, accountId, "totpRemoved")),
        )
        // Workspaces that require a second factor are now closed to the account.
        yield* recheckSockets({ accountId })
        return new Reply(undefined, {})
      }),
  },
  renewRecoveryCodes: {
    access: "account",
    handle: ({ scope: { accountId } }) =>
      Effect.gen(function* () {
        const { renewRecoveryCodes } = yield* Factors
        const recoveryCodes = yield* (yield* Database).transaction((sql) =>
          Effect.tap(renewRecoveryCodes(sql, accountId), () => tellChange(sql, accountId, "codesRenewed")),
        )
        return { recoveryCodes }
      }),
  },
} satisfies Handlers<typeof SecondFactorsApi>
