/**
 * `Idempotency-Key` on an authenticated POST: the first answer is kept for a day and given again to a repeat of the same
 * request, so that a caller who lost the answer may simply ask again. Answers that say "try again" or "who are you" are
 * not kept.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { Principal } from "../identity/principal.ts"
import { BadRequest, IdempotencyInProgress, IdempotencyKeyReused, type Unavailable } from "../model/errors.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { Database } from "../store/database.ts"
import {
  type IdempotencyKey,
  type KeptAnswer,
  keepAnswer,
  releaseKey,
  sweepIdempotencyKeys,
  takeKey,
} from "../store/idempotency.ts"
import { openText, sealText } from "../store/sealed-text.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"

const KEPT_MS = 86_400_000
/** A request that has not ended by then was cut off with its process. */
const HELD_MS = 60_000
const SWEEP_EVERY = "1 hour"

type Refusal = BadRequest | IdempotencyInProgress | IdempotencyKeyReused | Unavailable

const principalName = (principal: Principal): string => {
  switch (principal.kind) {
    case "key":
      return `key:${principal.keyId}`
    case "account":
      return `account:${principal.accountId}`
    case "session":
      return `session:${principal.userId}`
    case "attendee":
      return principal.participantId
    default:
      return principal.kind
  }
}

const isKept = (status: number): boolean => status < 500 && status !== 401 && status !== 409 && status !== 429

const owner = ({ principal, method, path, key }: IdempotencyKey): string => `${principal} ${method} ${path} ${key}`

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Runs `work` unless this very request was answered before. Without the header just runs it. */
    readonly once: <R>(
      request: HttpRequest,
      principal: Principal,
      work: Effect.Effect<HttpResponse, never, R>,
    ) => Effect.Effect<HttpResponse, Refusal, R>
  }
>()("gathercue/Idempotency") {
  /** `sealingKey`: 32 bytes; kept answers are sealed with it, because some hold a secret that is shown once. */
  static readonly layer = (sealingKey: Uint8Array): Layer.Layer<Idempotency, never, Database> =>
    Layer.effect(
      Idempotency,
      Effect.gen(function* () {
        const database = yield* Database

        const replay = (of: IdempotencyKey, bodyHash: Uint8Array, kept: KeptAnswer): HttpResponse | Refusal => {
          if (Buffer.compare(kept.bodyHash, bodyHash) !== 0) return new IdempotencyKeyReused()
          if (kept.status === null || kept.answerSealed === null)
            return new IdempotencyInProgress({ retryAfterSeconds: 1 })
          const answer = JSON.parse(openText(sealingKey, owner(of), kept.answerSealed)) as HttpResponse
          return { ...answer, headers: [...answer.headers, ["idempotency-replayed", "true"]] }
        }

        const keep = (of: IdempotencyKey, response: HttpResponse): Effect.Effect<void, Unavailable> => {
          if (!isKept(response.status)) return database.run((sql) => releaseKey(sql, of))
          const answerSealed = sealText(sealingKey, owner(of), JSON.stringify(response))
          return database.run((sql) => keepAnswer(sql, of, { status: response.status, answerSealed }))
        }

        const forgetBefore = () => toTimestamp(Date.now() - KEPT_MS)
        const sweep = Effect.suspend(() => database.run((sql) => sweepIdempotencyKeys(sql, forgetBefore())))
        yield* Effect.forkScoped(sweep.pipe(Effect.ignore, Effect.delay(SWEEP_EVERY), Effect.forever))

        return {
          once: (request, principal, work) => {
            const key = request.headers["idempotency-key"]
            if (key === undefined) return work
            if (key.length === 0 || key.length > 255) {
              return Effect.fail(new BadRequest({ detail: "Idempotency-Key must have 1 to 255 characters." }))
            }
            // The workspace that a collection route is about is part of what was asked.
            const workspace = request.headers["x-workspace-id"]?.toLowerCase() ?? ""
            const who = `${principalName(principal)}${workspace === "" ? "" : ` in ${workspace}`}`
            // Some paths hold a token: what is kept of a path is enough to know it again.
            const path = createHash("sha256").update(request.path).digest("base64url")
            const of = { principal: who, method: request.method, path, key }
            const bodyHash = createHash("sha256").update(request.body).digest()
            const now = Date.now()
            const given = {
              bodyHash,
              now: toTimestamp(now),
              heldUntil: toTimestamp(now + HELD_MS),
              forgetBefore: forgetBefore(),
            }
            return Effect.flatMap(
              database.run((sql) => takeKey(sql, of, given)),
              (kept) => {
                if (kept === undefined) {
                  // A kept answer that could not be stored is answered all the same; the key falls free by itself.
                  return Effect.tap(work, (response) => Effect.ignore(keep(of, response)))
                }
                const answer = replay(of, bodyHash, kept)
                return "status" in answer ? Effect.succeed(answer) : Effect.fail(answer)
              },
            )
          },
        }
      }),
    )
}
