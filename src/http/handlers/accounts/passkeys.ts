/** Passkeys of the signed-in account: registered, renamed and removed. */
import { Effect } from "effect"
import { Passkeys } from "../../../identity/accounts/passkeys.ts"
import { SecondFactors } from "../../../identity/accounts/second-factors.ts"
import { Conflict, NotFound, Unauthorized } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { findPassword, findPrimaryAddress, lockAccount } from "../../../store/accounts/accounts.ts"
import { deletePasskey, insertPasskey, listCredentialIds, renamePasskey } from "../../../store/accounts/passkeys.ts"
import { Database, outsideTransaction } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import type { AssertionResponse, PasskeysApi } from "../../contract/accounts/passkeys.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { recheckSockets } from "../workspaces/grant-changes.ts"
import { tellChange } from "./account-acts.ts"
import { countAtAddress } from "./second-step.ts"
import { signedIn } from "./signed-in.ts"

const MOST = 20
const TOO_MANY = new Conflict({ detail: `An account has at most ${MOST} passkeys.` })

/** The library wants a list of client extensions, which requests need not send. */
const asJson = <R extends object>(given: R) => ({ ...given, clientExtensionResults: {} })

/** Resolves to the account of the passkey. A wrong answer counts against the address like a wrong password. */
export const accountByPasskey = ({ response, ...credential }: AssertionResponse) =>
  Effect.gen(function* () {
    const takeBack = yield* countAtAddress
    const { userHandle, ...rest } = response
    const given = asJson({ ...credential, response: { ...rest, ...(userHandle ? { userHandle } : {}) } })
    const { signIn } = yield* Passkeys
    const { accountId } = yield* Effect.tapErrorTag(signIn(given), "Unavailable", () => takeBack)
    yield* takeBack
    return accountId
  })

export const passkeys = {
  startPasskey: {
    access: "account",
    handle: ({ scope: { accountId } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        const { registrationOptions } = yield* Passkeys
        const address = yield* database.run((sql) => findPrimaryAddress(sql, accountId))
        if (address === undefined) return yield* new Unauthorized({ detail: "The account no longer exists." })
        const existing = yield* database.run((sql) => listCredentialIds(sql, accountId))
        if (existing.length >= MOST) return yield* TOO_MANY
        return yield* registrationOptions(address, existing)
      }),
  },
  createPasskey: {
    access: "account",
    handle: ({ payload: { name, response }, scope: { accountId } }) =>
      Effect.gen(function* () {
        const { register } = yield* Passkeys
        const { codesWithFirst } = yield* SecondFactors
        const registered = yield* register(accountId, asJson(response))
        return yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, accountId))
            const existing = yield* query(() => listCredentialIds(sql, accountId))
            if (existing.length >= MOST) return yield* TOO_MANY
            const recoveryCodes = yield* codesWithFirst(sql, accountId)
            const passkey = yield* insertPasskey(sql, { id: newId(), accountId, name, ...registered })
            yield* tellChange(sql, accountId, "passkeyAdded")
            return { ...passkey, recoveryCodes }
          }),
        )
      }),
  },
  patchPasskey: {
    access: "account",
    handle: ({ params: { passkeyId }, payload: { name }, scope: { accountId } }) =>
      Effect.gen(function* () {
        const row = yield* (yield* Database).run((sql) => renamePasskey(sql, accountId, passkeyId, name))
        return row ?? (yield* NotFound.of("passkey"))
      }),
  },
  deletePasskey: {
    access: "account",
    handle: ({ params: { passkeyId }, scope: { accountId } }) =>
      Effect.gen(function* () {
        const { forgetCodesWithLast } = yield* SecondFactors
        yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, accountId))
            if (!(yield* query(() => deletePasskey(sql, accountId, passkeyId)))) return yield* NotFound.of("passkey")
            yield* forgetCodesWithLast(sql, accountId)
            yield* tellChange(sql, accountId, "passkeyRemoved")
          }),
        )
        yield* recheckSockets({ accountId })
        return new Reply(undefined, {})
      }),
  },
  startPasskeyLogin: {
    access: "public",
    handle: () => Effect.flatMap(Passkeys, ({ signInOptions }) => signInOptions),
  },
  loginWithPasskey: {
    access: "public",
    handle: ({ payload, device }) =>
      Effect.gen(function* () {
        const accountId = yield* accountByPasskey(payload.response)
        const { credentialsVersion } = yield* outsideTransaction(
          (yield* Database).run((sql) => findPassword(sql, accountId)),
        )
        return yield* signedIn({ accountId, credentialsVersion }, device, { status: 200 })
      }),
  },
} satisfies Handlers<typeof PasskeysApi>
