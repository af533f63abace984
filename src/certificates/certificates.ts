/** The server's own certificate: an existing one is used at once, and replaced when two thirds of its life are over. */
import { Clock, Context, Effect, Layer } from "effect"
import type { AcmeConfig } from "../config/acme.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { certificatesFolder, type KeptCertificate, readCertificate } from "./kept-certificate.ts"
import { type ChallengeAnswers, orderCertificate } from "./order.ts"

interface CertificateState {
  readonly names: ReadonlyArray<string>
  /** Milliseconds since 1970; null when there is none yet. */
  readonly endsAt: number | null
  /** Reason why the last attempt failed; null after a success. */
  readonly problem: string | null
}

/** Null when the server does not serve TLS itself. */
export const CertificateWatch = Context.Reference<{ readonly state: () => CertificateState | null }>(
  "gathercue/CertificateWatch",
  { defaultValue: () => ({ state: () => null }) },
)

const [MINUTE, HOUR] = [60_000, 3_600_000]
/** Delays after failures. Authorities allow about five failed attempts of a name per hour, and then none for some time. */
const RETRY_AFTER_MS = [MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 6 * HOUR]
/** Bounded, because a machine may sleep and its clock may be set. */
const LOOK_AFTER_MS = HOUR
/** Randomised, so that servers started together do not ask at the same moment. */
const SPREAD = 0.05

/** Renewal time of a certificate: up to a twentieth of its life before two thirds of it. `chance` is from 0 to 1. */
export const renewalAt = ({ from, to }: Pick<KeptCertificate, "from" | "to">, chance: number): number =>
  Math.round(from + (to - from) * (2 / 3 - SPREAD * chance))

/** `failures` counts consecutive failures and is at least one. */
export const orderRetryMs = (failures: number, chance: number): number =>
  (RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length) - 1] ?? 0) * (1 + SPREAD * chance)

export class Certificates {
  readonly answers: ChallengeAnswers = new Map()
  readonly #config: AcmeConfig
  readonly #folder: string
  readonly #use: (file: string) => void
  #current: KeptCertificate | undefined
  #renewAt = 0
  #failures = 0
  #problem: string | null = null

  /** `use` makes new connections use the certificate of the file. */
  constructor(config: AcmeConfig, dataDir: string, use: (file: string) => void) {
    this.#config = config
    this.#folder = certificatesFolder(dataDir)
    this.#use = use
    const kept = readCertificate(this.#folder)
    if (kept !== undefined) this.#adopt(kept)
  }

  get isThere(): boolean {
    return this.#current !== undefined
  }

  readonly state = (): CertificateState => ({
    names: this.#config.domains,
    endsAt: this.#current?.to ?? null,
    problem: this.#problem,
  })

  #adopt(certificate: KeptCertificate): void {
    this.#use(certificate.file)
    this.#current = certificate
    // A certificate that lacks a name still serves the other names until the next one exists.
    const hasAll = this.#config.domains.every((name) => certificate.names.includes(name))
    this.#renewAt = hasAll ? renewalAt(certificate, Math.random()) : 0
  }

  /** Waits until a certificate is due, and requests it once. */
  #turn(): Effect.Effect<void, never, Telemetry> {
    const { directory, domains } = this.#config
    return Effect.gen({ self: this }, function* () {
      const wait = this.#renewAt - (yield* Clock.currentTimeMillis)
      if (wait > 0) return yield* Effect.sleep(Math.min(wait, LOOK_AFTER_MS))
      const { log, metrics } = yield* Telemetry
      const order = Effect.tryPromise({
        try: async () => this.#adopt(await orderCertificate(this.#config, this.#folder, this.answers)),
        catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
      })
      const reason = yield* Effect.match(order, { onFailure: (sentence) => sentence, onSuccess: () => null })
      metrics.certificateOrders.add(1, reason === null ? "issued" : "failed")
      if (reason === null) {
        this.#failures = 0
        this.#problem = null
        log.info({ names: domains, endsAt: new Date(this.#current?.to ?? 0) }, "a certificate was obtained")
        return
      }
      this.#failures += 1
      const retryMs = orderRetryMs(this.#failures, Math.random())
      this.#problem = `${new URL(directory).host} gave no certificate for ${domains.join(", ")}: ${reason}`
      log.error({ reason: this.#problem, retryInSeconds: Math.round(retryMs / 1000) }, "no certificate was obtained")
      yield* Effect.sleep(retryMs)
    })
  }

  readonly layer: Layer.Layer<never, never, Telemetry> = Layer.effect(
    CertificateWatch,
    Effect.gen({ self: this }, function* () {
      const { metrics, sample } = yield* Telemetry
      // Without a certificate the time is long past, so that an alert fires.
      sample(() => metrics.certificateEnds.set(Math.max(1, Math.round((this.#current?.to ?? 0) / 1000))))
      yield* Effect.forkScoped(Effect.forever(this.#turn()))
      return { state: this.state }
    }),
  )
}
