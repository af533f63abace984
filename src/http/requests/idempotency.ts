/**
 * `Idempotency-Key` on an authenticated POST: the same key does its work once, even after a crash, and each repeat within a day gets the
 * first answer. There are two kinds of work:
 *
 * - Work on the store runs in one transaction, whose last act keeps the answer: there is an answer exactly when the work is done. Nothing
 *   is stored before, so a request that died half-way leaves nothing.
 * - A command of a live event is committed by the event's actor under an id derived from caller and key. A repeat, even after a crash, has
 *   the same id and is answered from the actor's log. The answer is kept afterwards. Work that calls a storage commits before the call and
 *   also keeps its answer afterwards: its repeat finds the same row.
 *
 * No key is therefore ever held or released. Only answers of completed work are kept: a refused request has begun nothing, and may be
 * repeated with another body, with a right that was missing, or at a better time.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import type { KeyRing } from "../../crypto/secret-key.ts"
import type { Principal } from "../../identity/callers/principal.ts"
import { Mailer } from "../../mail/mailer.ts"
import { BadRequest, IdempotencyInProgress, IdempotencyKeyReused, type Unavailable } from "../../model/errors.ts"
import { lowerAscii } from "../../model/text/compared.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Database } from "../../store/database.ts"
import {
  deleteOldAnswers,
  findAnswer,
  type IdempotencyKey,
  type KeptAnswer,
  keepAnswer,
} from "../../store/idempotency.ts"
import { openText, sealText } from "../../store/sealing/sealed-text.ts"
import { inBatches, sweepEvery } from "../../store/sweeps.ts"
import { OutboxSignal } from "../../store/webhooks/outbox.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import { CommandKey } from "./command-key.ts"

const KEPT_MS = 86_400_000
/** The HTTP engine drops bytes beyond ASCII at the end of a header, so two keys that end in such bytes could be confused. */
const KEY = /^[\x20-\x7e]{1,255}$/

type Refusal = BadRequest | IdempotencyInProgress | IdempotencyKeyReused | Unavailable

/** Committer of an endpoint's work: its handler's statements, or a live event's actor. A dry run has none. */
type WorkKind = "stored" | "commanded" | "rehearsed"

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

const isDone = (status: number): boolean => status >= 200 && status < 300

const nameOf = ({ principal, method, path, key }: IdempotencyKey): string => `${principal} ${method} ${path} ${key}`

const sha256 = (input: string | Uint8Array) => createHash("sha256").update(input)

const keyOf = (request: HttpRequest, principal: Principal, key: string): IdempotencyKey => {
  // The workspace of a collection route is part of the request.
  const workspace = lowerAscii(request.headers["x-workspace-id"] ?? "")
  return {
    principal: `${principalName(principal)}${workspace === "" ? "" : ` in ${workspace}`}`,
    method: request.method,
    // Some paths hold a token, so only a hash is stored, which suffices for comparison.
    path: sha256(request.path).digest("base64url"),
    key,
  }
}

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Runs `work` unless this request was answered before. Without the header it always runs `work`. */
    readonly once: <R>(
      request: HttpRequest,
      principal: Principal,
      kind: WorkKind,
      work: Effect.Effect<HttpResponse, never, R>,
    ) => Effect.Effect<HttpResponse, Refusal, R>
  }
