/** The server's own certificate: the one that is kept is used at once, and replaced when two thirds of its life are over. */
import { Clock, Context, Effect, Layer } from "effect"
import type { AcmeConfig } from "../config/acme.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { certificatesFolder, type KeptCertificate, readCertificate } from "./kept-certificate.ts"
import { type Answers, orderCertificate } from "./order.ts"

interface CertificateState {
  readonly names: ReadonlyArray<string>
  /** In milliseconds since 1970; null: there is none yet. */
  readonly endsAt: number | null
  /** Why the last try failed; null: it did not. */
  readonly problem: string | null
}

/** Null: the server speaks no TLS itself. */
export const CertificateWatch = Context.Reference<{ readonly state: () => CertificateState | null }>(
  "gathercue/CertificateWatch",
  { defaultValue: () => ({ state: () => null }) },
)

const [MINUTE, HOUR] = [60_000, 3_600_000]
/** After failures. Authorities take about five failed tries of a name in an hour, and then none for some time. */
const RETRY_AFTER_MS = [MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 6 * HOUR]
/** A machine may sleep, and its clock be set. */
const LOOK_AFTER_MS = HOUR
/** Servers that were started together do not ask at the same moment. */
const SPREAD = 0.05

/** When a certificate is to be replaced: up to a twentieth of its life before two thirds of it. `chance`: from 0 to 1. */
export const renewalAt = ({ from, to }: Pick<KeptCertificate, "from" | "to">, chance: number): number =>
  Math.round(from + (to - from) * (2 / 3 - SPREAD * chance))

/** `failures`: in a row, at least one. */
export const retryAfterMs = (failures: number, chance: number): number =>
  (RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length) - 1] ?? 0) * (1 + SPREAD * chance)

export class Certificates {
  readonly answers: Answers = new Map()
  readonly #config: AcmeConfig
  readonly #folder: string
  readonly #use: (file: string) => void
  #current: KeptCertificate | undefined
  #renewAt = 0
  #failures = 0
  #problem: string | null = null

  /** `use`: connections that are made from now on get the certificate of the file. */
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
    // A certificate that lacks a name serves the other names until the next one is there.
    const hasAll = this.#config.domains.every((name) => certificate.names.includes(name))
    this.#renewAt = hasAll ? renewalAt(certificate, Math.random()) : 0
  }

  /** Waits until one is due, and asks for it once. */
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
      const retryMs = retryAfterMs(this.#failures, Math.random())
      this.#problem = `${new URL(directory).host} gave no certificate for ${domains.join(", ")}: ${reason}`
      log.error({ reason: this.#problem, retryInSeconds: Math.round(retryMs / 1000) }, "no certificate was obtained")
      yield* Effect.sleep(retryMs)
    })
  }

  readonly layer: Layer.Layer<never, never, Telemetry> = Layer.effect(
    CertificateWatch,
    Effect.gen({ self: this }, function* () {
      const { metrics, sample } = yield* Telemetry
      // Without one the time is long past, so that an alert sees it.
      sample(() => metrics.certificateEnds.set(Math.max(1, Math.round((this.#current?.to ?? 0) / 1000))))
      yield* Effect.forkScoped(Effect.forever(this.#turn()))
      return { state: this.state }
    }),
  )
}
