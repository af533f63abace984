/** Parser of each environment key: its rule as a schema, and its default. No message holds the value of a secret. */
import { isIP } from "node:net"
import { availableParallelism } from "node:os"
import { Config, Redacted, Schema } from "effect"
import { FEWEST_KEY_CHARACTERS } from "../crypto/secret-key.ts"
import { SSL_MODES, splitTls } from "../model/database-address.ts"
import { parseTrustedProxies } from "../model/limits/client-address.ts"
import { isIceUrl } from "../model/media/ice-url.ts"
import { isPlaybackTemplate } from "../model/media/playback-url.ts"
import { lowerAscii } from "../model/text/compared.ts"
import { CONFIG_KEYS, type KeyName } from "./keys.ts"
import {
  anything,
  integer,
  isOrigin,
  isUrl,
  literals,
  numberFrom,
  optional,
  redacted,
  required,
  secret,
  shownText,
  text,
  url,
  urlWithPassword,
  wholeNumber,
} from "./setting-kinds.ts"

const MOST_SECRETS = 8

const partsOf = (value: string): ReadonlyArray<string> => value.split(",").map((part) => part.trim())

const isSecretList = (value: string): boolean => {
  const parts = partsOf(value)
  return parts.length <= MOST_SECRETS && parts.every(({ length }) => length >= FEWEST_KEY_CHARACTERS)
}

/** Comma-separated secrets. */
const secrets = (name: KeyName): Config.Config<ReadonlyArray<Redacted.Redacted<string>>> =>
  Config.map(
    redacted(
      name,
      text(
        `must be at most ${MOST_SECRETS} comma separated keys of at least ${FEWEST_KEY_CHARACTERS} characters each`,
        isSecretList,
      ),
    ),
    (list) => (list === null ? [] : partsOf(Redacted.value(list)).map((part) => Redacted.make(part))),
  )

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

const isIssuer = (value: string): boolean =>
  isUrl(value, ["https:"]) || (isUrl(value, ["http:"]) && LOOPBACK.has(new URL(value).hostname))

/** Excludes a user in the address, because a secret has its own key. */
const isBareUrl = (value: string): boolean => {
  if (!isUrl(value, ["http:", "https:"])) return false
  const { search, hash, username, password } = new URL(value)
  return [search, hash, username, password].every((part) => part === "")
}

const isProxyList = (value: string): boolean => {
  try {
    parseTrustedProxies(value)
    return true
  } catch {
    return false
  }
}

/** Splits `host:port`; a literal IPv6 address is in brackets. */
const nodeAddress = (value: string): { readonly host: string; readonly port: number } => {
  const at = value.lastIndexOf(":")
  return { host: value.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(value.slice(at + 1)) }
}

/** The address of all interfaces is useless to other nodes. */
const isNodeAddress = (value: string): boolean => {
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z\d._-]+):\d+$/i.test(value)) return false
  const { host, port } = nodeAddress(value)
  return port > 0 && port <= 65_535 && host !== "0.0.0.0" && host !== "::"
}

const MOST_WORKERS = 64

const isWorkers = (value: string): boolean =>
  value === "auto" || (/^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= MOST_WORKERS)

const isPort = (value: string): boolean => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535

const isNatsList = (value: string): boolean => {
  const urls = value.split(",").map((part) => part.trim())
  if (!urls.every((part) => isUrl(part, ["nats:", "tls:"]))) return false
  const users = urls.flatMap((part) => {
    const { username, password } = new URL(part)
    return username === "" ? [] : [`${username}:${password}`]
  })
  return new Set(users).size <= 1
}

const MOST_ICE_URLS = 8

const listed = (value: string): ReadonlyArray<string> =>
  value.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))

const MOST_NAMES = 20

/** The challenge HTTP-01 proves neither wildcards nor IP addresses. */
const isNameList = (value: string): boolean =>
  listed(value).length <= MOST_NAMES &&
  listed(value).every(
    (name) => name.length < 254 && /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]+$/i.test(name),
  )

