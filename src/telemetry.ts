/**
 * Logs and metrics. Logs are JSON lines; credentials are redacted by name wherever they might appear. Metrics are
 * Effect's, updated synchronously and rendered in the Prometheus text format when scraped.
 */
import { Context, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { type Logger, pino } from "pino"

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
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `headers["${name}"]`]),
      censor: "[redacted]",
    },
  })

/** One number, or one for each value of a label; counted synchronously, so that it may stand on a hot path. */
export interface Count {
  readonly add: (amount?: number, labelValue?: string) => void
}

const labelled = (metric: Metric.Metric<number, unknown>, label: string | undefined) => {
  const byValue = new Map<string, Metric.Metric<number, unknown>>()
  return (amount: number, value: string): void => {
    let one = label === undefined ? metric : byValue.get(value)
    if (one === undefined) {
      one = Metric.withAttributes(metric, { [label ?? ""]: value })
      byValue.set(value, one)
    }
    one.updateUnsafe(amount, Context.empty())
  }
}

const counter = (name: string, description: string, label?: string): Count => {
  const update = labelled(Metric.counter(name, { description, incremental: true }), label)
  return { add: (amount = 1, value = "") => update(amount, value) }
}

/** A number that goes up and down, such as open sockets. */
const level = (name: string, description: string): Count => {
  const update = labelled(Metric.counter(name, { description }), undefined)
  return { add: (amount = 1) => update(amount, "") }
}

/** Everything that is counted, in one place, so that a reader sees what can be watched. */
export const makeMetrics = () => ({
  httpRequests: counter("gathercue_http_requests_total", "HTTP responses by status.", "status"),
  commands: counter("gathercue_actor_commands_total", "Commands answered by live events, by outcome.", "outcome"),
  fenced: counter("gathercue_actor_fenced_total", "Commits refused because another activation owns the event."),
  actorBusy: counter("gathercue_actor_busy_seconds_total", "Time live events were busy, commits included."),
  activations: counter("gathercue_actor_activations_total", "Live event activations (epoch claims)."),
  actorsActive: level("gathercue_actors_active", "Live events resident in this process."),
  timersFired: counter("gathercue_actor_timers_fired_total", "Due timers turned into commands."),
  sockets: level("gathercue_gateway_sockets", "Open gateway sockets."),
  framesSent: counter("gathercue_gateway_frames_total", "Frames published to topics or sent to single sockets."),
  resumes: counter("gathercue_gateway_identifies_total", "Identified sockets by how they recovered.", "recovery"),
  disconnects: counter("gathercue_gateway_disconnects_total", "Sockets closed by the server, by close code.", "code"),
  webhookAttempts: counter("gathercue_webhook_attempts_total", "Webhook attempts by outcome.", "outcome"),
  webhookInFlight: level("gathercue_webhook_in_flight", "Webhook requests in flight."),
})

export class Telemetry extends Context.Service<
  Telemetry,
  { readonly log: Logger; readonly metrics: ReturnType<typeof makeMetrics> }
>()("gathercue/Telemetry") {
  static readonly layer = (level: string): Layer.Layer<Telemetry> =>
    Layer.sync(Telemetry, () => ({ log: openLog(level), metrics: makeMetrics() }))
}

/** Every metric, in the Prometheus text exposition format. */
export const renderMetrics = (): string => PrometheusMetrics.formatUnsafe(Context.empty())
