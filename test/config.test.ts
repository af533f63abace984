import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { describe, expect, test } from "vitest"
import { configHelp } from "../src/cli/help.ts"
import { newKey } from "../src/cli/keys.ts"
import { ConfigInvalid, loadConfig } from "../src/config/config.ts"
import { CONFIG_KEYS } from "../src/config/keys.ts"
import { weaknessOf } from "../src/config/mistakes.ts"
import { deriveKey } from "../src/crypto/secret-key.ts"
import { temporaryFolder } from "./support/temporary-folder.ts"

const SECRET_KEY = "Qm8wR2tZcX1vYnA5LmVkRjdHaEpLbDNNbk9w0a1b"
const PRODUCTION = { NODE_ENV: "production", SECRET_KEY, PUBLIC_URL: "https://live.example" }
const MEDIA = { MEDIA_URL: "wss://media.example/", MEDIA_API_KEY: "key", MEDIA_API_SECRET: "short-secret" }
const S3 = { S3_URL: "https://s3.example/bucket", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "short-secret" }
const CLUSTER = {
  CLUSTER_ADDRESS: "127.0.0.1:4000",
  CLUSTER_SECRET: "cT9xWq2LrV7nBz4KpD8mHs1JfG6yAe3Uo0iZ",
  NATS_URL: "nats://127.0.0.1:4222",
  DATABASE_URL: "postgres://127.0.0.1/gathercue",
  PUBLIC_URL: "https://live.example",
  SECRET_KEY,
}
const ACME = { ACME_DOMAINS: "live.example", ACME_TERMS: "agreed", PUBLIC_URL: "https://live.example" }