const isOriginList = (value: string): boolean =>
  listed(value).every((origin) => isUrl(origin, ["https:", "http:"]) && new URL(origin).pathname === "/")

const isAddressList = (value: string): boolean => listed(value).every((address) => isIP(address) !== 0)

const isIceList = (value: string): boolean => {
  const urls = listed(value)
  return urls.length <= MOST_ICE_URLS && urls.every(isIceUrl)
}

const isRetrySchedule = (value: string): boolean => {
  const seconds = value.split(",").map((part) => part.trim())
  return seconds.length <= 30 && seconds.every((part) => /^\d+(\.\d+)?$/.test(part) && Number(part) <= 604_800)
}

const retryDelays = (value: string): ReadonlyArray<number> => value.split(",").map(Number)

const RETRY_SCHEDULE = CONFIG_KEYS.find(({ name }) => name === "WEBHOOK_RETRY_SCHEDULE")?.fallback ?? ""

const HEADER = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*([^,]*)$/

const decodedHeader = (pair: string): readonly [name: string, value: string] | undefined => {
  const [, name, value = ""] = HEADER.exec(pair) ?? []
  if (name === undefined) return undefined
  try {
    const decoded = decodeURIComponent(value.trim())
    return /^[\t\x20-\x7e]*$/.test(decoded) ? [lowerAscii(name), decoded] : undefined
  } catch {
    return undefined
  }
}

const isHeaderList = (value: string): boolean => value.split(",").every((pair) => decodedHeader(pair) !== undefined)

const headersIn = (list: string): ReadonlyArray<readonly [name: string, value: Redacted.Redacted<string>]> =>
  list.split(",").flatMap((pair) => {
    const header = decodedHeader(pair)
    return header === undefined ? [] : [[header[0], Redacted.make(header[1])] as const]
  })