>()("gathercue/Idempotency") {
  /** Kept answers are sealed with `sealingKeys`, because some hold a secret that is shown once. */
  static readonly layer = (
    sealingKeys: KeyRing,
  ): Layer.Layer<Idempotency, never, Database | Mailer | OutboxSignal | Telemetry> =>
    Layer.effect(
      Idempotency,
      Effect.gen(function* () {
        const database = yield* Database
        const timers = yield* currentTimers
        const mailer = yield* Mailer
        const signal = yield* OutboxSignal
        const { log } = yield* Telemetry
        /** Keys currently being processed here. */
        const inProgress = new Set<string>()
        const forgetBefore = () => toTimestamp(timers.now() - KEPT_MS)

        const sweep = Effect.suspend(() => {
          const before = forgetBefore()
          return inBatches(database, (sql, limit) => deleteOldAnswers(sql, before, limit))
        })
        yield* Effect.forkScoped(sweepEvery("1 hour", log, sweep))

        const find = (of: IdempotencyKey) => database.run((sql) => findAnswer(sql, of, forgetBefore()))

        const replay = (
          of: IdempotencyKey,
          bodyHash: Uint8Array,
          kept: KeptAnswer,
        ): Effect.Effect<HttpResponse, IdempotencyKeyReused> => {
          if (Buffer.compare(kept.bodyHash, bodyHash) !== 0) return Effect.fail(new IdempotencyKeyReused())
          const answer = JSON.parse(openText(sealingKeys, nameOf(of), kept.answerSealed)) as HttpResponse
          const headers = [...answer.headers, ["idempotency-replayed", "true"] as const]
          return Effect.succeed({ ...answer, headers })
        }

        const keeping = (of: IdempotencyKey, bodyHash: Uint8Array, response: HttpResponse): KeptAnswer => ({
          bodyHash,
          status: response.status,
          answerSealed: sealText(sealingKeys, nameOf(of), JSON.stringify(response)),
        })

        /** Keeps an answer whose work is already committed: a repeat would get the same result. */
        const keepAfterwards = (of: IdempotencyKey, bodyHash: Uint8Array, response: HttpResponse) =>
          isDone(response.status)
            ? Effect.ignore(database.run((sql) => keepAnswer(sql, of, keeping(of, bodyHash, response), forgetBefore())))
            : Effect.void

        const store = <R>(of: IdempotencyKey, bodyHash: Uint8Array, work: Effect.Effect<HttpResponse, never, R>) =>
          database
            .joined(work, (response) =>
              isDone(response.status)
                ? (sql) => keepAnswer(sql, of, keeping(of, bodyHash, response), forgetBefore())
                : null,
            )
            .pipe(
              Effect.tap((response) => {
                if (!isDone(response.status)) return Effect.void
                // The work may have signalled the mailer before the commit made the emails visible.
                mailer.collect()
                signal.notify()
                return Effect.void
              }),
            )

        const command = <R>(of: IdempotencyKey, bodyHash: Uint8Array, work: Effect.Effect<HttpResponse, never, R>) => {
          const key = {
            key: of.key,
            commandId: sha256(nameOf(of)).digest("base64url"),
            bodyHash: Buffer.from(bodyHash).toString("hex"),
          }
          return Effect.provideService(work, CommandKey, key).pipe(
            Effect.tap((response) => keepAfterwards(of, bodyHash, response)),
          )
        }

        return {
          once: (request, principal, kind, work) => {
            const key = request.headers["idempotency-key"]
            if (key === undefined) return work
            if (!KEY.test(key)) {
              const fault = "must have 1 to 255 characters, all of them printable ASCII"
              return Effect.fail(BadRequest.ofHeader("idempotency-key", fault))
            }
            const of = keyOf(request, principal, key)
            const name = nameOf(of)
            const bodyHash = sha256(request.body).digest()
            if (kind === "rehearsed")
              return Effect.flatMap(find(of), (kept) => (kept === undefined ? work : replay(of, bodyHash, kept)))
            if (inProgress.has(name)) return Effect.fail(new IdempotencyInProgress({ retryAfterSeconds: 1 }))
            inProgress.add(name)
            const answered = (kept: KeptAnswer | undefined): Effect.Effect<HttpResponse, Refusal> =>
              kept === undefined
                ? Effect.fail(new IdempotencyInProgress({ retryAfterSeconds: 1 }))
                : replay(of, bodyHash, kept)
            return Effect.gen(function* () {
              const kept = yield* find(of)
              if (kept !== undefined) return yield* replay(of, bodyHash, kept)
              return yield* kind === "stored" ? store(of, bodyHash, work) : command(of, bodyHash, work)
            }).pipe(
              // Another process came first: the work done here is rolled back, and the other's answer is sent.
              Effect.catchTag("AlreadyAnswered", () => Effect.flatMap(find(of), answered)),
              Effect.ensuring(Effect.sync(() => inProgress.delete(name))),
            )
          },
        }
      }),
    )
}
