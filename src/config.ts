/**
 * Configuration: the one reader of the environment. Each key has one row here with its default, its meaning and its check;
 * the README's table and the startup print come from the same rows. Secrets are `Redacted`, so that none is ever printed.
 */
import { resolve } from "node:path"
import { Redacted } from "effect"
import { parseTrustedProxies, type TrustedProxies } from "./model/client-address.ts"
import { isPlaybackTemplate } from "./model/playback-url.ts"
import { FEWEST_KEY_CHARACTERS, keptSecretKey, SecretKeyUnusable } from "./secret-key.ts"

/** A setting that cannot be used. The message is one sentence that names the key. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid"
}

export interface Config {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** `null`: derived from the address that is listened on. */
  readonly publicUrl: string | null
  readonly dataDir: string
  /** `null`: the address that clients use. */
  readonly appUrl: string | null
  /** `null`: no mail is sent. */
  readonly smtp: { readonly url: Redacted.Redacted<string>; readonly from: string } | null
  /** OpenID Connect; `null`: nobody signs in through a provider. */
  readonly idp: {
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: Redacted.Redacted<string>
  } | null
  /** `null`: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted<string> | null
  readonly databasePool: number
  /** Requests' statements that may wait for a connection. */
  readonly databaseWaiting: number
  /** For a statement or a transaction. */
  readonly databaseDeadlineMs: number
  readonly secretKey: Redacted.Redacted<string>
  readonly platformKey: Redacted.Redacted<string> | null
  readonly logLevel: string
  readonly webhookRetryDelaysMs: ReadonlyArray<number>
  readonly webhookConcurrency: number
  readonly presenceGraceMs: number
  readonly gatewayHistoryMs: number
  readonly gatewayHistoryEntries: number
  readonly actorMailbox: number
  readonly defaultCapacity: number
  /** Answers the help chat from its passages; `null`: the passages are the answer. */
  readonly helpModel: {
    readonly url: string
    readonly name: string
    readonly key: Redacted.Redacted<string> | null
  } | null
  /** LiveKit; `null`: nobody is given a seat in it. */
  readonly media: {
    readonly url: string
    readonly apiKey: string
    readonly apiSecret: Redacted.Redacted<string>
  } | null
  /** Where broadcasts are watched; `null`: nowhere that we know of. */
  readonly playbackUrlTemplate: string | null
  /** Something outside records what the media of an event is: a media server that we are not told of, or a person. */
  readonly recordsElsewhere: boolean
  /** Whose `x-forwarded-for` is believed. */
  readonly trustedProxies: TrustedProxies
  readonly metricsToken: Redacted.Redacted<string> | null
  /** Webhook targets and key sets of partners may be `http://` on loopback: a development switch. */
  readonly allowLoopbackTargets: boolean
}

interface Key {
  readonly name: string
  readonly fallback: string
  readonly doc: string
  readonly secret?: true
}

