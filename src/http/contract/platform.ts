/** The deployment as its operator sees it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../model/ids.ts"
import { Inspection } from "../../model/live/inspection.ts"
import { named } from "../../model/named.ts"
import { Instant } from "../../model/timestamp.ts"
import { EndpointAccess, ReadsOnly } from "./access.ts"
import { Email } from "./accounts/accounts.ts"
import { Example, OptionalBody, PathId } from "./endpoint.ts"
import { inspection, platformStatus } from "./examples/platform-objects.ts"
import { COMMON, problems, WITH_BODY } from "./problem.ts"
import { Url } from "./workspaces/webhooks.ts"

const MOST = Number.MAX_SAFE_INTEGER

const Waiting = Schema.Struct({
  count: Schema.Int,
  /** Seconds since the oldest attempt was due; 0 when none is due. */
  overdueSeconds: Schema.Int,
}).annotate(named("PlatformBacklog"))

/** Deliveries and emails that waited before the copy was first started: the original may have sent them. */
const Copied = Schema.Struct({ deliveries: Schema.Int, letters: Schema.Int }).annotate(named("PlatformCopied"))

const Backup = Schema.Struct({
  at: Instant,
  /**
   * Total bytes of all files of the backup, including files stored by an earlier backup; null when the build that made it did not record
   * them.
   */
  bytes: Schema.NullOr(Schema.Int),
}).annotate(named("PlatformBackup"))

export const PlatformStatus = Schema.Struct({
  release: Schema.String,
  at: Instant,
  /** Set when the database is a copy that sends nothing to others; null for the original. */
  quiet: Schema.NullOr(
    Schema.Struct({ since: Instant, signs: Schema.Array(Schema.String), copied: Copied }).annotate(
      named("PlatformQuiet"),
    ),
  ),
  /** Certificate of the server itself; null when it does not serve TLS. */
  certificate: Schema.NullOr(
    Schema.Struct({
      names: Schema.Array(Schema.String),
      /** Null until there is a certificate. */
      endsAt: Schema.NullOr(Instant),
      /** Reason why the last attempt to obtain a certificate failed; null after a success. */
      problem: Schema.NullOr(Schema.String),
    }).annotate(named("PlatformCertificate")),
  ),
  /** Backups of the embedded database; backups made by PostgreSQL's own tools are unknown to the server. */
  backups: Schema.Struct({
    /** `BACKUP_TO`; null when no automatic backups are made. */
    to: Schema.NullOr(Schema.String),
    /** The last backup to a bucket. */
    last: Schema.NullOr(Backup),
    /** Time of the next backup or attempt; null when the server makes none. */
    nextAt: Schema.NullOr(Instant),
    /** The server's last attempt, if it failed. */
    failure: Schema.NullOr(
      Schema.Struct({ at: Instant, problem: Schema.String }).annotate(named("PlatformBackupFailure")),
    ),
    /** The last backup to a folder, made by `gathercue backup`. */
    folder: Schema.NullOr(Backup),
  }).annotate(named("PlatformBackups")),
  /** The process that answered. */
  process: Schema.Struct({
    node: Schema.String,
    sockets: Schema.Int,
    liveEvents: Schema.Int,
    uptimeSeconds: Schema.Int,
    memoryBytes: Schema.Int,
    /**
     * Bytes that media may still take on the disk of `DATA_DIR`, without `MEDIA_MIN_FREE_BYTES`; null before the first probe, and while
     * probes fail.
     */
    mediaFreeBytes: Schema.NullOr(Schema.Int),
  }).annotate(named("PlatformProcess")),
  /** Empty when a single process runs. */
  nodes: Schema.Array(
    Schema.Struct({ address: Schema.String, node: Schema.String, isLiving: Schema.Boolean }).annotate(
      named("PlatformNode"),
    ),
  ),
  liveEvents: Schema.Struct({
    total: Schema.Int,
    /** The newest hundred entries. */
    newest: Schema.Array(
      Schema.Struct({
        id: Uuid,
        title: Schema.String,
        workspaceId: Uuid,
        workspaceSlug: Schema.String,
        startedAt: Schema.NullOr(Instant),
        people: Schema.Int,
      }).annotate(named("PlatformLiveEvent")),
    ),
  }).annotate(named("PlatformLiveEvents")),
  backlog: Schema.Struct({ deliveries: Waiting, letters: Waiting, media: Waiting }).annotate(named("PlatformBacklogs")),
  /** The workspaces that use most of the shared resources. Uploads and encoders are counted in the answering process. */
  shares: Schema.Array(
    Schema.Struct({
      workspaceId: Uuid,
      workspaceSlug: Schema.String,
      uploads: Schema.Int,
      encoders: Schema.Int,
      jobsWaiting: Schema.Int,
      /** Recent seconds: half of the value decays every half hour. */
      jobSeconds: Schema.Finite,
      bytes: Schema.Int,
    }).annotate(named("PlatformShare")),
  ),
  /** The ten workspaces, keys and events with most requests and commands in the last minutes. */
  busiest: Schema.Struct({
    /** Length of the counted period, up to five minutes. */
    seconds: Schema.Int,
    /** Nodes and workers that did not tell in time what they counted. */
    missing: Schema.Array(Schema.String),
    workspaces: Schema.Array(
      Schema.Struct({
        workspaceId: Uuid,
        workspaceSlug: Schema.String,
        requests: Schema.Int,
        commands: Schema.Int,
      }).annotate(named("PlatformBusyWorkspace")),
    ),
    keys: Schema.Array(
      Schema.Struct({ keyId: Uuid, name: Schema.String, workspaceId: Uuid, requests: Schema.Int }).annotate(
        named("PlatformBusyKey"),
      ),
    ),
    events: Schema.Array(
      Schema.Struct({
        eventId: Uuid,
        title: Schema.String,
        workspaceId: Uuid,
        requests: Schema.Int,
        commands: Schema.Int,
      }).annotate(named("PlatformBusyEvent")),
    ),
  }).annotate(named("PlatformBusiest")),
  /** Failing webhook endpoints by origin of their address. */
  failingWebhooks: Schema.Array(
    Schema.Struct({
      id: Uuid,
      workspaceId: Uuid,
      origin: Schema.String,
      status: Schema.Literals(["active", "disabled"]),
      failingSince: Schema.NullOr(Instant),
      lastFailureAt: Instant,
    }).annotate(named("PlatformFailingWebhook")),
  ),
}).annotate(named("PlatformStatus"))

