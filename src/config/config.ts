/**
 * Configuration: the only reader of the environment. Each key has one row in `config/keys.ts` and one schema in `config/schemas.ts`.
 * Secrets are `Redacted`, so that none is ever printed.
 */
import { resolve } from "node:path"
import type { Config as EffectConfig } from "effect"
import { ConfigProvider, Effect, type Redacted, Result, SchemaIssue } from "effect"
import { hasKeptKey, keptSecretKey, type SecretKeys, SecretKeyUnusable } from "../crypto/secret-key.ts"
import { type AnswerDeadlines, answerDeadlines } from "../model/limits/answer-deadlines.ts"
import { factorWithin, type TrustedProxies } from "../model/limits/client-address.ts"
import type { OtlpSettings } from "../model/otlp-settings.ts"
import { type AcmeConfig, acmeOf } from "./acme.ts"
import { type CallsConfig, callsOf } from "./calls.ts"
import { unwritable } from "./data-folder.ts"
import { CONFIG_KEYS } from "./keys.ts"
import type { Environment, Suspicion } from "./mistakes.ts"
import { otlpOf } from "./otlp.ts"
import { crossProblems, suspicions, type Values } from "./rules.ts"
import { SETTINGS } from "./schemas.ts"
import { type Shown, shownOf } from "./shown.ts"

/** Unusable settings: the message has one line for each, a sentence that begins with the key. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid"

  constructor(problems: ReadonlyArray<string>) {
    super(problems.join("\n"))
  }
}

interface ClusterConfig {
  /** Address by which other nodes reach this one. */
  readonly host: string
  readonly port: number
  /** Shared secret of the nodes; null when they trust their network. */
  readonly secret: Redacted.Redacted<string> | null
  /** Second accepted secret while the secret is being changed. */
  readonly otherSecret: Redacted.Redacted<string> | null
  /** Comma-separated addresses, optionally with credentials; null for a worker, whose supervisor passes messages on. */
  readonly nats: Redacted.Redacted<string> | null
  /** Silence after which a node counts as lost. */
  readonly lostMs: number
}

