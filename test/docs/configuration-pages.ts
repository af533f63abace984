/** The pages of the configuration: every key of the sources, in chapters. */
import { CONFIG_KEYS } from "../../src/config/keys.ts"
import { pageOf, table } from "./tables.ts"

type KeyName = (typeof CONFIG_KEYS)[number]["name"]
type Chapter = readonly [title: string, keys: ReadonlyArray<KeyName>]

/** The chapters of each page. Every key of the sources is in one of them, which a test checks. */
export const CHAPTERS = {
  configuration: [
    [
      "Addresses and certificate",
      [
        "NODE_ENV",
        "HOST",
        "PORT",
        "PUBLIC_URL",
        "APP_URL",
        "WEB",
        "EMBED_ORIGINS",
        "TRUSTED_PROXIES",
        "ACME_DOMAINS",
        "ACME_TERMS",
        "ACME_EMAIL",
        "ACME_DIRECTORY",
        "ACME_HTTP_PORT",
      ],
    ],
    ["Secrets", ["SECRET_KEY", "SECRET_KEYS_OLD", "PLATFORM_KEY", "METRICS_TOKEN", "SECURITY_CONTACT"]],
    [
      "Accounts and email",
      [
        "SIGNUP",
        "WORKSPACES_PER_ACCOUNT",
        "IDP_ISSUER",
        "IDP_CLIENT_ID",
        "IDP_CLIENT_SECRET",
        "SMTP_URL",
        "MAIL_FROM",
        "MAIL_PER_WORKSPACE_PER_DAY",
      ],
    ],
    ["Help chat and summaries", ["HELP_LLM_URL", "HELP_LLM_MODEL", "HELP_LLM_KEY"]],
    [
      "Events and limits",
      [
        "EVENT_DEFAULT_CAPACITY",
        "ACTOR_MAILBOX",
        "PRESENCE_GRACE_MS",
        "GATEWAY_HISTORY_MS",
        "GATEWAY_HISTORY_ENTRIES",
        "SOCKETS_PER_ADDRESS",
        "VENUE_ADDRESSES",
        "VENUE_FACTOR",
        "WEBHOOK_RETRY_SCHEDULE",
        "WEBHOOK_CONCURRENCY",
      ],
    ],
    [
      "Logs and traces",
      [
        "LOG_LEVEL",
        "ACCESS_LOG",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_SERVICE_NAME",
        "OTEL_TRACES_SAMPLER_ARG",
      ],
    ],
    ["Development", ["ALLOW_LOOPBACK_TARGETS", "INSPECT"]],
  ],
  "configuration-media": [
    [
      "Calls",
      [
        "MESH_MAX_PEERS",
        "MEDIA_PORT",
        "MEDIA_ADDRESSES",
        "MEDIA_MAX_PEERS",
        "ICE_SERVERS",
        "TURN_SECRET",
        "RTC_POLICY",
        "MEDIA_URL",
        "MEDIA_API_KEY",
        "MEDIA_API_SECRET",
      ],
    ],
    [
      "Broadcasts",
      [
        "BROADCAST_INGEST",
        "BROADCAST_STAGE",
        "BROADCAST_INGESTS",
        "BROADCAST_INGESTS_PER_WORKSPACE",
        "BROADCAST_MAX_KBPS",
        "BROADCAST_MAX_HOURS",
        "PLAYBACK_URL_TEMPLATE",
        "CDN_URL",
      ],
    ],
    [
      "Recordings",
      [
        "MEDIA_RECORDER",
        "FFMPEG_PATH",
        "TRANSCRIBE_URL",
        "TRANSCRIBE_MODEL",
        "TRANSCRIBE_KEY",
        "MEDIA_MAX_BYTES",
        "MEDIA_QUOTA_BYTES",
        "MEDIA_QUOTA_BYTES_PER_FOUNDER",
        "MEDIA_MIN_FREE_BYTES",
        "MEDIA_UPLOADS",
        "MEDIA_RETENTION_DAYS",
        "HISTORY_RETENTION_DAYS",
      ],
    ],
    ["S3", ["S3_URL", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"]],
  ],
  "configuration-data": [
    ["Database", ["DATA_DIR", "DATABASE_URL", "DATABASE_POOL", "DATABASE_WAITING", "DATABASE_DEADLINE_MS"]],
    [
      "Backups and copies",
      [
        "BACKUP_TO",
        "BACKUP_EVERY_HOURS",
        "BACKUP_KEEP",
        "BACKUP_S3_URL",
        "BACKUP_S3_REGION",
        "BACKUP_S3_ACCESS_KEY_ID",
        "BACKUP_S3_SECRET_ACCESS_KEY",
        "QUIET",
      ],
    ],
    [
      "Workers and nodes",
      [
        "WORKERS",
        "ADMIN_PORT",
        "CLUSTER_ADDRESS",
        "CLUSTER_SECRET",
        "CLUSTER_SECRET_OTHER",
        "NATS_URL",
        "NODE_LOST_MS",
        "DRAIN_DELAY_MS",
      ],
    ],
  ],
} as const satisfies { readonly [page: string]: ReadonlyArray<Chapter> }

const ABOUT =
  "All settings come from the environment or from files (`--env-file`). Values that cannot be used stop the start, with one sentence for each key. `gathercue --help` prints every key with its default."
const OTHERS =
  "More keys: [media](configuration-media.md), [data and nodes](configuration-data.md). The environment may also set `UWS_HTTP_MAX_HEADERS_SIZE`, the limit in bytes of a request's line and headers together (4096)."
const BACK = "[Configuration](configuration.md) has the other keys, and how they are set."

const chapter = ([title, names]: Chapter): string => {
  const rows = names.flatMap((name) => CONFIG_KEYS.filter((key) => key.name === name))
  return `## ${title}\n\n${table(
    ["key", "default", "meaning"],
    rows.map(({ name, fallback, doc }) => [`\`${name}\``, fallback, doc]),
  )}`
}

export const CONFIGURATION_PAGES = {
  configuration: pageOf("Configuration", `${ABOUT} ${OTHERS}`, CHAPTERS.configuration.map(chapter)),
  "configuration-media": pageOf("Configuration: media", BACK, CHAPTERS["configuration-media"].map(chapter)),
  "configuration-data": pageOf("Configuration: data and nodes", BACK, CHAPTERS["configuration-data"].map(chapter)),
}
