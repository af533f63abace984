/** `gathercue check` against real parts, right and wrong ones: what it says of each, and that a start says the same. */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chown, readdir, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { Redacted } from "effect"
import { SMTPServer } from "smtp-server"
import { expect, inject, onTestFinished, test } from "vitest"
import { call } from "../test/support/api.ts"
import { blocksOf } from "../test/support/code-blocks.ts"
import { createEmptyDatabase, createTestDatabase } from "../test/support/database.ts"
import { administer } from "../test/support/database-server.ts"
import { freePort } from "../test/support/free-port.ts"
import { startLiveKit } from "../test/support/livekit-server.ts"
import { startMailServer } from "../test/support/mail-server.ts"
import { startPostgresProxy } from "../test/support/postgres-proxy.ts"
import { startS3Server } from "../test/support/s3/s3-server.ts"
import { refusedStart, runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { TEST_CERTIFICATE } from "../test/support/test-certificate.ts"

const SECRET_KEY = "secret-key-of-the-tests-0123456789abcdef"

type Environment = Readonly<Record<string, string>>

interface Part {
  readonly part: string
  readonly state: string
  readonly text: string
  readonly remedy?: string
}

/** The parts by their names, of a check as JSON. */
const checked = async (environment: Environment) => {
  const settings = { SECRET_KEY, PORT: "0", DATA_DIR: await temporaryFolder(), ...environment }
  const { code, stdout, stderr } = await runCommand(["check", "--json"], settings)
  const { ok, parts } = JSON.parse(stdout) as { readonly ok: boolean; readonly parts: ReadonlyArray<Part> }
  expect([code, stderr]).toEqual([ok ? 0 : 1, ""])
  return { ok, of: (name: string) => parts.find(({ part }) => part === name), parts }
}

const databaseOf = async (isEmpty: boolean) => {
  const made = await (isEmpty ? createEmptyDatabase() : createTestDatabase())
  onTestFinished(() => made.drop())
  const run = (text: string) => administer(made.url, (sql) => sql.unsafe(text))
  return { url: made.url, run, name: new URL(made.url).pathname.slice(1) }
}

/** A user of the test's with no rights but those that are given. */
const userOf = async (url: string): Promise<{ readonly name: string; readonly url: string }> => {
  const name = `gathercue_${randomBytes(6).toString("hex")}`
  const server = inject("testServerUrl")
  await administer(server, (sql) => sql.unsafe(`create role ${name} login password 'secret'`))
  onTestFinished(() => administer(server, async (sql) => void (await sql.unsafe(`drop role ${name}`))))
  const address = new URL(url)
  address.username = name
  address.password = "secret"
  return { name, url: address.href }
}

/** What both the check and a start say. */
const refusals = async (url: string): Promise<string> => {
  const environment = { SECRET_KEY, PORT: "0", DATA_DIR: await temporaryFolder(), DATABASE_URL: url }
  const check = await runCommand(["check"], environment)
  const start = await refusedStart(environment)
  expect([check.code, start.code]).toEqual([1, 1])
  // The check adds what to look at.
  for (const sentence of start.stderr.trim().split("\n")) expect(check.stderr).toContain(sentence)
  return start.stderr
}

test("a user who may only read is refused, by the check as by the start, with what to grant", async () => {
  const { url, run } = await databaseOf(false)
  const user = await userOf(url)
  await run(`grant select on all tables in schema public to ${user.name}`)
  const said = await refusals(user.url)
  for (const right of ["DELETE", "INSERT", "UPDATE", "TRUNCATE"]) {
    expect(said).toContain(`The user "${user.name}" of DATABASE_URL lacks ${right} on `)
  }
  expect(said).toContain(`GRANT INSERT ON ALL TABLES IN SCHEMA "public" TO "${user.name}"`)
  expect(said).not.toContain("SELECT")
  await run(`drop owned by ${user.name}`)
})

test("a user with rights on the database alone is refused, with the right on its schema", async () => {
  const { url, run, name } = await databaseOf(true)
  const user = await userOf(url)
  await run(`grant all on database ${name} to ${user.name}`)
  expect(await refusals(user.url)).toContain(`may not make tables in the schema "public". As the schema's owner: GRANT`)
  expect(await refusals(user.url)).toContain("Or run gathercue migrate as the owner of the database.")
  await run(`drop owned by ${user.name}`)
})

test("a user with the rights of docs/operation.md runs a server, and is refused only where the schema has to change", async () => {
  const { url, run } = await databaseOf(false)
  const user = await userOf(url)
  const [rights = ""] = blocksOf("docs/operation.md").flatMap(({ language, code }) =>
    language === "sql" ? [code] : [],
  )
  const owner = new URL(url).username
  await run(rights.replaceAll("gathercue_server", user.name).replaceAll("gathercue_owner", `"${owner}"`))
  const server = await startServerProcess({ DATABASE_URL: user.url, SECRET_KEY, PORT: "0" })
  expect((await call(server.url, "GET", "/healthz")).status).toBe(200)
  expect((await checked({ DATABASE_URL: user.url })).ok).toBe(true)
  await server.end("SIGTERM")
  await run("delete from schema_migrations where version = (select max(version) from schema_migrations)")
  const { username } = new URL(url)
  expect(await refusals(user.url)).toContain(`does not own the tables. Run gathercue migrate as "${username}".`)
  await run(`drop owned by ${user.name}`)
})

test("a database that is only read, or has another password, is told of without the password", async () => {
  const { url, run, name } = await databaseOf(false)
  await run(`alter database ${name} set default_transaction_read_only = on`)
  expect(await refusals(url)).toContain("is read-only for the user")
  const wrong = new URL(url)
  wrong.username = "nobody_of_the_tests"
  wrong.password = "not-this-one"
  const { of } = await checked({ DATABASE_URL: wrong.href })
  expect(of("database")).toMatchObject({ state: "failed", text: expect.stringContaining("nobody_of_the_tests") })
  expect(JSON.stringify(of("database"))).not.toContain("not-this-one")
})

test("TLS to the database is verified as its address says, and a failure says what to do", async () => {
  const { url } = await databaseOf(false)
  const proxy = await startPostgresProxy(url, { tls: TEST_CERTIFICATE })
  onTestFinished(() => proxy.close())
  const root = join(await temporaryFolder(), "root.pem")
  await writeFile(root, TEST_CERTIFICATE.cert)
  const at = (query: string) => `${proxy.url}?${query}`
  const untrusted = await refusals(at("sslmode=verify-full"))
  expect(untrusted).toMatch(/certificate is not trusted: .*sslrootcert names the file of its authority/)
  expect(untrusted.trim().split("\n")).toHaveLength(1)
  expect(await refusals(at("sslmode=verify-full&sslrootcert=/nowhere.pem"))).toContain(
    "sslrootcert of its address cannot be read",
  )
  for (const mode of ["verify-full", "verify-ca", "require"]) {
    expect((await checked({ DATABASE_URL: at(`sslmode=${mode}&sslrootcert=${root}`) })).of("database")?.state).toBe(
      "ok",
    )
  }
  const { stderr } = await runCommand(["check"], { SECRET_KEY, DATABASE_URL: at("sslmode=nonsense") })
  expect(stderr).toBe(
    "DATABASE_URL must have an sslmode of disable, allow, prefer, require, verify-ca, verify-full, or none.\n",
  )
})

test("mail: a server that greets is ok; one that is away, says nothing of use, or refuses the user is told of", async () => {
  const mail = await startMailServer()
  onTestFinished(() => mail.close())
  expect((await checked({ SMTP_URL: mail.url })).of("mail")).toMatchObject({ state: "ok" })
  expect((await checked({ SMTP_URL: "smtp://127.0.0.1:9" })).of("mail")).toMatchObject({
    state: "failed",
    text: expect.stringMatching(/^The mail server 127\.0\.0\.1:9 cannot be used \(.*ECONNREFUSED/),
  })
  const other = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
  const strict = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: (_auth, _session, done) => done(new Error("no")),
  })
  await once(other.listen(0, "127.0.0.1"), "listening")
  await once(strict.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void other.close())
  onTestFinished(() => void strict.close())
  const { port } = other.address() as AddressInfo
  expect((await checked({ SMTP_URL: `smtp://127.0.0.1:${port}` })).of("mail")?.state).toBe("failed")
  const refused = await checked({
    SMTP_URL: `smtp://me:password-of-mail@127.0.0.1:${(strict.server.address() as AddressInfo).port}`,
  })
  expect(refused.of("mail")?.text).toMatch(/refuses the user or the password of SMTP_URL/)
  expect(JSON.stringify(refused.parts)).not.toContain("password-of-mail")
})

