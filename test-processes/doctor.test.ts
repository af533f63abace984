/** `gathercue doctor`: what its file tells, and that no secret of any kind is in it. */
import { randomBytes } from "node:crypto"
import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, inject, onTestFinished, test } from "vitest"
import { CONFIG_KEYS } from "../src/config/keys.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { administer } from "../test/support/database-server.ts"
import { freePort } from "../test/support/free-port.ts"
import { runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

const planted = (name: string): string => `planted-${name}-${randomBytes(12).toString("hex")}`

/** Every secret with a value of its own, within whatever surrounds it; and secrets in addresses that are no secrets by themselves. */
const plant = (databaseUrl: string, databasePassword: string) => {
  const secrets: string[] = [databasePassword]
  const secret = (name: string): string => {
    const value = planted(name)
    secrets.push(value)
    return value
  }
  // In an address `@` and `/` are encoded; the mail server gets them as they are.
  const odd = secret("mail@host/")
  const environment = {
    DATABASE_URL: databaseUrl,
    SMTP_URL: `smtp://mailer:${encodeURIComponent(odd)}@127.0.0.1:9`,
    IDP_ISSUER: "https://issuer.example",
    IDP_CLIENT_ID: "the-client",
    IDP_CLIENT_SECRET: secret("idp"),
    HELP_LLM_KEY: secret("model"),
    TRANSCRIBE_URL: "https://recogniser.example/v1",
    TRANSCRIBE_KEY: secret("recogniser"),
    MEDIA_URL: "ws://127.0.0.1:9",
    MEDIA_API_KEY: secret("media-id"),
    MEDIA_API_SECRET: secret("media"),
    ICE_SERVERS: "turn:turn.example:3478",
    TURN_SECRET: secret("turn"),
    S3_URL: "http://127.0.0.1:9/bucket",
    S3_ACCESS_KEY_ID: secret("bucket-id"),
    S3_SECRET_ACCESS_KEY: secret("bucket"),
    BACKUP_S3_URL: "http://127.0.0.1:9/backups",
    BACKUP_S3_ACCESS_KEY_ID: secret("backup-id"),
    BACKUP_S3_SECRET_ACCESS_KEY: secret("backup"),
    CLUSTER_ADDRESS: "127.0.0.1:19001",
    CLUSTER_SECRET: secret("nodes-0123456789"),
    CLUSTER_SECRET_OTHER: secret("other-nodes-0123456789"),
    NATS_URL: `nats://${secret("nats")}@127.0.0.1:9`,
    SECRET_KEY: secret("key-0123456789"),
    SECRET_KEYS_OLD: `${secret("old-0123456789")}, ${secret("older-0123456789")}`,
    PLATFORM_KEY: secret("platform-0123456789"),
    METRICS_TOKEN: secret("metrics-0123456789"),
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secret("collector")}`,
    HELP_LLM_URL: `https://model.example/v1?api-key=${secret("in-query")}`,
    CDN_URL: `https://user:${secret("in-address")}@cdn.example`,
    PUBLIC_URL: "http://127.0.0.1:9",
  }
  return { environment, secrets }
}

const secretKeys = CONFIG_KEYS.flatMap((key) => ("secret" in key ? [key.name] : []))

const databaseWithPassword = async () => {
  const made = await createTestDatabase()
  const name = `gathercue_${randomBytes(6).toString("hex")}`
  const password = planted("database")
  const server = inject("testServerUrl")
  await administer(server, (sql) => sql.unsafe(`create role ${name} login superuser password '${password}'`))
  onTestFinished(async () => {
    await administer(made.url, async (sql) => void (await sql.unsafe(`drop owned by ${name}`)))
    await made.drop()
    await administer(server, async (sql) => void (await sql.unsafe(`drop role ${name}`)))
  })
  const address = new URL(made.url)
  address.username = name
  address.password = password
  return { url: address.href, password }
}