export interface Config extends CallsConfig {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** Null when the server does not serve TLS itself. */
  readonly acme: AcmeConfig | null
  /** `null` derives it from the listening address. */
  readonly publicUrl: string | null
  readonly dataDir: string
  /** `null` uses the address of clients. */
  readonly appUrl: string | null
  /** `null` when no mail is sent. */
  readonly smtp: { readonly url: Redacted.Redacted<string>; readonly from: string } | null
  /** Emails per day (UTC) that a workspace may send to addresses it chose. */
  readonly mailPerWorkspacePerDay: number
  /** OpenID Connect provider; `null` for no sign-in through a provider. */
  readonly idp: {
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: Redacted.Redacted<string>
  } | null
  /** `null` for the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted<string> | null
  readonly databasePool: number
  /** Maximum number of requests' statements that wait for a connection. */
  readonly databaseWaiting: number
  /** Time limit of a statement or a transaction. */
  readonly databaseDeadlineMs: number
  readonly answers: AnswerDeadlines
  /** Settings of one of several nodes on the database; null for a server that runs alone. */
  readonly cluster: ClusterConfig | null
  /** Number of processes on one port. */
  readonly workers: number
  /** Whether this process is a worker. */
  readonly isWorker: boolean
  /** A second port on loopback. */
  readonly adminPort: number | null
  /** Delay between announcing the stop and closing the listener. */
  readonly drainDelayMs: number
  /** Whether nothing is sent to others until the database is promoted. */
  readonly quiet: boolean
  readonly secretKeys: SecretKeys
  readonly platformKey: Redacted.Redacted<string> | null
  readonly accessLog: "on" | "addresses" | "off"
  readonly logLevel: string
  /** Trace collector; null disables tracing. */
  readonly otlp: OtlpSettings | null
  readonly webhookRetryDelaysMs: ReadonlyArray<number>
  readonly webhookConcurrency: number
  readonly presenceGraceMs: number
  readonly gatewayHistoryMs: number
  readonly gatewayHistoryEntries: number
  readonly socketsPerAddress: number
  readonly actorMailbox: number
  readonly defaultCapacity: number
  /** Model that answers the help chat from its passages; `null` when the passages are the answer. */
  readonly helpModel: {
    readonly url: string
    readonly name: string
    readonly key: Redacted.Redacted<string> | null
  } | null
  /** Speech recogniser that makes transcripts of recordings. */
  readonly recogniser: {
    readonly url: string
    readonly model: string
    readonly key: Redacted.Redacted<string> | null
  } | null
  /** Pages for people; null when the server has none. */
  readonly web: { readonly embedOrigins: ReadonlyArray<string> } | null
  /** Address template for watching broadcasts; `null` when there is none. */
  readonly playbackUrlTemplate: string | null
  /** Limits of encoders that push to this server; null when none may. */
  readonly ingest: {
    readonly most: number
    readonly mostOfOne: number
    readonly maxKbps: number
    readonly maxHours: number
  } | null
  /** Broadcasts made by the media server; null when it makes none. */
  readonly stage: { readonly maxHours: number } | null
  /** CDN before this server, for watching broadcasts. */
  readonly cdnUrl: string | null
  readonly ffmpeg: {
    /** A path, or `off`; `null` searches the search path. */
    readonly path: string | null
    readonly searchPath: string
  }
  /** Whether an event's media are recorded outside this server: by a media server that is not configured here, or by a person. */
  readonly recordsElsewhere: boolean
  /** Limits of one recording, and of all recordings of a workspace; 0 means no limit. */
  readonly mediaMaxBytes: number
  readonly mediaQuotaBytes: number
  readonly mediaQuotaPerFounderBytes: number
  readonly workspacesPerAccount: number
  readonly signup: "open" | "invited" | "off"
  /** Bytes to keep free on the media disk. */
  readonly mediaMinFreeBytes: number
  /** Maximum number of concurrent uploads. */
  readonly mediaUploads: number
  /** Recordings are deleted this long after their start; 0 means never. */
  readonly mediaRetentionDays: number
  /** Kept histories are deleted this long after the end of their event. */
  readonly keptHistoryDays: number
  /** Bucket of recordings; `null` for the disk. */
  readonly s3: {
    readonly url: string
    readonly region: string
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted<string>
  } | null
  /** Backups of the embedded database. */
  readonly backup: {
    readonly to: string | null
    readonly everyHours: number
    readonly keep: number
    readonly s3: Config["s3"]
  }
  /** Proxies whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: TrustedProxies
  /** Factor on the limits by address for the people of a client's address. */
  readonly venues: (address: string) => number
  readonly metricsToken: Redacted.Redacted<string> | null
  /** A `mailto:` or https address; null omits `security.txt`. */
  readonly securityContact: string | null
  /** Whether webhook targets and partners' key sets may be `http://` on loopback: a development switch. */
  readonly allowLoopbackTargets: boolean
  /** Relay of an inspector that displays the charts of live events: a development switch. */
  readonly inspector: string | null
  readonly shown: Shown
  /** Sentences about probable mistakes. */
  readonly warnings: ReadonlyArray<string>
}

const KEY_NAMES = CONFIG_KEYS.map(({ name }) => name)

/** Blanks around a value are ignored, and an empty value counts as absent. */
const trimmed = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    KEY_NAMES.flatMap((name) => {
      const value = env[name]?.trim() ?? ""
      return value === "" ? [] : [[name, value]]
    }),
  )

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (name: string, error: EffectConfig.ConfigError): string => {
  const rule = "issue" in error.cause ? issuesOf(error.cause.issue).issues[0]?.message : undefined
  return `${name} ${rule ?? "cannot be read"}.`
}

/** Reads every key. Resolves to the usable values, and one sentence for each of the others. */
const readAll = (env: Environment): { readonly values: Partial<Values>; readonly problems: ReadonlyArray<string> } => {
  const provider = ConfigProvider.fromEnv({ env: trimmed(env) })
  const problems: string[] = []
  const values = Object.fromEntries(
    KEY_NAMES.flatMap((name) => {
      const read: Result.Result<unknown, EffectConfig.ConfigError> = Effect.runSync(
        Effect.result(SETTINGS[name].parse(provider) as Effect.Effect<unknown, EffectConfig.ConfigError>),
      )
      if (Result.isSuccess(read)) return [[name, read.success]]
      problems.push(sentence(name, read.failure))
      return []
    }),
  )
  return { values, problems }
}

const keptKey = (dataDir: string): Redacted.Redacted<string> => {
  const problem = hasKeptKey(dataDir) ? undefined : unwritable(dataDir)
  if (problem !== undefined) throw new ConfigInvalid([problem])
  try {
    return keptSecretKey(dataDir)
  } catch (cause) {
    throw cause instanceof SecretKeyUnusable ? new ConfigInvalid([cause.message]) : cause
  }
}