test("a bucket is written, read and deleted from, and keeps nothing", async () => {
  const s3 = await startS3Server()
  onTestFinished(() => s3.close())
  expect((await checked(s3.environment)).of("bucket")?.state).toBe("ok")
  expect(s3.operations).toEqual(expect.arrayContaining(["PutObject", "GetObject", "DeleteObject"]))
  expect(s3.stored("gathercue-check")).toEqual([])
  const wrong = await checked({ ...s3.environment, S3_SECRET_ACCESS_KEY: "another secret" })
  expect(wrong.of("bucket")).toMatchObject({ state: "failed", text: expect.stringContaining("PutObject: status 403") })
  s3.fault = (operation) => (operation === "DeleteObject" ? 403 : undefined)
  expect((await checked(s3.environment)).of("bucket")).toMatchObject({
    state: "failed",
    text: expect.stringContaining("DeleteObject: status 403"),
  })
})

test("the bucket of backups is tried under its prefix, with its own key", async () => {
  const [media, backups] = [await startS3Server(), await startS3Server()]
  onTestFinished(async () => {
    await media.close()
    await backups.close()
  })
  const own = Object.fromEntries(Object.entries(backups.environment).map(([key, value]) => [`BACKUP_${key}`, value]))
  const environment = { DATABASE_URL: "", ...media.environment, ...own, BACKUP_TO: "s3://bucket/live" }
  const { of } = await checked(environment)
  expect(of("backups")).toMatchObject({
    state: "ok",
    text: "s3://bucket/live: an object was written, read, listed and deleted",
  })
  const tried = ["PutObject", "GetObject", "ListObjectsV2", "DeleteObject"]
  expect(backups.operations).toEqual(expect.arrayContaining(tried))
  expect(backups.stored("")).toEqual([])
  for (const refused of tried) {
    backups.fault = (operation) => (operation === refused ? 403 : undefined)
    expect((await checked(environment)).of("backups")).toMatchObject({
      state: "failed",
      text: expect.stringContaining(`s3://bucket/live cannot be used (${refused}: status 403`),
      remedy: expect.stringContaining("Compare BACKUP_TO with BACKUP_S3_URL"),
    })
  }
  expect((await checked(environment)).of("bucket")?.state).toBe("ok")
  expect((await checked(media.environment)).of("backups")).toBeUndefined()
})