const Promotion = Schema.Struct({
  /** False when nothing had to be done. */
  wasQuiet: Schema.Boolean,
  copied: Copied,
}).annotate(named("PlatformPromotion"))

const Settings = Schema.Struct({
  /** The process that answered. */
  node: Schema.String,
  settings: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** Secrets are masked; a key that is not set has its default. */
      value: Schema.String,
      isSet: Schema.Boolean,
    }).annotate(named("PlatformSetting")),
  ),
}).annotate(named("PlatformSettings"))

const problem = Schema.NullOr(Schema.String)

const MailTest = Schema.Struct({
  /** Reason why the mail server refused the email; null when it accepted it. */
  problem,
  durationMs: Schema.Int,
}).annotate(named("PlatformMailTest"))

const WebhookTest = Schema.Struct({
  /** Status of the answer; null when there was none. */
  status: Schema.NullOr(Schema.Int),
  /** Reason why the address refused the ping; null when it accepted it. */
  problem,
  durationMs: Schema.Int,
  /** Signing secret created for this ping. */
  secret: Schema.String,
}).annotate(named("PlatformWebhookTest"))

const LogTail = Schema.Struct({
  /** The process that answered; the log lines are its own. */
  node: Schema.String,
  lines: Schema.Array(
    Schema.Struct({
      number: Schema.Int,
      at: Instant,
      level: Schema.String,
      message: Schema.String,
      fields: Schema.Record(Schema.String, Schema.Json),
    }).annotate(named("PlatformLogLine")),
  ),
}).annotate(named("PlatformLog"))