/** Every key of the environment that is read, in the order the README lists them. */
export const CONFIG_KEYS = [
  {
    name: "NODE_ENV",
    fallback: "development",
    doc: "`production` is strict: it wants its own `SECRET_KEY`, an https `PUBLIC_URL`, and refuses development switches.",
  },
  { name: "HOST", fallback: "127.0.0.1", doc: "Address to listen on." },
  { name: "PORT", fallback: "8080", doc: "Port of the REST API and the gateway; 0 picks a free one." },
  {
    name: "PUBLIC_URL",
    fallback: "http://HOST:PORT",
    doc: "Base address that clients use; decides cookie names and the URLs in answers.",
  },
  {
    name: "APP_URL",
    fallback: "PUBLIC_URL",
    doc: "Where links in letters lead; by default the pages this server has for them.",
  },
  {
    name: "SMTP_URL",
    fallback: "unset",
    doc: "`smtp://user:password@host:port` or `smtps://…`; without it no mail is sent; outside production links stand in the answers instead.",
    secret: true,
  },
  { name: "MAIL_FROM", fallback: "Gathercue <no-reply@localhost>", doc: "Sender of letters." },
  { name: "IDP_ISSUER", fallback: "unset", doc: "OpenID Connect issuer that accounts may sign in with." },
  {
    name: "IDP_CLIENT_ID",
    fallback: "unset",
    doc: "Client id at the issuer; its redirect URI is `PUBLIC_URL/v1/auth/idp/callback`.",
  },
  { name: "IDP_CLIENT_SECRET", fallback: "unset", doc: "Client secret at the issuer.", secret: true },
  {
    name: "HELP_LLM_URL",
    fallback: "unset",
    doc: "Base address of an OpenAI-compatible model that words the help chat's answers, such as `https://host/v1`.",
  },
  { name: "HELP_LLM_MODEL", fallback: "default", doc: "Name of that model." },
  { name: "HELP_LLM_KEY", fallback: "unset", doc: "Bearer key for that model.", secret: true },
  {
    name: "MEDIA_URL",
    fallback: "unset",
    doc: "Address of a LiveKit server as clients reach it, `wss://…`; with its key and secret participants get seats there.",
  },
  { name: "MEDIA_API_KEY", fallback: "unset", doc: "API key at the LiveKit server." },
  {
    name: "MEDIA_API_SECRET",
    fallback: "unset",
    doc: "API secret at the LiveKit server; signs the seats.",
    secret: true,
  },
  {
    name: "PLAYBACK_URL_TEMPLATE",
    fallback: "unset",
    doc: "Where a broadcast is watched, such as `https://cdn.example/{broadcastId}/index.m3u8`; may hold `{eventId}` and `{phaseId}` too.",
  },
  {
    name: "MEDIA_RECORDER",
    fallback: "unset",
    doc: "`external`: something beside this server records events. Without it and without `MEDIA_URL`, `capture.start` refuses `recording`.",
  },
  {
    name: "TRUSTED_PROXIES",
    fallback: "none",
    doc: "Addresses and CIDR blocks, comma separated, whose `X-Forwarded-For` is believed when requests are counted.",
  },
  { name: "DATA_DIR", fallback: ".data", doc: "Where the embedded database and generated secrets live." },
  {
    name: "DATABASE_URL",
    fallback: "embedded",
    doc: "An external PostgreSQL, 14 or newer (18 is what the tests run on), reached directly and not through a transaction pooler; without it an embedded PostgreSQL 18 runs in `DATA_DIR`.",
    secret: true,
  },
  { name: "DATABASE_POOL", fallback: "10", doc: "Connections to the database, 2 to 100." },
  {
    name: "DATABASE_WAITING",
    fallback: "500",
    doc: "Statements of requests that may wait for a connection, 10 to 900; one more is answered 503 at once, and a new request at half of them.",
  },
  {
    name: "DATABASE_DEADLINE_MS",
    fallback: "5000",
    doc: "How long a statement or transaction may take, with its wait for a connection, before it is given up, 500 to 60000; at most 40 % of it are spent waiting, and the server ends a statement after 54 %.",
  },
  {
    name: "SECRET_KEY",
    fallback: "generated",
    doc: "At least 32 characters; signs tokens and seals webhook secrets. Outside production one is generated once and kept in `DATA_DIR`.",
    secret: true,
  },
  {
    name: "PLATFORM_KEY",
    fallback: "unset",
    doc: "At least 32 characters; lets `x-platform-key` list all workspaces.",
    secret: true,
  },
  { name: "LOG_LEVEL", fallback: "info", doc: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`." },
  {
    name: "WEBHOOK_RETRY_SCHEDULE",
    fallback: "5,30,120,600,1800,7200,21600,43200,86400",
    doc: "Seconds to wait before each retry, comma separated; each gets up to 20 % jitter.",
  },
  {
    name: "WEBHOOK_CONCURRENCY",
    fallback: "64",
    doc: "Webhook requests in flight at once, 1 to 1000; one endpoint gets an eighth of them.",
  },
  {
    name: "PRESENCE_GRACE_MS",
    fallback: "0",
    doc: "How long a participant may be gone before it counts as left, 0 to 60000.",
  },
  {
    name: "GATEWAY_HISTORY_MS",
    fallback: "120000",
    doc: "How far back a reconnecting client is replayed exactly, 1000 to 3600000.",
  },
  {
    name: "GATEWAY_HISTORY_ENTRIES",
    fallback: "1000",
    doc: "At most this many dispatches of one stream are kept for replay, 10 to 100000.",
  },
  {
    name: "ACTOR_MAILBOX",
    fallback: "1024",
    doc: "Commands one live event may queue; one more is answered 503, 1 to 100000.",
  },
  { name: "EVENT_DEFAULT_CAPACITY", fallback: "1000", doc: "Capacity of an event that names none, 1 to 100000." },
  {
    name: "METRICS_TOKEN",
    fallback: "unset",
    doc: "Bearer token for `/metrics`; without one the metrics are open in development and absent in production.",
    secret: true,
  },
  {
    name: "ALLOW_LOOPBACK_TARGETS",
    fallback: "true outside production",
    doc: "Development switch: webhook targets and key sets of partners may be plain http on loopback.",
  },
] as const satisfies ReadonlyArray<Key>

type KeyName = (typeof CONFIG_KEYS)[number]["name"]
type Environment = { readonly [name: string]: string | undefined }

const refuse = (name: KeyName, rule: string): never => {
  throw new ConfigInvalid(`${name} ${rule}.`)
}

const read = (env: Environment, name: KeyName): string | undefined => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? undefined : value
}

const integer = (env: Environment, name: KeyName, fallback: number, minimum: number, maximum: number): number => {
  const text = read(env, name)
  if (text === undefined) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    return refuse(name, `must be a whole number from ${minimum} to ${maximum}, but is "${text}"`)
  }
  return value
}

const oneOf = (env: Environment, name: KeyName, allowed: ReadonlyArray<string>, fallback: string): string => {
  const value = read(env, name) ?? fallback
  return allowed.includes(value) ? value : refuse(name, `must be one of ${allowed.join(", ")}, but is "${value}"`)
}

const url = (env: Environment, name: KeyName, protocols: ReadonlyArray<string>): string | undefined => {
  const text = read(env, name)
  if (text === undefined) return undefined
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    return refuse(name, `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`)
  }
  return text.replace(/\/+$/, "")
}

const secret = (env: Environment, name: KeyName): Redacted.Redacted<string> | null => {
  const text = read(env, name)
  if (text === undefined) return null
  return text.length < FEWEST_KEY_CHARACTERS ? refuse(name, "must have at least 32 characters") : Redacted.make(text)
}

const smtp = (env: Environment): Config["smtp"] => {
  const address = url(env, "SMTP_URL", ["smtp:", "smtps:"])
  const from = read(env, "MAIL_FROM") ?? "Gathercue <no-reply@localhost>"
  if (/[\r\n]/.test(from) || !from.includes("@")) return refuse("MAIL_FROM", "must be an e-mail address")
  return address === undefined ? null : { url: Redacted.make(address), from }
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

const idp = (env: Environment): Config["idp"] => {
  const issuer = url(env, "IDP_ISSUER", ["https:", "http:"])
  if (issuer === undefined) return null
  const { protocol, hostname } = new URL(issuer)
  if (protocol === "http:" && !LOOPBACK.has(hostname)) return refuse("IDP_ISSUER", "must be an https:// address")
  const clientId = read(env, "IDP_CLIENT_ID") ?? refuse("IDP_CLIENT_ID", "must be set beside IDP_ISSUER")
  const secret = read(env, "IDP_CLIENT_SECRET") ?? refuse("IDP_CLIENT_SECRET", "must be set beside IDP_ISSUER")
  return { issuer, clientId, clientSecret: Redacted.make(secret) }
}

const MEDIA_KEYS = ["MEDIA_URL", "MEDIA_API_KEY", "MEDIA_API_SECRET"] as const

const media = (env: Environment): Config["media"] => {
  const given = MEDIA_KEYS.find((name) => read(env, name) !== undefined)
  if (given === undefined) return null
  const needed = (name: KeyName): string => read(env, name) ?? refuse(name, `must be set beside ${given}`)
  return {
    url: url(env, "MEDIA_URL", ["wss:", "ws:"]) ?? needed("MEDIA_URL"),
    apiKey: needed("MEDIA_API_KEY"),
    apiSecret: Redacted.make(needed("MEDIA_API_SECRET")),
  }
}

const recordsElsewhere = (env: Environment): boolean =>
  read(env, "MEDIA_RECORDER") !== undefined && oneOf(env, "MEDIA_RECORDER", ["external"], "external") === "external"

const playbackUrlTemplate = (env: Environment): string | null => {
  const template = read(env, "PLAYBACK_URL_TEMPLATE")
  if (template === undefined) return null
  return isPlaybackTemplate(template)
    ? template
    : refuse(
        "PLAYBACK_URL_TEMPLATE",
        "must be an https:// address with {broadcastId}, and at most {eventId} and {phaseId} beside it",
      )
}

const trustedProxies = (env: Environment): TrustedProxies => {
  try {
    return parseTrustedProxies(read(env, "TRUSTED_PROXIES") ?? "")
  } catch {
    return refuse("TRUSTED_PROXIES", "must be comma separated addresses or CIDR blocks")
  }
}

const helpModel = (env: Environment): Config["helpModel"] => {
  const address = url(env, "HELP_LLM_URL", ["https:", "http:"])
  const key = read(env, "HELP_LLM_KEY")
  if (address === undefined) return null
  return {
    url: address,
    name: read(env, "HELP_LLM_MODEL") ?? "default",
    key: key === undefined ? null : Redacted.make(key),
  }
}

const retryDelays = (env: Environment): ReadonlyArray<number> => {
  const fallback = CONFIG_KEYS.find((key) => key.name === "WEBHOOK_RETRY_SCHEDULE")?.fallback ?? ""
  const seconds = (read(env, "WEBHOOK_RETRY_SCHEDULE") ?? fallback).split(",").map((text) => text.trim())
  if (seconds.length > 30 || seconds.some((text) => !/^\d+(\.\d+)?$/.test(text) || Number(text) > 604_800)) {
    return refuse(
      "WEBHOOK_RETRY_SCHEDULE",
      "must be at most 30 comma separated numbers of seconds, each at most 604800",
    )
  }
  return seconds.map((text) => Number(text) * 1000)
}

const keptKey = (dataDir: string): Redacted.Redacted<string> => {
  try {
    return keptSecretKey(dataDir)
  } catch (cause) {
    throw cause instanceof SecretKeyUnusable ? new ConfigInvalid(cause.message) : cause
  }
}

/** Reads and checks the whole environment. Throws `ConfigInvalid` with one sentence for the first bad key. */
export const loadConfig = (env: Environment = process.env): Config => {
  const production = oneOf(env, "NODE_ENV", ["production", "development", "test"], "development") === "production"
  const host = read(env, "HOST") ?? "127.0.0.1"
  const port = integer(env, "PORT", 8080, 0, 65_535)
  const publicUrl = url(env, "PUBLIC_URL", ["http:", "https:"]) ?? null
  const dataDir = resolve(read(env, "DATA_DIR") ?? ".data")
  const databaseUrl = url(env, "DATABASE_URL", ["postgres:", "postgresql:"])
  const loopback = oneOf(env, "ALLOW_LOOPBACK_TARGETS", ["true", "false"], production ? "false" : "true") === "true"
  if (production && loopback)
    refuse("ALLOW_LOOPBACK_TARGETS", "is a development switch and must not be set in production")
  if (production && !publicUrl?.startsWith("https:")) refuse("PUBLIC_URL", "must be an https:// address in production")
  const logLevel = oneOf(env, "LOG_LEVEL", ["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info")
  const given = secret(env, "SECRET_KEY")
  if (production && given === null) refuse("SECRET_KEY", "must be set in production")
  return {
    production,
    host,
    port,
    publicUrl,
    appUrl: url(env, "APP_URL", ["http:", "https:"]) ?? null,
    smtp: smtp(env),
    idp: idp(env),
    trustedProxies: trustedProxies(env),
    helpModel: helpModel(env),
    media: media(env),
    playbackUrlTemplate: playbackUrlTemplate(env),
    recordsElsewhere: recordsElsewhere(env),
    dataDir,
    databaseUrl: databaseUrl === undefined ? null : Redacted.make(databaseUrl),
    databasePool: integer(env, "DATABASE_POOL", 10, 2, 100),
    databaseWaiting: integer(env, "DATABASE_WAITING", 500, 10, 900),
    databaseDeadlineMs: integer(env, "DATABASE_DEADLINE_MS", 5000, 500, 60_000),
    platformKey: secret(env, "PLATFORM_KEY"),
    metricsToken: secret(env, "METRICS_TOKEN"),
    logLevel,
    webhookRetryDelaysMs: retryDelays(env),
    webhookConcurrency: integer(env, "WEBHOOK_CONCURRENCY", 64, 1, 1000),
    presenceGraceMs: integer(env, "PRESENCE_GRACE_MS", 0, 0, 60_000),
    gatewayHistoryMs: integer(env, "GATEWAY_HISTORY_MS", 120_000, 1000, 3_600_000),
    gatewayHistoryEntries: integer(env, "GATEWAY_HISTORY_ENTRIES", 1000, 10, 100_000),
    actorMailbox: integer(env, "ACTOR_MAILBOX", 1024, 1, 100_000),
    defaultCapacity: integer(env, "EVENT_DEFAULT_CAPACITY", 1000, 1, 100_000),
    allowLoopbackTargets: loopback,
    // Last, because it may write to the data folder: nothing is written for a configuration that is refused.
    secretKey: given ?? keptKey(dataDir),
  }
}
