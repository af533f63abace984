/**
 * All metrics in one place, as an overview of what can be monitored. Metrics are Effect's, updated synchronously and rendered in the
 * Prometheus text format when scraped. A metric whose label values are known exists from the start with all of them, so that an alert on it
 * does not wait for the first failure.
 */
import { Context, Metric } from "effect"

/** Monotonic counter; synchronous, so that it may be used on a hot path. */
interface Counter {
  readonly add: (amount?: number, labelValue?: string) => void
}

/** A value that rises and falls, such as the number of open sockets. */
interface Gauge {
  readonly add: (amount: number) => void
  readonly set: (value: number) => void
  readonly value: () => number
}

const NOWHERE = Context.empty()

const counter = (
  name: string,
  description: string,
  label?: { readonly name: string; readonly values?: ReadonlyArray<string> },
): Counter => {
  const metric = Metric.counter(name, { description, incremental: true })
  const byValue = new Map<string, Metric.Metric<number, unknown>>()
  const add = (amount = 1, value = ""): void => {
    let one = label === undefined ? metric : byValue.get(value)
    if (one === undefined) {
      one = Metric.withAttributes(metric, { [label?.name ?? ""]: value })
      byValue.set(value, one)
    }
    one.updateUnsafe(amount, NOWHERE)
  }
  if (label === undefined) add(0)
  for (const value of label?.values ?? []) add(0, value)
  return { add }
}

const gauge = (name: string, description: string): Gauge => {
  const metric = Metric.gauge(name, { description })
  metric.modifyUnsafe(0, NOWHERE)
  return {
    add: (amount) => metric.modifyUnsafe(amount, NOWHERE),
    set: (value) => metric.updateUnsafe(value, NOWHERE),
    value: () => metric.valueUnsafe(NOWHERE).value,
  }
}

/** A gauge that is always 1 and carries its information in labels. */
const info =
  (name: string, description: string) =>
  (labels: { readonly [name: string]: string }): void =>
    Metric.withAttributes(Metric.gauge(name, { description }), labels).updateUnsafe(1, NOWHERE)

/** Observes durations in seconds, each under a label value. */
interface Histogram {
  readonly observe: (seconds: number, labelValue?: string) => void
}

/** Buckets from half a millisecond, in steps of about two and a half. */
const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Buckets up to two days, for which a delivery is retried. */
const LONG = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 21_600, 86_400, 172_800]

/** Without known label values, a series begins with its first observation. */
const histogram = (
  name: string,
  description: string,
  label?: { readonly name: string; readonly values?: ReadonlyArray<string> },
  durations: ReadonlyArray<number> = SHORT,
): Histogram => {
  const metric = Metric.histogram(name, { description, boundaries: Metric.boundariesFromIterable(durations) })
  const byValue = new Map<string, Metric.Metric<number, unknown>>()
  const seriesOf = (value: string): Metric.Metric<number, unknown> => {
    if (label === undefined) return metric
    const known = byValue.get(value)
    if (known !== undefined) return known
    const made = Metric.withAttributes(metric, { [label.name]: value })
    byValue.set(value, made)
    return made
  }
  // Reading a series creates it.
  for (const value of label === undefined ? [""] : (label.values ?? [])) seriesOf(value).valueUnsafe(NOWHERE)
  return { observe: (seconds, value = "") => seriesOf(value).updateUnsafe(seconds, NOWHERE) }
}

/** Buckets for the duration of a garbage collection. */
const PAUSES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]

const DESTROYED = ["lost", "deadline", "in_transaction", "unfinished", "protocol", "suspect", "closed"]