describe("a value that cannot be used", () => {
  test.each([
    ["PORT", { PORT: "99999" }],
    ["PORT", { PORT: "-1" }],
    ["PORT", { PORT: "80.5" }],
    ["NODE_ENV", { NODE_ENV: "prod" }],
    ["LOG_LEVEL", { LOG_LEVEL: "loud" }],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }],
    ["OTEL_EXPORTER_OTLP_HEADERS", { OTEL_EXPORTER_OTLP_HEADERS: "authorization" }],
    ["OTEL_EXPORTER_OTLP_HEADERS", { OTEL_EXPORTER_OTLP_HEADERS: "x-key=short-secret%0d" }],
    ["OTEL_EXPORTER_OTLP_HEADERS", { OTEL_EXPORTER_OTLP_HEADERS: "x-key=short-secret%" }],
    ["OTEL_TRACES_SAMPLER_ARG", { OTEL_TRACES_SAMPLER_ARG: "1.1" }],
    ["SECRET_KEY", { SECRET_KEY: "short-secret" }],
    ["PLATFORM_KEY", { PLATFORM_KEY: "short-secret" }],
    ["METRICS_TOKEN", { METRICS_TOKEN: "short-secret" }],
    ["SECRET_KEY", { ...PRODUCTION, SECRET_KEY: "" }],
    ["PUBLIC_URL", { ...PRODUCTION, PUBLIC_URL: "" }],
    ["PUBLIC_URL", { ...PRODUCTION, PUBLIC_URL: "http://live.example" }],
    ["PUBLIC_URL", { PUBLIC_URL: "live.example" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https://live.example/gathercue" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https://live.example/?tenant=1" }],
    ["MAIL_FROM", { ...PRODUCTION, SMTP_URL: "smtp://127.0.0.1" }],
    ["ALLOW_LOOPBACK_TARGETS", { ...PRODUCTION, ALLOW_LOOPBACK_TARGETS: "true" }],
    ["ACME_DOMAINS", { ...ACME, ACME_DOMAINS: "*.live.example" }],
    ["ACME_DOMAINS", { ...ACME, ACME_DOMAINS: "live.example, 192.0.2.1" }],
    ["ACME_DOMAINS", { ...ACME, WORKERS: "2" }],
    ["ACME_DOMAINS", { ...CLUSTER, ...ACME }],
    ["ACME_TERMS", { ...ACME, ACME_TERMS: "" }],
    ["ACME_TERMS", { ...ACME, ACME_TERMS: "yes" }],
    ["ACME_EMAIL", { ...ACME, ACME_EMAIL: "mailto:a@b.example" }],
    ["ACME_DIRECTORY", { ...ACME, ACME_DIRECTORY: "http://acme.example/dir" }],
    ["ACME_HTTP_PORT", { ...ACME, PORT: "80" }],
    ["PUBLIC_URL", { ...ACME, PUBLIC_URL: "https://other.example" }],
    ["PUBLIC_URL", { ...ACME, PUBLIC_URL: "http://live.example" }],
    ["PUBLIC_URL", { ...ACME, PUBLIC_URL: "" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://user:short-secret@host/db" }],
    ["DATABASE_POOL", { DATABASE_POOL: "1" }],
    ["WEBHOOK_RETRY_SCHEDULE", { WEBHOOK_RETRY_SCHEDULE: "5,soon" }],
    ["WEBHOOK_RETRY_SCHEDULE", { WEBHOOK_RETRY_SCHEDULE: "604801" }],
    ["PRESENCE_GRACE_MS", { PRESENCE_GRACE_MS: "60001" }],
    ["GATEWAY_HISTORY_MS", { GATEWAY_HISTORY_MS: "10" }],
    ["ACTOR_MAILBOX", { ACTOR_MAILBOX: "0" }],
    ["MEDIA_URL", { ...MEDIA, MEDIA_URL: "" }],
    ["MEDIA_URL", { ...MEDIA, MEDIA_URL: "https://media.example" }],
    ["MEDIA_API_KEY", { ...MEDIA, MEDIA_API_KEY: "" }],
    ["MEDIA_API_SECRET", { ...MEDIA, MEDIA_API_SECRET: "" }],
    ["MEDIA_URL", { MEDIA_API_SECRET: "short-secret" }],
    ["MESH_MAX_PEERS", { MESH_MAX_PEERS: "7" }],
    ["MESH_MAX_PEERS", { MESH_MAX_PEERS: "1" }],
    ["MEDIA_PORT", { MEDIA_PORT: "70000" }],
    ["MEDIA_ADDRESSES", { MEDIA_ADDRESSES: "media.example.com" }],
    ["MEDIA_MAX_PEERS", { MEDIA_MAX_PEERS: "51" }],
    [
      "MEDIA_PORT",
      { MEDIA_PORT: "8081", MEDIA_URL: "wss://media.example", MEDIA_API_KEY: "key", MEDIA_API_SECRET: "s".repeat(32) },
    ],
    ["ICE_SERVERS", { ICE_SERVERS: "https://turn.example" }],
    ["ICE_SERVERS", { ICE_SERVERS: "stun:turn.example:3478, turn:" }],
    ["ICE_SERVERS", { ICE_SERVERS: "stun:turn.example?transport=udp" }],
    ["ICE_SERVERS", { ICE_SERVERS: "stun:turn.example:65536" }],
    ["ICE_SERVERS", { ICE_SERVERS: "stun:turn.example:0" }],
    ["ICE_SERVERS", { ICE_SERVERS: "stun:[:]" }],
    ["ICE_SERVERS", { ICE_SERVERS: "stun:turn.example", TURN_SECRET: "short-secret" }],
    ["TURN_SECRET", { ICE_SERVERS: "turn:turn.example:3478?transport=udp" }],
    ["RTC_POLICY", { RTC_POLICY: "direct" }],
    ["RTC_POLICY", { RTC_POLICY: "relay" }],
    ["RTC_POLICY", { RTC_POLICY: "relay", ICE_SERVERS: "stun:turn.example" }],
    ["PLAYBACK_URL_TEMPLATE", { PLAYBACK_URL_TEMPLATE: "https://cdn.example/{eventId}" }],
    ["MAIL_PER_WORKSPACE_PER_DAY", { MAIL_PER_WORKSPACE_PER_DAY: "-1" }],
    ["MAIL_PER_WORKSPACE_PER_DAY", { MAIL_PER_WORKSPACE_PER_DAY: "many" }],
    ["MEDIA_RECORDER", { MEDIA_RECORDER: "true" }],
    ["CLUSTER_ADDRESS", { ...CLUSTER, CLUSTER_ADDRESS: "10.0.0.1" }],
    ["CLUSTER_ADDRESS", { ...CLUSTER, CLUSTER_ADDRESS: "0.0.0.0:4000" }],
    ["CLUSTER_ADDRESS", { ...CLUSTER, CLUSTER_ADDRESS: "[::]:4000" }],
    ["CLUSTER_ADDRESS", { ...CLUSTER, CLUSTER_ADDRESS: "10.0.0.1:0" }],
    ["CLUSTER_ADDRESS", { ...CLUSTER, CLUSTER_ADDRESS: "10.0.0.1:70000" }],
    ["CLUSTER_ADDRESS", { ...CLUSTER, CLUSTER_ADDRESS: "http://10.0.0.1:4000" }],
    ["CLUSTER_ADDRESS", { NATS_URL: "nats://127.0.0.1:4222" }],
    ["CLUSTER_ADDRESS", { CLUSTER_SECRET: "c".repeat(32) }],
    ["CLUSTER_SECRET", { ...CLUSTER, CLUSTER_SECRET: "short-secret" }],
    ["CLUSTER_SECRET", { ...PRODUCTION, ...CLUSTER, CLUSTER_ADDRESS: "10.0.0.1:4000", CLUSTER_SECRET: "" }],
    ["CLUSTER_SECRET", { ...CLUSTER, CLUSTER_SECRET: "", NATS_URL: "nats://127.0.0.1:4222,nats://10.0.0.1:4222" }],
    ["CLUSTER_SECRET", { ...CLUSTER, CLUSTER_SECRET: "", CLUSTER_SECRET_OTHER: SECRET_KEY }],
    ["SECRET_KEY", { ...PRODUCTION, SECRET_KEY: "k".repeat(40) }],
    ["METRICS_TOKEN", { ...PRODUCTION, METRICS_TOKEN: "abcdefghijkl".repeat(3) }],
    ["TRUSTED_PROXY", { ...PRODUCTION, TRUSTED_PROXY: "short-secret" }],
    ["SECURITY_CONTACT", { SECURITY_CONTACT: "security@example.com" }],
    ["NATS_URL", { ...CLUSTER, NATS_URL: "" }],
    ["NATS_URL", { ...CLUSTER, NATS_URL: "http://short-secret@127.0.0.1:4222" }],
    ["NATS_URL", { ...CLUSTER, NATS_URL: "nats://a:short-secret@one:4222,nats://b:short-secret@two:4222" }],
    ["DATABASE_URL", { ...CLUSTER, DATABASE_URL: "" }],
    ["PUBLIC_URL", { ...CLUSTER, PUBLIC_URL: "" }],
    ["SECRET_KEY", { ...CLUSTER, SECRET_KEY: "" }],
    ["NODE_LOST_MS", { NODE_LOST_MS: "999" }],
    ["DRAIN_DELAY_MS", { DRAIN_DELAY_MS: "60001" }],
    ["WORKERS", { WORKERS: "0" }],
    ["WORKERS", { WORKERS: "65" }],
    ["WORKERS", { WORKERS: "all" }],
    ["ADMIN_PORT", { ADMIN_PORT: "0" }],
    ["ADMIN_PORT", { ADMIN_PORT: "65536" }],
    ["S3_URL", { ...S3, S3_URL: "" }],
    ["S3_URL", { ...S3, S3_URL: "s3://bucket" }],
    ["S3_URL", { ...S3, S3_URL: "https://user:short-secret@s3.example/bucket" }],
    ["S3_URL", { S3_SECRET_ACCESS_KEY: "short-secret" }],
    ["TRANSCRIBE_URL", { TRANSCRIBE_URL: "ftp://models.example/v1" }],
    ["TRANSCRIBE_URL", { TRANSCRIBE_URL: "https://user:short-secret@models.example/v1" }],
    ["S3_ACCESS_KEY_ID", { ...S3, S3_ACCESS_KEY_ID: "" }],
    ["S3_SECRET_ACCESS_KEY", { ...S3, S3_SECRET_ACCESS_KEY: "" }],
    ["EVENT_DEFAULT_CAPACITY", { EVENT_DEFAULT_CAPACITY: "100001" }],
  ])("is refused in one sentence that names %s: %j", (key, environment) => {
    const attempt = () => loadConfig({ SECRET_KEY, ...environment })
    expect(attempt).toThrow(ConfigInvalid)
    expect(attempt).toThrow(new RegExp(`^${key} [^\\n]+[.?]$`, "m"))
    expect(attempt).not.toThrow(/short-secret/)
  })
})

test.each([
  ["#", "short-secret#1"],
  ["/", "short-secret/1"],
  ["?", "short-secret?1"],
  ["a digit and /", "1/short-secret"],
  ["%", "short-secret%"],
])("a password with %s that is not encoded is told of without it", (_name, password) => {
  for (const [key, scheme] of [
    ["DATABASE_URL", "postgres"],
    ["SMTP_URL", "smtp"],
  ] as const) {
    const attempt = () => loadConfig({ SECRET_KEY, [key]: `${scheme}://user:${password}@host/x` })
    expect(attempt).toThrow(new RegExp(`^${key} has a character in its password.* percent-encoded`, "m"))
    expect(attempt).not.toThrow(/short-secret/)
    const encoded = `${scheme}://user:${encodeURIComponent(password)}@host/x`
    expect(loadConfig({ SECRET_KEY, [key]: encoded })).toBeDefined()
  }
})

test("an address without a user, and one with two of @, are read", () => {
  for (const url of ["postgres://host/x", "postgres://user:a@b@host/x", "postgres:///x?host=/run/postgresql"]) {
    expect(loadConfig({ SECRET_KEY, DATABASE_URL: url }).databaseUrl).not.toBeNull()
  }
})

test("all settings that cannot be used are reported at once, each in a line, and nothing is written", async () => {
  const DATA_DIR = join(await temporaryFolder(), "never")
  const attempt = () =>
    loadConfig({ DATA_DIR, PORT: "x", NODE_ENV: "production", LOG_LEVEL: "loud", MEDIA_API_KEY: "k" })
  expect(attempt).toThrow(ConfigInvalid)
  const lines = (() => {
    try {
      attempt()
      return []
    } catch (cause) {
      return String((cause as Error).message).split("\n")
    }
  })()
  expect(lines.map((line) => line.split(" ")[0])).toEqual([
    "PORT",
    "LOG_LEVEL",
    "PUBLIC_URL",
    "SECRET_KEY",
    "MEDIA_URL",
    "MEDIA_API_SECRET",
  ])
  expect(existsSync(DATA_DIR)).toBe(false)
})

test("the help explains every key", () => {
  for (const { name, doc } of CONFIG_KEYS) {
    expect(configHelp()).toContain(name)
    expect(configHelp()).toContain(doc.replaceAll("`", ""))
  }
})

test("an unset key has its default, and an empty value counts as unset", () => {
  const config = loadConfig({ SECRET_KEY, PORT: "", HOST: " " })
  expect(config).toMatchObject({ port: 8080, host: "127.0.0.1", production: false, databaseUrl: null, publicUrl: null })
  expect(config.webhookRetryDelaysMs.map((ms) => ms / 1000)).toEqual([
    5, 30, 120, 600, 1800, 7200, 21_600, 43_200, 86_400,
  ])
  expect([config.presenceGraceMs, config.gatewayHistoryMs, config.allowLoopbackTargets]).toEqual([0, 120_000, true])
})

test("a media server is known by its address, key and secret, and the secret is never printed", () => {
  const config = loadConfig({ SECRET_KEY, ...MEDIA, PLAYBACK_URL_TEMPLATE: "https://cdn.example/{broadcastId}" })
  expect(config.media).toMatchObject({ url: "wss://media.example", apiKey: "key" })
  expect(config.media === null ? "" : Redacted.value(config.media.apiSecret)).toBe(MEDIA.MEDIA_API_SECRET)
  expect(JSON.stringify(config)).not.toContain(MEDIA.MEDIA_API_SECRET)
  expect(config.playbackUrlTemplate).toBe("https://cdn.example/{broadcastId}")
  const without = loadConfig({ SECRET_KEY })
  expect([without.media, without.playbackUrlTemplate]).toEqual([null, null])
})

test("rooms of browsers have their servers, a secret that is never printed, and a policy", () => {
  const config = loadConfig({
    SECRET_KEY,
    ICE_SERVERS: "stun:turn.example:3478, turns:[2001:db8::1]:5349?transport=tcp",
    TURN_SECRET: "short-secret",
    RTC_POLICY: "relay",
    MESH_MAX_PEERS: "4",
    MEDIA_PORT: "0",
  })
  expect(config.mesh).toMatchObject({
    maxPeers: 4,
    ice: { urls: ["stun:turn.example:3478", "turns:[2001:db8::1]:5349?transport=tcp"] },
    policy: "relay",
  })
  expect(JSON.stringify(config)).not.toContain("short-secret")
  expect(loadConfig({ SECRET_KEY, MEDIA_PORT: "0" }).mesh).toEqual({
    maxPeers: 6,
    ice: { urls: [], turnSecret: null },
    policy: "all",
  })
})

test.each([
  ["development", {}, 8081, 25],
  ["development with LiveKit", MEDIA, null, 6],
  ["development without it", { MEDIA_PORT: "0" }, null, 6],
  ["production", PRODUCTION, null, 6],
  ["production with a port", { ...PRODUCTION, MEDIA_PORT: "9000" }, 9000, 25],
])("in %s the media server inside listens on its port, and rooms have its size", (_name, environment, port, size) => {
  const { sfu, mesh } = loadConfig({ SECRET_KEY, ...environment })
  expect([sfu?.port ?? null, mesh.maxPeers]).toEqual([port, size])
})

test.each([
  ["nothing", {}, "encoders"],
  ["a media server without a bucket", MEDIA, "encoders"],
  ["a bucket without a media server", S3, "encoders"],
  ["a media server and a bucket", { ...MEDIA, ...S3 }, "stage"],
  ["both, but not for broadcasts", { ...MEDIA, ...S3, BROADCAST_STAGE: "off" }, "encoders"],
  [
    "both, and viewers who watch elsewhere",
    { ...MEDIA, ...S3, PLAYBACK_URL_TEMPLATE: "https://cdn.example/{broadcastId}" },
    "encoders",
  ],
  ["both, without encoders", { ...MEDIA, ...S3, BROADCAST_INGEST: "off" }, "stage"],
  ["neither, without encoders", { BROADCAST_INGEST: "off" }, "nobody"],
])("with %s broadcasts are made by one side at most", (_name, environment, by) => {
  const { stage, ingest } = loadConfig({ SECRET_KEY, ...environment })
  expect([stage !== null, ingest !== null]).toEqual([by === "stage", by === "encoders"])
})

test("something that records is there by a word of the operator", () => {
  expect(loadConfig({ SECRET_KEY }).recordsElsewhere).toBe(false)
  expect(loadConfig({ SECRET_KEY, MEDIA_RECORDER: "external" }).recordsElsewhere).toBe(true)
})

test("production allows no loopback targets", () => {
  expect(loadConfig(PRODUCTION)).toMatchObject({ production: true, allowLoopbackTargets: false })
})

test("outside production a secret key is made once, readable by its owner only, and kept", async () => {
  const DATA_DIR = await temporaryFolder()
  const [first, second] = [loadConfig({ DATA_DIR }), loadConfig({ DATA_DIR })]
  const path = join(DATA_DIR, "secret-key")
  expect(existsSync(path)).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(Redacted.value(first.secretKeys[0])).toBe(readFileSync(path, "utf8"))
  expect(Redacted.value(second.secretKeys[0])).toBe(Redacted.value(first.secretKeys[0]))
  expect(JSON.stringify(first)).not.toContain(Redacted.value(first.secretKeys[0]))
})

test("older secret keys follow the one that is used, and each of them is long enough", () => {
  const [a, b] = ["a".repeat(32), "b".repeat(40)] as const
  const { secretKeys } = loadConfig({ SECRET_KEY, SECRET_KEYS_OLD: ` ${a}, ${b} ` })
  expect(secretKeys.map((key) => Redacted.value(key))).toEqual([SECRET_KEY, a, b])
  for (const list of ["short", `${a},`, `${a},short`, Array.from({ length: 9 }, () => a).join(",")]) {
    expect(() => loadConfig({ SECRET_KEY, SECRET_KEYS_OLD: list })).toThrow(
      "SECRET_KEYS_OLD must be at most 8 comma separated keys of at least 32 characters each.",
    )
  }
})

const warnings = (environment: Readonly<Record<string, string>>) => loadConfig({ SECRET_KEY, ...environment }).warnings

test.each([
  ["one letter", "a".repeat(40), "has too few different characters"],
  ["a repeated text", "correct-horse-battery".repeat(2), "repeats a shorter text"],
  ["an alphabet", "abcdefghijklmnopqrstuvwxyz0123456789", "counts through an alphabet"],
  ["a placeholder", "Please-ChangeMe-before-production-17", "is a placeholder"],
])("a secret that is %s is refused in production, and elsewhere a warning", (_name, secret, reason) => {
  const sentence = `SECRET_KEY ${reason} and can be guessed; gathercue keys new makes one.`
  expect(() => loadConfig({ ...PRODUCTION, SECRET_KEY: secret })).toThrow(sentence)
  expect(warnings({ SECRET_KEY: secret })).toEqual([sentence])
  // What it sealed has to be read.
  expect(loadConfig({ ...PRODUCTION, SECRET_KEYS_OLD: secret }).warnings).toEqual([])
})

test("no key that the command makes is weak, nor one of openssl", () => {
  const keys = Array.from({ length: 2000 }, () => [newKey(), randomBytes(32).toString("hex")]).flat()
  expect(keys.flatMap((key) => weaknessOf(key) ?? [])).toEqual([])
})

test.each([
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
  ["TRUSTED_PROXYS", "TRUSTED_PROXIES"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["DATA_DRI", "DATA_DIR"],
  ["LOGLEVEL", "LOG_LEVEL"],
  ["log_level", "LOG_LEVEL"],
  ["SECRET_KEYS", "SECRET_KEY"],
  ["SECRET_KEY_OLD", "SECRET_KEYS_OLD"],
  ["GATHERCUE_DATABASE_URL", "DATABASE_URL"],
  ["SMTP_FROM", "MAIL_FROM"],
  ["CLUSTER_SECRET_OLD", "CLUSTER_SECRET_OTHER"],
])("%s is taken for %s", (name, key) => {
  expect(warnings({ [name]: "x" })).toEqual([`${name} is no key; did you mean ${key}?`])
})

test("a misspelt key is refused in production where the server would be open or on other data, unless the key is set too", () => {
  expect(() => loadConfig({ ...PRODUCTION, DATABASE_URI: "x" })).toThrow(
    "DATABASE_URI is no key; did you mean DATABASE_URL?",
  )
  expect(
    loadConfig({ ...PRODUCTION, DATABASE_URI: "x", DATABASE_URL: "postgres://127.0.0.1/x" }).warnings,
  ).toHaveLength(1)
  expect(loadConfig({ ...PRODUCTION, LOGLEVEL: "x" }).warnings).toHaveLength(1)
})

test("variables of other programs are none of ours", () => {
  const others = `PATH HOME HOSTNAME USER LOGNAME SHELL SHLVL PWD OLDPWD TERM LANG TZ TMPDIR HTTP_PROXY NO_PROXY http_proxy
    NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED YARN_VERSION npm_config_registry PGHOST PGPORT PGUSER
    PGPASSWORD PGDATA POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD
    KUBERNETES_SERVICE_HOST KUBERNETES_PORT GATHERCUE_PORT GATHERCUE_SERVICE_HOST GATHERCUE_SERVICE_PORT NATS_PORT NATS_SERVICE_HOST
    SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASSWORD AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY S3_BUCKET REDIS_URL
    OTEL_TRACES_SAMPLER OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TIMEOUT OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
    SECRET_KEY_BASE JWT_SECRET SESSION_SECRET SSL_CERT_FILE INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID CREDENTIALS_DIRECTORY LISTEN_FDS
    NOTIFY_SOCKET WATCHDOG_USEC ADMIN_HOST ADMIN_PASSWORD PUBLIC_IP PUBLIC_KEY HOSTS PORTS WEBSITE DEBUG CI`
  const environment = Object.fromEntries(others.split(/\s+/).map((name) => [name, "x"]))
  expect(warnings(environment)).toEqual([])
})

test("each purpose has a key of its own", () => {
  const secret = Redacted.make(SECRET_KEY)
  expect(deriveKey(secret, "a")).toHaveLength(32)
  expect(deriveKey(secret, "a")).toEqual(deriveKey(secret, "a"))
  expect(deriveKey(secret, "a")).not.toEqual(deriveKey(secret, "b"))
})

test("a node has an address, and what it shares with the others", () => {
  expect(loadConfig({}).cluster).toBeNull()
  expect(loadConfig({ ...CLUSTER, CLUSTER_ADDRESS: "[fd00::1]:4000" }).cluster).toMatchObject({
    host: "fd00::1",
    port: 4000,
    lostMs: 6000,
  })
  expect(loadConfig({ ...PRODUCTION, ...CLUSTER, CLUSTER_SECRET: "" }).cluster).toMatchObject({
    host: "127.0.0.1",
    secret: null,
  })
})

test("workers are as many as there are cores but one, and a worker needs no broker of its own", () => {
  expect(loadConfig({}).workers).toBe(1)
  expect(loadConfig({ WORKERS: "auto" }).workers).toBe(Math.max(1, availableParallelism() - 1))
  const worker = loadConfig({ ...CLUSTER, WORKERS: "4", NATS_URL: "" }, true)
  expect([worker.workers, worker.isWorker, worker.cluster?.nats]).toEqual([1, true, null])
  expect(worker.ingest).not.toBeNull()
})