export const Platform = HttpApiGroup.make("platform")
  .add(
    HttpApiEndpoint.get("getPlatformStatus", "/v1/platform/status", {
      success: PlatformStatus,
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(
        OpenApi.Summary,
        "Live events, nodes, backlogs, backups, the certificate, the largest and busiest users and failing webhooks of the whole deployment",
      )
      .annotate(
        OpenApi.Description,
        "Nobody may call it where `PLATFORM_KEY` is unset. `process` is the one that answers, and so are the uploads and encoders of `shares`; the rest is of all nodes and workers. `busiest` leaves out what those in its `missing` counted, which did not answer within a second. Requests count for the workspace of the key or session, or else of what was asked for, also when they are refused; commands count for their event and its workspace. An event counts the requests whose path names it or a part of it. Uploads and downloads of media are not counted there.",
      )
      .annotate(Example, { response: platformStatus }),
  )
  .add(
    HttpApiEndpoint.get("inspectEvent", "/v1/platform/events/:id/inspection", {
      params: PathId,
      success: Inspection,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OpenApi.Summary, "The states of an event's chart, what it waits for, and its last transitions")
      .annotate(
        OpenApi.Description,
        "Any event can be inspected; one that is not in memory is read into it. `states` are those of the chart in the project's `docs/internals/machine.md`. `transitions` are the last twenty that this owner made: those of an owner before it are not known. `gathercue inspect` prints the same.",
      )
      .annotate(Example, { response: inspection }),
  )
  .add(
    HttpApiEndpoint.post("promotePlatform", "/v1/platform/promote", {
      payload: Schema.Struct({
        discardWaiting: Schema.optionalKey(Schema.Boolean).annotate({
          description: "What the original may have sent is discarded: deliveries are skipped, and emails are gone.",
        }),
      }).annotate(named("PromotePlatform")),
      success: Promotion,
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OptionalBody, true)
      .annotate(OpenApi.Summary, "Say that a copy of the database is the real one, so that its servers send again")
      .annotate(
        OpenApi.Description,
        "A server on a copy of a database (a restored backup, another address) is quiet: it sends no webhooks and no emails, does not control the media server and removes no media. All of that waits. After this call all servers on the database send within two seconds. `copied` counts what was there when the copy was first started, and waited. A repeat does nothing.",
      )
      .annotate(Example, {
        request: { discardWaiting: true },
        response: { wasQuiet: true, copied: platformStatus.quiet.copied },
      }),
  )
  .add(
    HttpApiEndpoint.get("getPlatformSettings", "/v1/platform/settings", {
      success: Settings,
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OpenApi.Summary, "Every key of the configuration with the value in force, without secrets")
      .annotate(
        OpenApi.Description,
        "The settings of the process that answers: `value` is what was given, or the default where `isSet` is false. Secrets, and credentials within addresses, are masked.",
      )
      .annotate(Example, {
        response: {
          node: "n1",
          settings: [
            { name: "SMTP_URL", value: "(masked)", isSet: true },
            { name: "LOG_LEVEL", value: "info", isSet: false },
          ],
        },
      }),
  )
  .add(
    HttpApiEndpoint.post("testMail", "/v1/platform/mail-test", {
      payload: Schema.Struct({ to: Email }),
      success: MailTest,
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(ReadsOnly, true)
      .annotate(OpenApi.Summary, "Send an email to this address at once, and say whether the mail server took it")
      .annotate(
        OpenApi.Description,
        "The email goes to the mail server of `SMTP_URL` on a connection of its own, past the emails that wait. The answer comes within 15 seconds; `problem` is a sentence with the server's own words. 409 where `SMTP_URL` is unset, and while the database is a copy.",
      )
      .annotate(Example, {
        request: { to: "ada@example.com" },
        response: {
          problem: "The mail server mail.example.com:587 refuses the user or the password of SMTP_URL.",
          durationMs: 412,
        },
      }),
  )
  .add(
    HttpApiEndpoint.post("testWebhook", "/v1/platform/webhook-test", {
      payload: Schema.Struct({ url: Url }),
      success: WebhookTest,
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(ReadsOnly, true)
      .annotate(OpenApi.Summary, "Send a signed `ping` to any address that may be called, and say what came of it")
      .annotate(
        OpenApi.Description,
        "The rules and limits are those of deliveries, with one try: only public addresses by https, no redirects, ten seconds. The body is a `ping` whose `workspaceId` and `webhookId` are nil UUIDs. Nothing of the answer's body is shown. 409 while the database is a copy.",
      )
      .annotate(Example, {
        request: { url: "https://hooks.example.com/gathercue" },
        response: {
          status: 204,
          problem: null,
          durationMs: 83,
          secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
        },
      }),
  )
  .add(
    HttpApiEndpoint.get("getPlatformLog", "/v1/platform/log", {
      query: {
        level: Schema.optionalKey(Schema.Literals(["info", "warn", "error"])).annotateKey({
          description: "The least level; `info` when absent.",
          examples: ["warn"],
        }),
        after: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MOST }))).annotateKey({
          description: "Only lines after the one with this `number`, of the same `node`.",
          examples: [4711],
        }),
      },
      success: LogTail,
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OpenApi.Summary, "The newest lines of the log of the process that answers")
      .annotate(
        OpenApi.Description,
        "At most 500 lines, oldest first. Kept are the last 500 lines of level `info` and the last 500 above it, in memory; each process has its own, so ask each one by its own address. `LOG_LEVEL` decides what is written at all. Secrets of the configuration are masked.",
      )
      .annotate(Example, {
        response: {
          node: "n1",
          lines: [
            {
              number: 4712,
              at: "2026-11-20T18:29:00.000Z",
              level: "warn",
              message: "an email was not taken",
              fields: { attempt: 1, reason: "MailNotSent: ESOCKET mail.example.com:587" },
            },
          ],
        },
      }),
  )
  .annotate(OpenApi.Description, "For the operator of the deployment.")
