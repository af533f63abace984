/** The deployment as its operator sees it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../model/ids.ts"
import { Inspection } from "../../model/live/inspection.ts"
import { named } from "../../model/named.ts"
import { Instant } from "../../model/timestamp.ts"
import { EndpointAccess, ReadsOnly } from "./access.ts"
import { Email } from "./accounts/accounts.ts"
import { OptionalBody, PathId } from "./endpoint.ts"
import { COMMON, problems, WITH_BODY } from "./problem.ts"
import { Url } from "./workspaces/webhooks.ts"

const MOST = Number.MAX_SAFE_INTEGER

const Waiting = Schema.Struct({
  count: Schema.Int,
  /** Seconds since the oldest try was due; 0 when none is. */
  overdueSeconds: Schema.Int,
}).annotate(named("PlatformBacklog"))

/** The deliveries and letters that waited before the copy was first started: the original may have sent them. */
const Copied = Schema.Struct({ deliveries: Schema.Int, letters: Schema.Int }).annotate(named("PlatformCopied"))

const Backup = Schema.Struct({
  at: Instant,
  /** Of all its files, those too that an earlier backup has stored; null: the build that made it did not note it. */
  bytes: Schema.NullOr(Schema.Int),
}).annotate(named("PlatformBackup"))

export const PlatformStatus = Schema.Struct({
  release: Schema.String,
  at: Instant,
  /** The database is a copy, and nothing is sent to others; null: it is the real one. */
  quiet: Schema.NullOr(
    Schema.Struct({ since: Instant, signs: Schema.Array(Schema.String), copied: Copied }).annotate(
      named("PlatformQuiet"),
    ),
  ),
  /** The server's own; null: it speaks no TLS itself. */
  certificate: Schema.NullOr(
    Schema.Struct({
      names: Schema.Array(Schema.String),
      /** Null: there is none yet. */
      endsAt: Schema.NullOr(Instant),
      /** Why the last try to get one failed; null: it did not. */
      problem: Schema.NullOr(Schema.String),
    }).annotate(named("PlatformCertificate")),
  ),
  /** Of the embedded database; backups that PostgreSQL's own tools make are not known. */
  backups: Schema.Struct({
    /** `BACKUP_TO`; null: no backup is made by itself. */
    to: Schema.NullOr(Schema.String),
    /** The last one to a bucket. */
    last: Schema.NullOr(Backup),
    /** When the next one is made or tried; null: the server makes none. */
    nextAt: Schema.NullOr(Instant),
    /** The last try of the server, if it failed. */
    failure: Schema.NullOr(
      Schema.Struct({ at: Instant, problem: Schema.String }).annotate(named("PlatformBackupFailure")),
    ),
    /** The last one to a folder, by `gathercue backup`. */
    folder: Schema.NullOr(Backup),
  }).annotate(named("PlatformBackups")),
  /** The process that answers. */
  process: Schema.Struct({
    node: Schema.String,
    sockets: Schema.Int,
    liveEvents: Schema.Int,
    uptimeSeconds: Schema.Int,
    memoryBytes: Schema.Int,
  }).annotate(named("PlatformProcess")),
  /** Empty where one process runs alone. */
  nodes: Schema.Array(
    Schema.Struct({ address: Schema.String, node: Schema.String, isLiving: Schema.Boolean }).annotate(
      named("PlatformNode"),
    ),
  ),
  liveEvents: Schema.Struct({
    total: Schema.Int,
    /** The newest hundred. */
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
  /** The workspaces that take most of what all share. Uploads and encoders are those of the process that answers. */
  shares: Schema.Array(
    Schema.Struct({
      workspaceId: Uuid,
      workspaceSlug: Schema.String,
      uploads: Schema.Int,
      encoders: Schema.Int,
      jobsWaiting: Schema.Int,
      /** Lately: half of it is forgotten every half an hour. */
      jobSeconds: Schema.Finite,
      bytes: Schema.Int,
    }).annotate(named("PlatformShare")),
  ),
  /** The ten workspaces, keys and events with most requests and commands in the last minutes, as the process that answers counts them. */
  busiest: Schema.Struct({
    /** The time for which was counted, up to five minutes. */
    seconds: Schema.Int,
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
  /** Webhook endpoints that fail, by the origin of their address. */
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
  /** False: nothing was to be done. */
  wasQuiet: Schema.Boolean,
  copied: Copied,
}).annotate(named("PlatformPromotion"))

const Settings = Schema.Struct({
  /** The process that answers. */
  node: Schema.String,
  settings: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** A secret is masked; of a key that is not set, its default. */
      value: Schema.String,
      isSet: Schema.Boolean,
    }).annotate(named("PlatformSetting")),
  ),
}).annotate(named("PlatformSettings"))

const problem = Schema.NullOr(Schema.String)

const MailTest = Schema.Struct({
  /** Why the mail server did not take the letter; null: it did. */
  problem,
  durationMs: Schema.Int,
}).annotate(named("PlatformMailTest"))

const WebhookTest = Schema.Struct({
  /** The status of the answer; null: there was no answer. */
  status: Schema.NullOr(Schema.Int),
  /** Why the address did not take the ping; null: it did. */
  problem,
  durationMs: Schema.Int,
  /** The signing secret, which was made for this ping. */
  secret: Schema.String,
}).annotate(named("PlatformWebhookTest"))

const LogTail = Schema.Struct({
  /** The process that answers, and whose lines these are. */
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
      ),
  )
  .add(
    HttpApiEndpoint.get("inspectEvent", "/v1/platform/events/:id/inspection", {
      params: PathId,
      success: Inspection,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OpenApi.Summary, "The states of an event's chart, what it waits for, and its last transitions"),
  )
  .add(
    HttpApiEndpoint.post("promotePlatform", "/v1/platform/promote", {
      payload: Schema.Struct({
        discardWaiting: Schema.optionalKey(Schema.Boolean).annotate({
          description: "What the original may have sent is discarded: deliveries are skipped, and letters are gone.",
        }),
      }).annotate(named("PromotePlatform")),
      success: Promotion,
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OptionalBody, true)
      .annotate(OpenApi.Summary, "Say that a copy of the database is the real one, so that its servers send again"),
  )
  .add(
    HttpApiEndpoint.get("getPlatformSettings", "/v1/platform/settings", {
      success: Settings,
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(OpenApi.Summary, "Every key of the configuration with the value in force, without secrets"),
  )
  .add(
    HttpApiEndpoint.post("testMail", "/v1/platform/mail-test", {
      payload: Schema.Struct({ to: Email }),
      success: MailTest,
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(ReadsOnly, true)
      .annotate(OpenApi.Summary, "Send a letter to this address at once, and say whether the mail server took it"),
  )
  .add(
    HttpApiEndpoint.post("testWebhook", "/v1/platform/webhook-test", {
      payload: Schema.Struct({ url: Url }),
      success: WebhookTest,
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "platform")
      .annotate(ReadsOnly, true)
      .annotate(OpenApi.Summary, "Send a signed `ping` to any address that may be called, and say what came of it"),
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
      .annotate(OpenApi.Summary, "The newest lines of the log of the process that answers"),
  )
  .annotate(OpenApi.Description, "For the operator of the deployment.")
