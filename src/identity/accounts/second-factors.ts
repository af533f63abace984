/** The second factor of an account: set up, proved by codes that each count once, and removed. All of it runs in the caller's transaction. */
import { Clock, Context, Effect, Layer } from "effect"
import type { KeyRing } from "../../crypto/secret-key.ts"
import { BadRequest, Conflict, NotFound, type Unavailable } from "../../model/errors.ts"
import { typedCode } from "../../model/text/compared.ts"
import { lockAccount } from "../../store/accounts/accounts.ts"
import {
  confirmTotp,
  deleteFactors,
  deleteTotp,
  findTotp,
  hasFactor,
  putTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
} from "../../store/accounts/second-factors.ts"
import type { Queryable } from "../../store/database.ts"
import { query } from "../../store/query.ts"
import { openText, sealText } from "../../store/sealing/sealed-text.ts"
import { isTotpCode, newRecoveryCodes, newTotpSecret, recoveryCodeHash, stepOf, totpUri } from "./totp.ts"

/** Kind of a correct code; null when it was wrong or used before. */
type CodeKind = "totp" | "recovery" | null

const ALREADY = new Conflict({ detail: "The account has an authenticator app already; remove it first." })
const NOT_BEGUN = new Conflict({ detail: "No authenticator app waits to be confirmed; begin again." })
const WRONG = BadRequest.ofField("code", "is wrong or too old")

export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    /** Creates a new secret, which counts from its first code on. `label` names the account in the person's app. */
    readonly begin: (
      sql: Queryable,
      accountId: string,
      label: string,
    ) => Effect.Effect<{ readonly secret: string; readonly otpauthUrl: string }, Conflict | Unavailable>
    /** Succeeds with the recovery codes, if the account had no factor before. */
    readonly confirm: (
      sql: Queryable,
      accountId: string,
      code: string,
    ) => Effect.Effect<ReadonlyArray<string>, BadRequest | Conflict | Unavailable>
    /** New codes for an account without any factor; none for others, whose codes stay. */
    readonly codesWithFirst: (sql: Queryable, accountId: string) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Deletes the codes once no factor is left. */
    readonly forgetCodesWithLast: (sql: Queryable, accountId: string) => Effect.Effect<void, Unavailable>
    readonly remove: (sql: Queryable, accountId: string) => Effect.Effect<void, NotFound | Unavailable>
    /** Consumes a code. */
    readonly takeCode: (sql: Queryable, accountId: string, code: string) => Effect.Effect<CodeKind, Unavailable>
    /** Succeeds with new codes; earlier ones are void. */
    readonly renewRecoveryCodes: (
      sql: Queryable,
      accountId: string,
    ) => Effect.Effect<ReadonlyArray<string>, Conflict | Unavailable>
  }
>()("gathercue/SecondFactors") {
  /** `sealingKeys` are for this purpose alone. */
  static readonly layer = (sealingKeys: KeyRing): Layer.Layer<SecondFactors> =>
    Layer.sync(SecondFactors, () => {
      const newCodes = (sql: Queryable, accountId: string) => {
        const codes = newRecoveryCodes()
        return Effect.as(
          query(() => replaceRecoveryCodes(sql, accountId, codes.map(recoveryCodeHash))),
          codes,
        )
      }

      const codesWithFirst = (sql: Queryable, accountId: string) =>
        Effect.flatMap(
          query(() => hasFactor(sql, accountId)),
          (has) => (has ? Effect.succeed([]) : newCodes(sql, accountId)),
        )

      const forgetCodesWithLast = (sql: Queryable, accountId: string) =>
        query(async () => {
          if (!(await hasFactor(sql, accountId))) await deleteFactors(sql, accountId)
        })

      const stepNow = (accountId: string, sealed: Uint8Array, code: string) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          stepOf(openText(sealingKeys, accountId, sealed), typedCode(code), now),
        )

      const takeTotp = (sql: Queryable, accountId: string, code: string) =>
        Effect.gen(function* () {
          const stored = yield* query(() => findTotp(sql, accountId))
          if (stored === undefined || stored.confirmedAt === null) return false
          const step = yield* stepNow(accountId, stored.secretSealed, code)
          return step !== undefined && (yield* query(() => takeStep(sql, accountId, step)))
        })

      return {
        codesWithFirst,
        forgetCodesWithLast,
        begin: (sql, accountId, label) =>
          Effect.gen(function* () {
            const secret = newTotpSecret()
            yield* query(() => lockAccount(sql, accountId))
            const isPut = yield* query(() => putTotp(sql, accountId, sealText(sealingKeys, accountId, secret)))
            return isPut ? { secret, otpauthUrl: totpUri(secret, label) } : yield* ALREADY
          }),
        confirm: (sql, accountId, code) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, accountId))
            const stored = yield* query(() => findTotp(sql, accountId))
            if (stored === undefined) return yield* NOT_BEGUN
            if (stored.confirmedAt !== null) return yield* ALREADY
            const step = yield* stepNow(accountId, stored.secretSealed, code)
            if (step === undefined) return yield* WRONG
            const codes = yield* codesWithFirst(sql, accountId)
            yield* query(() => confirmTotp(sql, accountId, step))
            return codes
          }),
        remove: (sql, accountId) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, accountId))
            if (!(yield* query(() => deleteTotp(sql, accountId)))) return yield* NotFound.of("authenticator app")
            yield* forgetCodesWithLast(sql, accountId)
          }),
        takeCode: (sql, accountId, typed) => {
          if (isTotpCode(typedCode(typed))) {
            return Effect.map(takeTotp(sql, accountId, typed), (isRight) => (isRight ? "totp" : null))
          }
          return Effect.map(
            query(() => takeRecoveryCode(sql, accountId, recoveryCodeHash(typed))),
            (isRight) => (isRight ? "recovery" : null),
          )
        },
        renewRecoveryCodes: (sql, accountId) =>
          Effect.gen(function* () {
            yield* query(() => lockAccount(sql, accountId))
            if (!(yield* query(() => hasFactor(sql, accountId)))) {
              return yield* new Conflict({ detail: "The account has no second factor." })
            }
            return yield* newCodes(sql, accountId)
          }),
      }
    })
}
