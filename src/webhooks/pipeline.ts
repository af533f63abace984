/**
 * One attempt of a delivery: prepare → send → classify, and the attempt's effect on the row (settle). Each step is a separate function with
 * typed failures; only `send` has side effects.
 */
import { Cause, Clock, Effect } from "effect"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { Egress, EgressFailed, EgressRequest } from "../egress/egress.ts"
import type { EgressRefused } from "../model/integrations/egress-target.ts"
import { decodeHeaders, headersOwner } from "../model/integrations/own-headers.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { openText } from "../store/sealing/sealed-text.ts"
import type { ClaimedDelivery, EndpointTarget, Settlement } from "../store/webhooks/webhook-deliveries.ts"
import { type AttemptOutcome, classifyFailure, classifyStatus } from "./classify.ts"
import { nextDelayMs } from "./retry-policy.ts"
import { signatureHeaders } from "./signature.ts"

/** Most characters kept of an error, for people to read. */
const MAX_ERROR_LENGTH = 500

interface PipelineOptions {
  /** Keys of 32 bytes that open signing secrets. */
  readonly sealingKeys: KeyRing
  /** Time limit of the answer, from the look-up to its last byte. */
  readonly timeoutMs: number
}

interface OpenedTarget {
  readonly secrets: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
}

/** Decrypted signing secrets and headers, cached per target and freed with it. */
const opened = new WeakMap<EndpointTarget, OpenedTarget>()

const openTarget = (target: EndpointTarget, endpointId: string, sealingKeys: KeyRing): OpenedTarget => {
  const known = opened.get(target)
  if (known !== undefined) return known
  const { secretSealed, previousSecretSealed, headersSealed } = target
  const sealed = previousSecretSealed === null ? [secretSealed] : [secretSealed, previousSecretSealed]
  const secrets = sealed.map((secret) => openText(sealingKeys, endpointId, secret))
  const headers =
    headersSealed === null ? {} : decodeHeaders(openText(sealingKeys, headersOwner(endpointId), headersSealed))
  const made = { secrets, headers }
  opened.set(target, made)
  return made
}

/** Deadline of one answer (docs/webhooks.md). */
export const ANSWER_MS = 10_000

/** The signed request of a message. */
export const signedRequest = (
  url: string,
  secrets: ReadonlyArray<string>,
  message: { readonly id: string; readonly type: string; readonly body: string },
  nowSeconds: number,
  timeoutMs: number,
): EgressRequest => ({
  url,
  method: "POST",
  timeoutMs,
  body: message.body,
  headers: {
    "content-type": "application/json",
    "user-agent": "Gathercue-Webhooks/1",
    "x-gc-event-type": message.type,
    "x-gc-event-id": message.id,
    ...signatureHeaders(secrets, message, nowSeconds),
  },
})

/**
 * Builds the request. Id and body are the same on every attempt; the signature contains the attempt's time, and there are two signatures
 * while a secret is being replaced. Dies when a secret or header cannot be opened.
 */
const prepare = (
  delivery: ClaimedDelivery,
  target: EndpointTarget,
  nowSeconds: number,
  options: PipelineOptions,
): Effect.Effect<EgressRequest> =>
  Effect.sync(() => {
    const { secrets, headers } = openTarget(target, delivery.endpointId, options.sealingKeys)
    const { messageId: id, type, body } = delivery
    const request = signedRequest(target.url, secrets, { id, type, body }, nowSeconds, options.timeoutMs)
    return { ...request, headers: { ...headers, ...request.headers } }
  })

const send = (
  egress: Egress["Service"],
  request: EgressRequest,
): Effect.Effect<AttemptOutcome, EgressRefused | EgressFailed> =>
  Effect.flatMap(egress.send(request), ({ status, headers }) =>
    Effect.map(Clock.currentTimeMillis, (now) => classifyStatus(status, headers["retry-after"], now)),
  )

/** Runs an attempt. Never fails: every failure is an outcome. An internal fault is retried like a receiver's, and logged. */
export const attempt = (
  delivery: ClaimedDelivery,
  target: EndpointTarget,
  egress: Egress["Service"],
  options: PipelineOptions,
  onFault: (fault: unknown) => void,
): Effect.Effect<AttemptOutcome> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => prepare(delivery, target, Math.floor(now / 1000), options)).pipe(
    Effect.flatMap((request) => send(egress, request)),
    Effect.match({ onSuccess: (outcome) => outcome, onFailure: classifyFailure }),
    Effect.catchCause((cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
      onFault(Cause.squash(cause))
      return Effect.succeed<AttemptOutcome>({
        kind: "retry",
        status: null,
        error: "internal",
        detail: "internal fault",
      })
    }),
  )

/** Start of an attempt and its duration in milliseconds. */
interface Timing {
  readonly startedAtMs: number
  readonly durationMs: number
}

/** The row's new state, and the record of the attempt. `random` is uniform in [0, 1). */
export const settlementOf = (
  delivery: ClaimedDelivery,
  /** The called address. */
  url: string,
  outcome: AttemptOutcome,
  timing: Timing,
  retryDelaysMs: ReadonlyArray<number>,
  random: number,
): Settlement => {
  const delayMs =
    outcome.kind === "retry" ? nextDelayMs(retryDelaysMs, delivery.attempts + 1, random, outcome.afterMs) : undefined
  const finished = outcome.kind === "retry" ? "exhausted" : outcome.kind
  return {
    id: delivery.id,
    claim: delivery.claim,
    endpointId: delivery.endpointId,
    status: delayMs === undefined ? finished : "pending",
    delayMs: delayMs ?? null,
    ...(outcome.isGone === true ? { goneUrl: url } : {}),
    lastError: outcome.detail?.slice(0, MAX_ERROR_LENGTH) ?? null,
    attempt: {
      startedAt: toTimestamp(timing.startedAtMs),
      durationMs: Math.round(timing.durationMs),
      outcome: outcome.kind === "retry" ? "failed" : outcome.kind,
      statusCode: outcome.status,
      error: outcome.error,
    },
  }
}