const idpOf = ({
  IDP_ISSUER: issuer,
  IDP_CLIENT_ID: clientId,
  IDP_CLIENT_SECRET: clientSecret,
}: Values): Config["idp"] =>
  issuer === null || clientId === null || clientSecret === null ? null : { issuer, clientId, clientSecret }

const s3Of = ({
  S3_URL: url,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
}: Values): Config["s3"] =>
  url === null || accessKeyId === null || secretAccessKey === null
    ? null
    : { url: url.replace(/\/+$/, ""), region, accessKeyId, secretAccessKey }

const backupOf = (values: Values): Config["backup"] => {
  const own = s3Of({
    ...values,
    S3_URL: values.BACKUP_S3_URL,
    S3_REGION: values.BACKUP_S3_REGION ?? values.S3_REGION,
    S3_ACCESS_KEY_ID: values.BACKUP_S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: values.BACKUP_S3_SECRET_ACCESS_KEY,
  })
  const { BACKUP_TO: to, BACKUP_EVERY_HOURS: everyHours, BACKUP_KEEP: keep } = values
  return { to, everyHours, keep, s3: own ?? s3Of(values) }
}

const clusterOf = ({
  CLUSTER_ADDRESS: address,
  CLUSTER_SECRET: secret,
  CLUSTER_SECRET_OTHER: otherSecret,
  NATS_URL: nats,
  NODE_LOST_MS: lostMs,
}: Values): ClusterConfig | null => (address === null ? null : { ...address, secret, otherSecret, nats, lostMs })

/** A template means that viewers watch elsewhere. */
const isStaged = (values: Values): boolean =>
  values.BROADCAST_STAGE === "on" &&
  values.PLAYBACK_URL_TEMPLATE === null &&
  callsOf(values).media !== null &&
  s3Of(values) !== null

const checked = (env: Environment, isWorker: boolean) => {
  const { values: read, problems } = readAll(env)
  const found = suspicions(env, read)
  const isRefused = ({ isGrave }: Suspicion): boolean => isGrave && read.NODE_ENV === "production"
  const refused = found.filter(isRefused).map(({ sentence }) => sentence)
  const all = [...problems, ...crossProblems(read, isWorker), ...refused]
  if (all.length > 0) throw new ConfigInvalid(all)
  return { values: read as Values, warnings: found.map(({ sentence }) => sentence) }
}

/** Reads and checks the whole environment, and writes nothing. `secretKeys` is null when the first start makes the key. @throws ConfigInvalid */
export const checkConfig = (
  env: Environment = process.env,
): Omit<Config, "secretKeys"> & {
  readonly secretKeys: SecretKeys | null
  /** Whether the data folder keeps the key. */
  readonly keepsKey: boolean
} => {
  const { values, warnings } = checked(env, false)
  const config = configOf(values, warnings, env, false)
  const keepsKey = values.SECRET_KEY === null
  const isMade = !keepsKey || hasKeptKey(config.dataDir)
  return { ...config, keepsKey, secretKeys: isMade ? secretKeysOf(values, config.dataDir) : null }
}

/** The same for a start, which may make the key. `isWorker`: one of several workers, with settings of their supervisor. @throws ConfigInvalid */
export const loadConfig = (env: Environment = process.env, isWorker = false): Config => {
  const { values, warnings } = checked(env, isWorker)
  const config = configOf(values, warnings, env, isWorker)
  // Read last, because it may write to the data folder: nothing is written for a refused configuration.
  return { ...config, secretKeys: secretKeysOf(values, config.dataDir) }
}

const secretKeysOf = (values: Values, dataDir: string): SecretKeys => [
  values.SECRET_KEY ?? keptKey(dataDir),
  ...values.SECRET_KEYS_OLD,
]