export const makeMetrics = () => ({
  buildInfo: info("gathercue_build_info", "1, with the release of this process (`version`) and of Node (`node`)."),
  httpRequests: counter("gathercue_http_requests_total", "HTTP responses by status.", { name: "status" }),
  httpDuration: histogram(
    "gathercue_http_request_duration_seconds",
    "From the head of a request to the end of its answer, by route.",
    { name: "route" },
  ),
  commandDuration: histogram(
    "gathercue_actor_command_duration_seconds",
    "From a command's arrival at this process to its outcome, its commit included.",
  ),
  commitDuration: histogram(
    "gathercue_actor_commit_duration_seconds",
    "Commits of live events that were stored, each of one or several commands.",
  ),
  inboxWaiting: gauge(
    "gathercue_actor_inbox_waiting",
    "Commands that wait for their turn at live events, or to be sent to live events of other nodes.",
  ),
  inboxRefused: counter(
    "gathercue_actor_inbox_refused_total",
    "Commands and other requests refused because too many waited for the same live event.",
  ),
  commitsUnderWay: gauge(
    "gathercue_actor_commits_under_way",
    "Commits of live events that wait for a transaction or are in one, at most one of each live event in memory.",
  ),
  commands: counter("gathercue_actor_commands_total", "Commands answered by live events, by outcome.", {
    name: "outcome",
    values: ["accepted", "duplicate", "refused", "notfound", "unavailable"],
  }),
  fenced: counter("gathercue_actor_fenced_total", "Commits refused because another activation owns the event."),
  actorBusy: counter("gathercue_actor_busy_seconds_total", "Time live events were busy, commits included."),
  activations: counter("gathercue_actor_activations_total", "Live event activations (claims of a fencing token)."),
  actorsActive: gauge("gathercue_actors_active", "Live events resident in this process."),
  nodes: gauge(
    "gathercue_nodes",
    "Living nodes of the cluster, as this node sees them; 0 on a server that runs alone.",
  ),
  natsConnected: gauge(
    "gathercue_nats_connected",
    "1 while this node is connected to NATS; 0 also where NATS is not used.",
  ),
  nodeMessages: counter(
    "gathercue_node_messages_total",
    "Messages between nodes over NATS: sent, received, lost because the connection was away, or refused as forged or replayed.",
    { name: "outcome", values: ["sent", "received", "lost", "refused"] },
  ),
  timersFired: counter("gathercue_actor_timers_fired_total", "Due timers turned into commands."),
  sockets: gauge("gathercue_gateway_sockets", "Open gateway sockets."),
  waiting: gauge(
    "gathercue_gateway_waiting",
    "Gateway sockets whose token was accepted and that wait for their ready.",
  ),
  framesSent: counter("gathercue_gateway_frames_total", "Frames published to topics or sent to single sockets."),
  resumes: counter("gathercue_gateway_identifies_total", "Identified sockets by how they recovered.", {
    name: "recovery",
    values: ["snapshot", "replay"],
  }),
  joinDuration: histogram(
    "gathercue_gateway_join_duration_seconds",
    "From the opening of a socket to its ready, the client's part included, by how it recovered.",
    { name: "recovery", values: ["snapshot", "replay"] },
  ),
  disconnects: counter("gathercue_gateway_disconnects_total", "Sockets closed by the server, by close code.", {
    name: "code",
  }),
  webhookAttempts: counter("gathercue_webhook_attempts_total", "Webhook attempts by outcome.", {
    name: "outcome",
    values: ["delivered", "retry", "rejected"],
  }),
  webhookDelay: histogram(
    "gathercue_webhook_delay_seconds",
    "From an occurrence to its delivery, retries included.",
    undefined,
    LONG,
  ),
  webhookInFlight: gauge("gathercue_webhook_in_flight", "Webhook requests in flight."),
  webhookBacklog: gauge("gathercue_webhook_backlog", "Webhook deliveries that wait for a first try or another one."),
  webhookOverdue: gauge(
    "gathercue_webhook_overdue_seconds",
    "Seconds since the oldest try was due, of endpoints that do not fail.",
  ),
  webhookEndpointsFailing: gauge("gathercue_webhook_endpoints_failing", "Endpoints in use whose last try failed."),
  callPeers: gauge("gathercue_call_peers", "People in calls between browsers, with those whose socket is lost."),
  encoders: gauge("gathercue_broadcast_encoders", "Encoders that push a broadcast to this process."),
  uploads: gauge("gathercue_media_uploads", "Requests that upload bytes of recordings."),
  mediaBacklog: gauge(
    "gathercue_media_backlog",
    "Jobs on stored bytes that wait, but for recordings of rooms that go on.",
  ),
  mediaOverdue: gauge("gathercue_media_overdue_seconds", "Seconds since the oldest of them was due."),
  mediaFreeBytes: gauge("gathercue_media_free_bytes", "Bytes that media may still take on the disk of DATA_DIR."),
  mediaJobs: counter("gathercue_media_jobs_total", "Jobs on stored bytes, by outcome of a try.", {
    name: "outcome",
    values: ["done", "retry"],
  }),
  quiet: gauge(
    "gathercue_quiet",
    "1 while nothing is sent to others, because the database is a copy that was not promoted.",
  ),
  backupAge: gauge("gathercue_backup_age_seconds", "Seconds since the last backup to BACKUP_TO; 0 without it."),
  backupOverdue: gauge(
    "gathercue_backup_overdue_seconds",
    "Seconds since it was due; 0 before, and without BACKUP_TO.",
  ),
  certificateEnds: gauge(
    "gathercue_certificate_ends_seconds",
    "Unix time at which the server's own certificate ends; 1 while there is none, 0 without ACME_DOMAINS.",
  ),
  certificateOrders: counter("gathercue_certificate_orders_total", "Certificates that were asked for, by outcome.", {
    name: "outcome",
    values: ["issued", "failed"],
  }),
  mailBacklog: gauge("gathercue_mail_backlog", "Emails that wait to be sent."),
  mailOverdue: gauge("gathercue_mail_overdue_seconds", "Seconds since the oldest email was due."),
  reminders: counter(
    "gathercue_reminders_total",
    "Reminders of events, and thanks after them, that were posted, by kind.",
    {
      name: "kind",
      values: ["day", "minutes", "own", "thanks"],
    },
  ),
  notices: counter(
    "gathercue_event_notices_total",
    "Emails about changed, cancelled and deleted events that were posted, by audience.",
    { name: "audience", values: ["registered", "invited"] },
  ),
  passwords: counter(
    "gathercue_passwords_total",
    "Passwords that were to be hashed, by outcome: hashed, refused because too many waited, or abandoned by their clients before.",
    { name: "outcome", values: ["hashed", "refused", "abandoned"] },
  ),
  passwordsRunning: gauge("gathercue_passwords_running", "Passwords that are being hashed."),
  passwordsWaiting: gauge("gathercue_passwords_waiting", "Passwords that wait to be hashed."),
  databasePool: gauge("gathercue_database_connections_max", "Connections the pool may have."),
  databaseOpen: gauge("gathercue_database_connections_open", "Connections that are open."),
  databaseInUse: gauge(
    "gathercue_database_connections_in_use",
    "Connections checked out to a statement or transaction.",
  ),
  databaseWaiting: gauge("gathercue_database_waiting", "Statements and transactions that wait for a connection."),
  databaseOldestWait: gauge("gathercue_database_oldest_wait_seconds", "How long the oldest of them has waited."),
  databaseReady: gauge("gathercue_database_ready", "1 when a write reached the disk in the last two seconds."),
  databaseRefused: counter(
    "gathercue_database_refused_total",
    "Statements and new requests refused because too many statements waited.",
  ),
  databaseDestroyed: counter(
    "gathercue_database_connections_destroyed_total",
    "Database connections given up or lost, by reason.",
    { name: "reason", values: DESTROYED },
  ),
  databasePastDeadline: counter(
    "gathercue_database_past_deadline_total",
    "Statements past their deadline, callers that waited too long for a connection, and statements that the server ended by its limits.",
    { name: "what", values: ["statement", "waiting", "server"] },
  ),
  residentMemory: gauge("process_resident_memory_bytes", "Resident memory size."),
  heapUsed: gauge("nodejs_heap_size_used_bytes", "Heap in use."),
  mostDescriptors: gauge("process_max_fds", "Open file descriptors at most; 0 where the system does not tell."),
  openDescriptors: gauge("process_open_fds", "Open file descriptors; 0 where the system does not tell."),
  cpuSeconds: counter("process_cpu_seconds_total", "CPU time of the process, user and system."),
  startTime: gauge("process_start_time_seconds", "Start of the process, in Unix seconds."),
  garbageCollection: histogram(
    "nodejs_gc_duration_seconds",
    "Garbage collections, by kind.",
    { name: "kind", values: ["major", "minor", "incremental", "weakcb"] },
    PAUSES,
  ),
  loopLagMean: gauge("nodejs_eventloop_lag_mean_seconds", "Mean lag of the event loop since the last scrape."),
  loopLagP99: gauge(
    "nodejs_eventloop_lag_p99_seconds",
    "99th percentile of the event loop's lag since the last scrape.",
  ),
  loopLagMax: gauge("nodejs_eventloop_lag_max_seconds", "Longest lag of the event loop since the last scrape."),
})

export type Metrics = ReturnType<typeof makeMetrics>