test("the file tells of settings, parts, database, disk and the running server, and has none of the secrets", async () => {
  const { url, password } = await databaseWithPassword()
  const { environment, secrets } = plant(url, password)
  expect(secretKeys.filter((name) => !Object.hasOwn(environment, name))).toEqual([])
  const { DATABASE_URL, SECRET_KEY, SECRET_KEYS_OLD, PLATFORM_KEY, METRICS_TOKEN } = environment
  const folder = await temporaryFolder()
  const PORT = String(await freePort())
  const own = { DATABASE_URL, SECRET_KEY, SECRET_KEYS_OLD, PLATFORM_KEY, METRICS_TOKEN, PORT, DATA_DIR: folder }
  const server = await startServerProcess(own)
  onTestFinished(async () => void (await server.end("SIGKILL")))
  const log = join(folder, "server.log")
  await writeFile(
    log,
    `a line\nGET /v1/events?key=gck_a1-b2_c3 whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw= live.example.com\nBearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjft-JeZ4CVP_m\n${secrets.map((secret) => `said "${secret}" and ${encodeURIComponent(secret)}`).join("\n")}\n`,
  )
  const target = join(folder, "bundle.json")
  const { code, stdout } = await runCommand(["doctor", target, "--log", log], {
    ...environment,
    PORT,
    DATA_DIR: folder,
  })
  expect([code, stdout]).toEqual([0, expect.stringContaining(target)])
  const text = await readFile(target, "utf8")
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(encodeURIComponent(secret))
  }
  expect((await stat(target)).mode & 0o777).toBe(0o600)

  const found = JSON.parse(text)
  const setting = (name: string) => found.settings.find((one: { name: string }) => one.name === name)
  expect(setting("PORT")).toEqual({ name: "PORT", value: PORT, isSet: true })
  expect(setting("SMTP_URL")).toEqual({ name: "SMTP_URL", value: "(masked)", isSet: true })
  expect(setting("HELP_LLM_URL").value).toBe("https://model.example/v1?api-key=(masked)")
  expect(setting("CDN_URL").value).toBe("https://(masked)@cdn.example")
  expect(setting("SIGNUP")).toEqual({ name: "SIGNUP", value: "open", isSet: false })
  expect(found.check).toContainEqual(expect.objectContaining({ part: "database", state: "ok" }))
  expect(found.check).toContainEqual(expect.objectContaining({ part: "mail", state: "failed" }))
  expect(found.database.tables).toContainEqual(expect.objectContaining({ name: "events", bytes: expect.any(Number) }))
  expect(found.database).toMatchObject({ liveEvents: 0, backlog: { deliveries: 0, mails: 0, media: 0 } })
  expect(found.database.migrations.at(-1)).toBe(found.database.schema.known)
  expect(found.disk.freeBytes).toBeGreaterThan(0)
  expect(found.machine).toMatchObject({ node: process.version, openFilesAtMost: expect.any(Number) })
  expect(found.log.lines.slice(0, 4)).toEqual([
    "a line",
    "GET /v1/events?key=(masked) (masked) live.example.com",
    "Bearer (masked)",
    'said "(masked)" and (masked)',
  ])
  expect(found.server.ready.status).toBe(200)
  expect(found.server.metrics.lines).toContain("gathercue_gateway_sockets 0")
  expect(found.server.status).toMatchObject({ liveEvents: 0, backlog: { letters: { count: 0 } } })
  await server.end("SIGTERM")
})

test("with settings that cannot be used, and without a server, the file says so; an older file is kept", async () => {
  const folder = await temporaryFolder()
  const target = join(folder, "bundle.json")
  const secret = planted("key")
  const environment = { SECRET_KEY: secret.slice(0, 20), SMTP_URL: `smtp://user:${secret}/more@host`, DATA_DIR: folder }
  expect((await runCommand(["doctor", target], environment)).code).toBe(0)
  const text = await readFile(target, "utf8")
  expect(JSON.parse(text).problems).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^SECRET_KEY must have at least 32/),
      expect.stringMatching(/^SMTP_URL /),
    ]),
  )
  expect(text).not.toContain(secret)
  expect(text).not.toContain(secret.slice(0, 20))
  expect(JSON.parse(text).log.missing).toContain("standard output")
  const again = await runCommand(["doctor", target], environment)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${target} cannot be written (EEXIST`)])

  const other = join(folder, "other.json")
  await runCommand(["doctor", other], { DATA_DIR: join(folder, "new"), PORT: String(await freePort()) })
  expect(JSON.parse(await readFile(other, "utf8"))).toMatchObject({
    database: { failed: "The first start makes the database; there is none yet." },
    disk: { failed: "There is no such folder yet." },
    server: { failed: expect.stringContaining("ECONNREFUSED") },
  })
})