const configOf = (
  values: Values,
  warnings: ReadonlyArray<string>,
  env: Environment,
  isWorker: boolean,
): Omit<Config, "secretKeys"> => {
  const production = values.NODE_ENV === "production"
  const dataDir = resolve(values.DATA_DIR)
  return {
    production,
    host: values.HOST,
    port: values.PORT,
    acme: acmeOf(values),
    publicUrl: values.PUBLIC_URL,
    appUrl: values.APP_URL,
    smtp: values.SMTP_URL === null ? null : { url: values.SMTP_URL, from: values.MAIL_FROM },
    mailPerWorkspacePerDay: values.MAIL_PER_WORKSPACE_PER_DAY,
    idp: idpOf(values),
    trustedProxies: values.TRUSTED_PROXIES,
    venues: factorWithin(values.VENUE_ADDRESSES, values.VENUE_FACTOR),
    helpModel:
      values.HELP_LLM_URL === null
        ? null
        : { url: values.HELP_LLM_URL, name: values.HELP_LLM_MODEL, key: values.HELP_LLM_KEY },
    recogniser:
      values.TRANSCRIBE_URL === null
        ? null
        : { url: values.TRANSCRIBE_URL, model: values.TRANSCRIBE_MODEL, key: values.TRANSCRIBE_KEY },
    web: values.WEB === "off" ? null : { embedOrigins: values.EMBED_ORIGINS },
    ...callsOf(values),
    playbackUrlTemplate: values.PLAYBACK_URL_TEMPLATE,
    stage: isStaged(values) ? { maxHours: values.BROADCAST_MAX_HOURS } : null,
    ingest:
      values.BROADCAST_INGEST === "off" || isStaged(values)
        ? null
        : {
            most: values.BROADCAST_INGESTS,
            mostOfOne: values.BROADCAST_INGESTS_PER_WORKSPACE || Math.ceil(values.BROADCAST_INGESTS / 2),
            maxKbps: values.BROADCAST_MAX_KBPS,
            maxHours: values.BROADCAST_MAX_HOURS,
          },
    cdnUrl: values.CDN_URL,
    ffmpeg: { path: values.FFMPEG_PATH, searchPath: env["PATH"] ?? "" },
    recordsElsewhere: values.MEDIA_RECORDER === "external",
    mediaMaxBytes: values.MEDIA_MAX_BYTES,
    mediaQuotaBytes: values.MEDIA_QUOTA_BYTES,
    mediaQuotaPerFounderBytes: values.MEDIA_QUOTA_BYTES_PER_FOUNDER,
    workspacesPerAccount: values.WORKSPACES_PER_ACCOUNT,
    signup: values.SIGNUP,
    mediaMinFreeBytes: values.MEDIA_MIN_FREE_BYTES,
    mediaUploads: values.MEDIA_UPLOADS,
    mediaRetentionDays: values.MEDIA_RETENTION_DAYS,
    keptHistoryDays: values.HISTORY_RETENTION_DAYS,
    s3: s3Of(values),
    backup: backupOf(values),
    dataDir,
    databaseUrl: values.DATABASE_URL,
    databasePool: values.DATABASE_POOL,
    databaseWaiting: values.DATABASE_WAITING,
    databaseDeadlineMs: values.DATABASE_DEADLINE_MS,
    answers: answerDeadlines(values.DATABASE_DEADLINE_MS, clusterOf(values)?.lostMs ?? null),
    cluster: clusterOf(values),
    workers: isWorker ? 1 : values.WORKERS,
    isWorker,
    adminPort: values.ADMIN_PORT,
    drainDelayMs: values.DRAIN_DELAY_MS,
    quiet: values.QUIET,
    platformKey: values.PLATFORM_KEY,
    metricsToken: values.METRICS_TOKEN,
    securityContact: values.SECURITY_CONTACT,
    accessLog: values.ACCESS_LOG,
    logLevel: values.LOG_LEVEL,
    otlp: otlpOf(values),
    webhookRetryDelaysMs: values.WEBHOOK_RETRY_SCHEDULE.map((seconds) => seconds * 1000),
    webhookConcurrency: values.WEBHOOK_CONCURRENCY,
    presenceGraceMs: values.PRESENCE_GRACE_MS,
    gatewayHistoryMs: values.GATEWAY_HISTORY_MS,
    gatewayHistoryEntries: values.GATEWAY_HISTORY_ENTRIES,
    socketsPerAddress: values.SOCKETS_PER_ADDRESS,
    actorMailbox: values.ACTOR_MAILBOX,
    defaultCapacity: values.EVENT_DEFAULT_CAPACITY,
    inspector: values.INSPECT,
    allowLoopbackTargets: values.ALLOW_LOOPBACK_TARGETS ?? !production,
    shown: shownOf(env),
    warnings,
  }
}

/** Environment inherited by child processes. */
export const inheritedEnvironment = (): NodeJS.ProcessEnv => process.env