test("the media server has to take the key, and NATS to answer", async () => {
  const { server } = await startLiveKit()
  const livekit = {
    MEDIA_URL: server.url,
    MEDIA_API_KEY: server.apiKey,
    MEDIA_API_SECRET: Redacted.value(server.apiSecret),
  }
  expect((await checked(livekit)).of("media server")?.state).toBe("ok")
  const wrong = await checked({ ...livekit, MEDIA_API_SECRET: "another secret of the media server" })
  expect(wrong.of("media server")?.text).toContain("refuses the key MEDIA_API_KEY")
  const { url } = await databaseOf(false)
  const cluster = {
    CLUSTER_ADDRESS: "127.0.0.1:4999",
    PUBLIC_URL: `http://127.0.0.1:${await freePort()}`,
    DATABASE_URL: url,
  }
  const away = await checked({ ...cluster, NATS_URL: "nats://127.0.0.1:9" })
  expect(away.of("NATS")).toMatchObject({
    state: "failed",
    text: expect.stringContaining("NATS at NATS_URL cannot be used"),
  })
  // Nobody answers there yet, which is no fault before a server runs.
  expect(away.of("address")).toMatchObject({ state: "warning", text: expect.stringContaining("ECONNREFUSED") })
})

test("a port that another program has is a fault, and one of a running server is not", async () => {
  const other = createServer((socket) => socket.destroy())
  await once(other.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  expect((await checked({ PORT: String(port) })).of("port")).toMatchObject({
    state: "failed",
    text: expect.stringContaining("EADDRINUSE"),
  })
  const { url } = await databaseOf(false)
  const server = await startServerProcess({ DATABASE_URL: url, SECRET_KEY, PORT: "0" })
  const { ok, of } = await checked({ DATABASE_URL: url, PORT: new URL(server.url).port, PUBLIC_URL: server.url })
  expect([ok, of("port")?.text, of("address")?.state]).toEqual([
    true,
    expect.stringContaining("a Gathercue server listens"),
    "ok",
  ])
  await server.end("SIGTERM")
})

test("a data folder that cannot be made or filled is told of, and a check leaves none", async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, "file"), "")
  const { url } = await databaseOf(false)
  const bad = await checked({ DATABASE_URL: url, DATA_DIR: join(folder, "file", "data") })
  expect(bad.of("data folder")).toMatchObject({
    state: "failed",
    text: expect.stringContaining("DATA_DIR cannot be written to"),
  })
  for (const key of [{}, { SECRET_KEY }]) {
    const { code, stderr } = await refusedStart({ ...key, PORT: "0", DATA_DIR: join(folder, "file", "data") })
    expect([code, stderr.trim()]).toEqual([1, bad.of("data folder")?.text])
  }
  const full = await checked({
    DATABASE_URL: url,
    DATA_DIR: join(folder, "new"),
    MEDIA_MIN_FREE_BYTES: String(1024 ** 4),
  })
  expect([full.ok, full.of("data folder")?.state]).toEqual([true, "warning"])
  expect(await readdir(folder)).toEqual(["file"])
})

test.runIf(process.getuid?.() === 0)("root is told that a data folder belongs to another user", async () => {
  const folder = await temporaryFolder()
  expect((await checked({ DATA_DIR: folder })).of("data folder")?.state).toBe("ok")
  await chown(folder, 1, 1)
  const { ok, of } = await checked({ DATA_DIR: folder })
  expect([ok, of("data folder")]).toEqual([
    true,
    {
      part: "data folder",
      state: "warning",
      text: "The data folder belongs to daemon; run the check as that user.",
    },
  ])
})

test("as JSON a configuration that cannot be used has a part for each sentence", async () => {
  const { ok, parts } = await checked({ PORT: "many", DATABASE_POOL: "1" })
  expect(ok).toBe(false)
  expect(parts.map(({ part, state, text }) => [part, state, text.split(" ")[0]])).toEqual([
    ["configuration", "failed", "PORT"],
    ["configuration", "failed", "DATABASE_POOL"],
  ])
  const warned = await checked({ LOGLEVEL: "info" })
  expect(warned.parts[1]).toEqual({
    part: "configuration",
    state: "warning",
    text: "LOGLEVEL is no key; did you mean LOG_LEVEL?",
  })
})
