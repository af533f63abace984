/**
 * REST calls as a careful integrator makes them: each with a deadline, and each that changes something repeated under one
 * `Idempotency-Key` until there is a final answer.
 */
import { randomUUID } from "node:crypto"
import { sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HealthChecks } from "./health-checks.ts"

export type Json = any // answers are read by the few fields that a check needs

interface Answer {
  readonly status: number
  readonly body: Json
  readonly retryAfterMs: number
}

interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly body?: object
  readonly key?: string
  readonly bearer?: string
  readonly cookie?: string
  readonly idempotencyKey?: string
}

/** Longest wait for an answer. */
export const ANSWER_MS = 20_000
const POLL_MS = 250
const RETRY_MS = 500
/** A caller gives up after so long: longer than a key may be held. */
const GIVE_UP_MS = 120_000

export class Rest {
  /** Of the nodes; calls go round them. */
  readonly #bases: ReadonlyArray<string>
  readonly #ledger: Ledger
  readonly #health: HealthChecks
  #next = 0
  isStopped = false

  constructor(bases: ReadonlyArray<string>, ledger: Ledger, health: HealthChecks) {
    this.#bases = bases
    this.#health = health
    this.#ledger = ledger
  }

  /**
   * One try, as a load balancer makes it. A call that did not reach a node, or may be done twice, goes on to the next one when its
   * connection fails. `undefined` when there was no answer: the connection failed, or the deadline
   * passed.
   */
  async try(call: Call): Promise<Answer | undefined> {
    const sentAt = Date.now()
    const abort = new AbortController()
    const watch = setInterval(() => {
      if (this.#ledger.waitedSince(sentAt) < ANSWER_MS) return
      this.#ledger.violate("liveness", `${call.method} ${shapeOf(call.path)} has no answer after ${ANSWER_MS / 1000} s`)
      abort.abort()
    }, POLL_MS)
    try {
      return await this.#balanced(call, abort.signal)
    } catch (cause) {
      this.#ledger.count(`REST: no answer (${failureOf(cause)})`)
      return undefined
    } finally {
      clearInterval(watch)
    }
  }

  async #balanced(call: Call, signal: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const base = this.#bases[this.#health.from(this.#next++ % this.#bases.length)] ?? ""
      try {
        return await this.#send(base, call, signal)
      } catch (cause) {
        const isRepeatable = call.method === "GET" || call.idempotencyKey !== undefined
        const failure = failureOf(cause)
        const goesOn = failure === "refused" || (failure === "reset" && isRepeatable)
        if (tries >= this.#bases.length || !goesOn || signal.aborted) throw cause
        this.#ledger.count(`REST: ${failure}, tried at another node`)
      }
    }
  }

  async #send(base: string, call: Call, signal: AbortSignal): Promise<Answer> {
    const { method, path, body, key, bearer, cookie, idempotencyKey } = call
    const headers: Record<string, string> = {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "x-api-key": key }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(cookie !== undefined && { cookie }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    }
    const response = await fetch(base + path, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed: Json = (response.headers.get("content-type") ?? "").includes("json") ? JSON.parse(text) : { text }
    this.#ledger.count(`REST: ${response.status}${response.status < 500 ? "" : ` (${parsed?.detail ?? parsed?.code})`}`)
    if (typeof parsed === "object" && parsed !== null) parsed.setCookie = response.headers.get("set-cookie")
    return {
      status: response.status,
      body: parsed,
      retryAfterMs: Number(response.headers.get("retry-after") ?? 0) * 1000,
    }
  }

  /**
   * Repeats until the answer is final; `undefined` when the load was stopped or it took too long. The things it names are known
   * to exist and the credentials are good, so that 401, 403 and 404 are false.
   */
  async settle(call: Call): Promise<Answer | undefined> {
    const since = Date.now()
    while (!this.isStopped && Date.now() - since < GIVE_UP_MS) {
      const answer = await this.try(call)
      if (answer !== undefined && isFinal(answer)) return answer
      if (answer !== undefined && FALSE_ANSWERS.has(answer.status)) {
        this.#ledger.violate(
          "truth",
          `${call.method} ${shapeOf(call.path)} is answered ${answer.status}: ${textOf(answer)}`,
        )
      }
      await sleep(Math.max(RETRY_MS, Math.min(answer?.retryAfterMs ?? 0, 2000)))
    }
    return undefined
  }

  /** `settle` under a new key. */
  once(call: Call): Promise<Answer | undefined> {
    return this.settle({ ...call, idempotencyKey: randomUUID() })
  }
}

/** Codes of the system and of `fetch`. */
const REFUSED = new Set(["ECONNREFUSED"])
const RESET = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

const failureOf = (cause: unknown): string => {
  const code = (cause as { readonly cause?: { readonly code?: string } } | null)?.cause?.code
  if (REFUSED.has(code ?? "")) return "refused"
  return RESET.has(code ?? "") ? "reset" : (code ?? String(cause).slice(0, 60))
}

const FALSE_ANSWERS = new Set([401, 403, 404])

const isFinal = ({ status, body }: Answer): boolean => {
  if (status === 409) return body.code !== "idempotency_in_progress"
  return status < 500 && status !== 429 && !FALSE_ANSWERS.has(status)
}

/** Without its ids, so that like violations are counted together. */
const shapeOf = (path: string): string =>
  path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ":id").replaceAll(/x[0-9a-f]{6,}/g, ":token")

const textOf = ({ body }: Answer): string => JSON.stringify(body).slice(0, 40)