export const SETTINGS = {
  NODE_ENV: required("NODE_ENV", literals(["production", "development", "test"]), "development"),
  HOST: anything("HOST", "127.0.0.1"),
  PORT: integer("PORT", 8080, 0, 65_535),
  ACME_DOMAINS: Config.map(
    required("ACME_DOMAINS", text("must be at most 20 comma separated names such as live.example.com", isNameList), ""),
    (value) => [...new Set(listed(lowerAscii(value)))],
  ),
  ACME_TERMS: optional("ACME_TERMS", literals(["agreed"])),
  ACME_EMAIL: optional(
    "ACME_EMAIL",
    shownText("must be an e-mail address", (value) => /^[^\s@:]+@[^\s@]+$/.test(value)),
  ),
  ACME_DIRECTORY: required("ACME_DIRECTORY", url("https:"), "https://acme-v02.api.letsencrypt.org/directory"),
  ACME_HTTP_PORT: integer("ACME_HTTP_PORT", 80, 1, 65_535),
  PUBLIC_URL: Config.map(
    optional("PUBLIC_URL", text("must be an http:// or https:// address without a path", isOrigin)),
    (value) => value?.replace(/\/+$/, "") ?? null,
  ),
  APP_URL: optional("APP_URL", url("http:", "https:")),
  SMTP_URL: redacted("SMTP_URL", urlWithPassword("smtp:", "smtps:")),
  MAIL_FROM: required(
    "MAIL_FROM",
    text("must be an e-mail address", (value) => !/[\r\n]/.test(value) && value.includes("@")),
    "Gathercue <no-reply@localhost>",
  ),
  MAIL_PER_WORKSPACE_PER_DAY: integer("MAIL_PER_WORKSPACE_PER_DAY", 200, 0, 1_000_000),
  IDP_ISSUER: Config.map(optional("IDP_ISSUER", text("must be an https:// address", isIssuer)), (issuer) =>
    issuer === null ? null : issuer.replace(/\/+$/, ""),
  ),
  IDP_CLIENT_ID: optional("IDP_CLIENT_ID", Schema.String),
  IDP_CLIENT_SECRET: redacted("IDP_CLIENT_SECRET", Schema.String),
  HELP_LLM_URL: optional("HELP_LLM_URL", url("https:", "http:")),
  HELP_LLM_MODEL: anything("HELP_LLM_MODEL", "default"),
  HELP_LLM_KEY: redacted("HELP_LLM_KEY", Schema.String),
  MEDIA_URL: optional("MEDIA_URL", url("wss:", "ws:")),
  MEDIA_API_KEY: optional("MEDIA_API_KEY", Schema.String),
  MEDIA_API_SECRET: redacted("MEDIA_API_SECRET", Schema.String),
  WEB: required("WEB", literals(["on", "off"]), "on"),
  EMBED_ORIGINS: Config.map(
    required(
      "EMBED_ORIGINS",
      text("must be comma separated origins such as https://www.example.com", isOriginList),
      "",
    ),
    (given) => listed(given).map((origin) => new URL(origin).origin),
  ),
  MESH_MAX_PEERS: integer("MESH_MAX_PEERS", 6, 2, 6),
  /** Null means the default of `calls.ts`, which depends on other keys. */
  MEDIA_PORT: optional("MEDIA_PORT", wholeNumber(0, 65_535)),
  MEDIA_ADDRESSES: Config.map(
    required("MEDIA_ADDRESSES", text("must be comma separated IP addresses", isAddressList), ""),
    listed,
  ),
  MEDIA_MAX_PEERS: integer("MEDIA_MAX_PEERS", 25, 2, 50),
  ICE_SERVERS: Config.map(
    required(
      "ICE_SERVERS",
      text(`must be at most ${MOST_ICE_URLS} comma separated stun:, stuns:, turn: or turns: addresses`, isIceList),
      "",
    ),
    listed,
  ),
  TURN_SECRET: redacted("TURN_SECRET", Schema.String),
  RTC_POLICY: required("RTC_POLICY", literals(["all", "relay"]), "all"),
  PLAYBACK_URL_TEMPLATE: optional(
    "PLAYBACK_URL_TEMPLATE",
    text(
      "must be an https:// address with {broadcastId}, and at most {eventId} and {phaseId} beside it",
      isPlaybackTemplate,
    ),
  ),
  BROADCAST_INGEST: required("BROADCAST_INGEST", literals(["on", "off"]), "on"),
  BROADCAST_STAGE: required("BROADCAST_STAGE", literals(["on", "off"]), "on"),
  FFMPEG_PATH: optional("FFMPEG_PATH", Schema.String),
  CDN_URL: optional("CDN_URL", url("http:", "https:")),
  BROADCAST_INGESTS: integer("BROADCAST_INGESTS", 8, 1, 256),
  BROADCAST_INGESTS_PER_WORKSPACE: integer("BROADCAST_INGESTS_PER_WORKSPACE", 0, 0, 256),
  BROADCAST_MAX_KBPS: integer("BROADCAST_MAX_KBPS", 8000, 64, 100_000),
  BROADCAST_MAX_HOURS: integer("BROADCAST_MAX_HOURS", 12, 1, 24),
  MEDIA_RECORDER: optional("MEDIA_RECORDER", literals(["external"])),
  TRANSCRIBE_URL: optional(
    "TRANSCRIBE_URL",
    text("must be an http:// or https:// address without a query or a user", isBareUrl).pipe(
      Schema.decodeTo(url("https:", "http:")),
    ),
  ),
  TRANSCRIBE_MODEL: anything("TRANSCRIBE_MODEL", "whisper-1"),
  TRANSCRIBE_KEY: redacted("TRANSCRIBE_KEY", Schema.String),
  MEDIA_MAX_BYTES: integer("MEDIA_MAX_BYTES", 5 * 1024 ** 3, 0, 1024 ** 4),
  MEDIA_QUOTA_BYTES: integer("MEDIA_QUOTA_BYTES", 50 * 1024 ** 3, 0, 1024 ** 5),
  MEDIA_QUOTA_BYTES_PER_FOUNDER: integer("MEDIA_QUOTA_BYTES_PER_FOUNDER", 500 * 1024 ** 3, 0, 1024 ** 5),
  MEDIA_MIN_FREE_BYTES: integer("MEDIA_MIN_FREE_BYTES", 1024 ** 3, 0, 1024 ** 4),
  MEDIA_UPLOADS: integer("MEDIA_UPLOADS", 4, 1, 64),
  MEDIA_RETENTION_DAYS: integer("MEDIA_RETENTION_DAYS", 0, 0, 36_500),
  HISTORY_RETENTION_DAYS: integer("HISTORY_RETENTION_DAYS", 90, 1, 36_500),
  S3_URL: optional("S3_URL", text("must be an http:// or https:// address without a query", isBareUrl)),
  S3_REGION: anything("S3_REGION", "us-east-1"),
  S3_ACCESS_KEY_ID: optional("S3_ACCESS_KEY_ID", Schema.String),
  S3_SECRET_ACCESS_KEY: redacted("S3_SECRET_ACCESS_KEY", Schema.String),
  TRUSTED_PROXIES: Config.map(
    required("TRUSTED_PROXIES", text("must be comma separated addresses or CIDR blocks", isProxyList), ""),
    parseTrustedProxies,
  ),
  VENUE_ADDRESSES: Config.map(
    required("VENUE_ADDRESSES", text("must be comma separated addresses or CIDR blocks", isProxyList), ""),
    parseTrustedProxies,
  ),
  VENUE_FACTOR: integer("VENUE_FACTOR", 20, 1, 1000),
  DATA_DIR: anything("DATA_DIR", ".data"),
  DATABASE_URL: redacted(
    "DATABASE_URL",
    text(`must have an sslmode of ${SSL_MODES.join(", ")}, or none`, (value) => splitTls(value) !== undefined).pipe(
      Schema.decodeTo(urlWithPassword("postgres:", "postgresql:")),
    ),
  ),
  DATABASE_POOL: integer("DATABASE_POOL", 10, 2, 100),
  DATABASE_WAITING: integer("DATABASE_WAITING", 500, 10, 900),
  DATABASE_DEADLINE_MS: integer("DATABASE_DEADLINE_MS", 5000, 500, 60_000),
  CLUSTER_ADDRESS: Config.map(
    optional("CLUSTER_ADDRESS", shownText("must be host:port, as the other nodes reach it", isNodeAddress)),
    (value) => (value === null ? null : nodeAddress(value)),
  ),
  CLUSTER_SECRET: secret("CLUSTER_SECRET"),
  CLUSTER_SECRET_OTHER: secret("CLUSTER_SECRET_OTHER"),
  NATS_URL: redacted(
    "NATS_URL",
    text("must be comma separated addresses that start with nats:// or tls://, with one user at most", isNatsList),
  ),
  WORKERS: Config.map(
    required("WORKERS", shownText(`must be a whole number from 1 to ${MOST_WORKERS}, or auto`, isWorkers), "1"),
    (value) => (value === "auto" ? Math.max(1, availableParallelism() - 1) : Number(value)),
  ),
  ADMIN_PORT: Config.map(
    optional("ADMIN_PORT", shownText("must be a whole number from 1 to 65535", isPort)),
    (value) => (value === null ? null : Number(value)),
  ),
  NODE_LOST_MS: integer("NODE_LOST_MS", 6000, 1000, 60_000),
  DRAIN_DELAY_MS: integer("DRAIN_DELAY_MS", 0, 0, 60_000),
  BACKUP_TO: optional(
    "BACKUP_TO",
    text("must be s3://bucket/prefix", (value) => /^s3:\/\/[a-z0-9][a-z0-9.-]+(?:\/[\w.-]+)+\/?$/.test(value)),
  ),
  BACKUP_EVERY_HOURS: integer("BACKUP_EVERY_HOURS", 24, 1, 720),
  BACKUP_KEEP: integer("BACKUP_KEEP", 14, 1, 1000),
  BACKUP_S3_URL: optional("BACKUP_S3_URL", text("must be an http:// or https:// address without a query", isBareUrl)),
  BACKUP_S3_REGION: optional("BACKUP_S3_REGION", Schema.String),
  BACKUP_S3_ACCESS_KEY_ID: optional("BACKUP_S3_ACCESS_KEY_ID", Schema.String),
  BACKUP_S3_SECRET_ACCESS_KEY: redacted("BACKUP_S3_SECRET_ACCESS_KEY", Schema.String),
  QUIET: Config.map(required("QUIET", literals(["true", "false"]), "false"), (value) => value === "true"),
  SECRET_KEY: secret("SECRET_KEY"),
  SECRET_KEYS_OLD: secrets("SECRET_KEYS_OLD"),
  SIGNUP: required("SIGNUP", literals(["open", "invited", "off"]), "open"),
  WORKSPACES_PER_ACCOUNT: integer("WORKSPACES_PER_ACCOUNT", 20, 0, 100_000),
  PLATFORM_KEY: secret("PLATFORM_KEY"),
  ACCESS_LOG: required("ACCESS_LOG", literals(["on", "addresses", "off"]), "on"),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional("OTEL_EXPORTER_OTLP_ENDPOINT", url("http:", "https:")),
  OTEL_EXPORTER_OTLP_HEADERS: Config.map(
    redacted(
      "OTEL_EXPORTER_OTLP_HEADERS",
      text("must be comma separated name=value, with percent-encoded values", isHeaderList),
    ),
    (list) => (list === null ? [] : headersIn(Redacted.value(list))),
  ),
  OTEL_SERVICE_NAME: anything("OTEL_SERVICE_NAME", "gathercue"),
  OTEL_TRACES_SAMPLER_ARG: required(
    "OTEL_TRACES_SAMPLER_ARG",
    numberFrom(shownText("must be a number from 0 to 1", (value) => /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value))),
    1,
  ),
  LOG_LEVEL: required("LOG_LEVEL", literals(["trace", "debug", "info", "warn", "error", "fatal", "silent"]), "info"),
  /** Delays in seconds. */
  WEBHOOK_RETRY_SCHEDULE: Config.map(
    required(
      "WEBHOOK_RETRY_SCHEDULE",
      text("must be at most 30 comma separated numbers of seconds, each at most 604800", isRetrySchedule),
      RETRY_SCHEDULE,
    ),
    retryDelays,
  ),
  WEBHOOK_CONCURRENCY: integer("WEBHOOK_CONCURRENCY", 64, 1, 1000),
  PRESENCE_GRACE_MS: integer("PRESENCE_GRACE_MS", 0, 0, 60_000),
  GATEWAY_HISTORY_MS: integer("GATEWAY_HISTORY_MS", 120_000, 1000, 3_600_000),
  GATEWAY_HISTORY_ENTRIES: integer("GATEWAY_HISTORY_ENTRIES", 1000, 10, 100_000),
  SOCKETS_PER_ADDRESS: integer("SOCKETS_PER_ADDRESS", 10_000, 10, 1_000_000),
  ACTOR_MAILBOX: integer("ACTOR_MAILBOX", 1024, 1, 100_000),
  EVENT_DEFAULT_CAPACITY: integer("EVENT_DEFAULT_CAPACITY", 1000, 1, 100_000),
  METRICS_TOKEN: secret("METRICS_TOKEN"),
  SECURITY_CONTACT: optional(
    "SECURITY_CONTACT",
    shownText("must start with mailto: or https://", (value) =>
      /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(value),
    ),
  ),
  INSPECT: Config.map(
    optional(
      "INSPECT",
      shownText("must be 1 or a ws:// address", (value) => value === "1" || isUrl(value, ["ws:"])),
    ),
    (value) => (value === "1" ? "ws://127.0.0.1:8090" : value),
  ),
  /** Null means true outside production. */
  ALLOW_LOOPBACK_TARGETS: Config.map(optional("ALLOW_LOOPBACK_TARGETS", literals(["true", "false"])), (value) =>
    value === null ? null : value === "true",
  ),
} as const satisfies { readonly [N in KeyName]: Config.Config<unknown> }
