/** Sends spans to an OpenTelemetry collector (OTLP over HTTP, as JSON), with Effect's own exporter. */
import { ConfigProvider, Effect, Layer, Redacted, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { OtlpSettings } from "../model/otlp-settings.ts"
import { sampler, type Tracing, tracingWith } from "./tracing.ts"

/** The exporter retries three times, and then drops its spans and pauses for a minute. */
const TRY_TIMEOUT_MS = 5_000
const INTERVAL = "2 seconds"
/** Maximum wait of a stop for the last spans. */
const LAST_WORDS = "1 second"

/** Adds a deadline, which the exporter's own client lacks. */
const fetchInTime: typeof globalThis.fetch = (input, init) => {
  const late = AbortSignal.timeout(TRY_TIMEOUT_MS)
  const signal = init?.signal == null ? late : AbortSignal.any([init.signal, late])
  return fetch(input, { ...init, signal })
}

const PLUMBING = Layer.mergeAll(
  OtlpExporter.layerFlusher,
  OtlpSerialization.layerJson,
  FetchHttpClient.layer.pipe(Layer.provideMerge(Layer.succeed(FetchHttpClient.Fetch, fetchInTime))),
)

/** Sends until the scope closes. Failures are not reported: tracing must not fail a server, and metrics show whether it is well. */
export const otlpTracing = (settings: OtlpSettings): Effect.Effect<Tracing, never, Scope.Scope> =>
  OtlpTracer.make({
    url: `${settings.endpoint}/v1/traces`,
    resource: { serviceName: settings.serviceName },
    headers: settings.headers.map(([name, value]) => [name, Redacted.value(value)] as const),
    exportInterval: INTERVAL,
    shutdownTimeout: LAST_WORDS,
  }).pipe(
    Effect.map((tracer) => tracingWith(tracer, sampler(settings.ratio, Date.now))),
    // The exporter would read the environment itself.
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} })),
    (made) => Effect.flatMap(Layer.build(PLUMBING), (context) => Effect.provideContext(made, context)),
  )
