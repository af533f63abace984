/**
 * Logs, metrics and traces. Logs are JSON lines; credentials are redacted by name wherever they might appear, and errors hold no values.
 */
import { Context, Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { type Logger, pino } from "pino"
import type { OtlpSettings } from "../model/otlp-settings.ts"
import { Busiest } from "./busiest.ts"
import { type LogTail, processTail, tailed } from "./log-tail.ts"
import { loggedError } from "./logged-error.ts"
import { type Metrics, makeMetrics } from "./metrics.ts"
import { otlpTracing } from "./otlp.ts"
import { processSampler } from "./process-metrics.ts"
import { NO_TRACING, type Tracing } from "./tracing.ts"
import { WorkspaceShares } from "./workspace-shares.ts"

const SECRETS = [
  "authorization",
  "cookie",
  "x-api-key",
  "x-platform-key",
  "token",
  "secret",
  "password",
  "sessionToken",
]

export const openLog = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      serializers: { err: (cause: unknown) => loggedError(cause) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `headers["${name}"]`]),
        censor: "[redacted]",
      },
    },
    tailed(pino.destination(1), processTail),
  )

/** Descriptions for the cluster engine's own metrics, which have none. */
const ENGINE_HELP: { readonly [name: string]: string } = {
  effect_cluster_entities: "Live events that the cluster engine has in this process.",
  effect_cluster_entity_mailbox_size_max: "The longest mailbox of the cluster engine.",
  effect_cluster_runners: "Nodes that the cluster engine knows.",
  effect_cluster_runners_healthy: "Nodes that the cluster engine takes for alive.",
  effect_cluster_shards: "Shards of live events that this process holds.",
  effect_cluster_shards_releasing: "Shards that this process is giving up.",
  effect_cluster_singletons: "Tasks of the cluster engine that run once in the cluster, and here.",
}

const withEngineHelp = (text: string): string =>
  text.replaceAll(/^# TYPE (effect_cluster_\w+)/gm, (line, name: string) =>
    ENGINE_HELP[name] === undefined ? line : `# HELP ${name} ${ENGINE_HELP[name]}\n${line}`,
  )

/** Updates the gauges of current state; called before each scrape. */
type Sampler = () => void

export class Telemetry extends Context.Service<
  Telemetry,
  {
    readonly log: Logger
    readonly tail: LogTail
    readonly metrics: Metrics
    readonly tracing: Tracing
    /** Registers a sampler to be called before each scrape. */
    readonly sample: (sampler: Sampler) => void
    readonly shares: WorkspaceShares
    readonly busiest: Busiest
    /** Every metric, in the Prometheus text exposition format. */
    readonly render: () => string
  }
>()("gathercue/Telemetry") {
  static readonly make = (log: Logger, tracing = NO_TRACING): Telemetry["Service"] => {
    const metrics = makeMetrics()
    const shares = new WorkspaceShares()
    const samplers: Sampler[] = [processSampler(metrics)]
    return {
      log,
      tail: processTail,
      metrics,
      tracing,
      shares,
      busiest: new Busiest(),
      sample: (sampler) => samplers.push(sampler),
      render: () => {
        for (const sampler of samplers) sampler()
        return withEngineHelp(PrometheusMetrics.formatUnsafe(Context.empty())) + shares.render()
      },
    }
  }

  /** `otlp` is the target of traces; null disables tracing. */
  static readonly layer = (level: string, otlp: OtlpSettings | null = null): Layer.Layer<Telemetry> =>
    Layer.effect(
      Telemetry,
      Effect.map(otlp === null ? Effect.succeed(NO_TRACING) : otlpTracing(otlp), (tracing) =>
        Telemetry.make(openLog(level), tracing),
      ),
    )
}
