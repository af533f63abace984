/**
 * Configuration: the one reader of the environment. Each key has one row in `config-keys.ts` and is checked here. Secrets are
 * `Redacted`, so that none is ever printed.
 */
import { resolve } from "node:path"
import { Redacted } from "effect"
import { CONFIG_KEYS, type KeyName } from "./config-keys.ts"
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
  /** Letters that a workspace may have sent to addresses it chose, in a day (UTC). */
  readonly mailPerWorkspacePerDay: number
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
  readonly socketsPerAddress: number
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
    mailPerWorkspacePerDay: integer(env, "MAIL_PER_WORKSPACE_PER_DAY", 200, 0, 1_000_000),
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
    socketsPerAddress: integer(env, "SOCKETS_PER_ADDRESS", 10_000, 10, 1_000_000),
    actorMailbox: integer(env, "ACTOR_MAILBOX", 1024, 1, 100_000),
    defaultCapacity: integer(env, "EVENT_DEFAULT_CAPACITY", 1000, 1, 100_000),
    allowLoopbackTargets: loopback,
    // Last, because it may write to the data folder: nothing is written for a configuration that is refused.
    secretKey: given ?? keptKey(dataDir),
  }
}
