/** Backups in a bucket: made while a server runs, by what has changed, kept so many, restored, tested, and made by themselves. */
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { DEADLINES, S3Bucket } from "../src/media/storage/s3/s3-bucket.ts"
import { attachEmbeddedPostgres } from "../src/store/embedded/attach.ts"
import { call, createEvent, createWorkspace } from "../test/support/api.ts"
import { rowsOf } from "../test/support/rows.ts"
import { type S3TestServer, startS3Server } from "../test/support/s3/s3-server.ts"
import { PLATFORM_KEY } from "../test/support/server.ts"
import { runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

type Environment = { readonly [key: string]: string }

let s3: S3TestServer
/** Media stay on the disk, and backups go to the bucket. */
let bucket: Environment
beforeAll(async () => {
  s3 = await startS3Server()
  bucket = Object.fromEntries(
    ["S3_URL", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"].map((key) => [
      `BACKUP_${key}`,
      s3.environment[key] ?? "",
    ]),
  )
})
afterAll(() => s3.close())
beforeEach(() => {
  s3.fault = undefined
})

const serverIn = async (DATA_DIR: string, more: Environment = {}) => {
  const server = await startServerProcess({ DATA_DIR, PORT: "0", LOG_LEVEL: "info", ...more })
  onTestFinished(() => void server.child.kill("SIGKILL"))
  return server
}

const listsIn = (prefix: string) => s3.stored(`${prefix}/backups/`)
const objectsIn = (prefix: string) => s3.stored(`${prefix}/objects/`)

const client = (): S3Bucket =>
  new S3Bucket(
    {
      url: s3.environment["S3_URL"] ?? "",
      region: s3.credentials.region,
      accessKeyId: s3.credentials.accessKeyId,
      secretAccessKey: Redacted.make(s3.credentials.secretAccessKey),
    },
    DEADLINES,
  )

const listAt = async (key: string) =>
  JSON.parse(Buffer.from(await client().read(key, 0, (await client().size(key)) ?? 0)).toString("utf8"))

describe("of a data folder", () => {
  let dataDir: string
  let key: string
  const done: Array<() => unknown> = []
  const TO = "s3://bucket/site"
  /** The prefix of the test that counts the backups of its prefix: no other test makes one there. */
  const COUNTED = "counted"
  const backUp = (prefix = "site", more: Environment = {}) =>
    runCommand(["backup", "--to", `s3://bucket/${prefix}`], { DATA_DIR: dataDir, ...bucket, ...more })

  beforeAll(async () => {
    dataDir = await temporaryFolder((work) => void done.push(work as () => unknown))
    const server = await startServerProcess({ DATA_DIR: dataDir, PORT: "0" })
    done.push(() => server.child.kill("SIGKILL"))
    key = (await createWorkspace(server.url)).key
    await createEvent(server.url, key, { title: "kept" })
    await mkdir(join(dataDir, "media"), { recursive: true })
    await writeFile(join(dataDir, "media", "film"), "pictures")
    // Of before the first backup began.
    await utimes(join(dataDir, "media", "film"), 1_000_000_000, 1_000_000_000)
  })
  afterAll(async () => {
    for (const work of done) await work()
  })

  test("the second one stores what has changed alone, and the oldest go with what they alone had", async () => {
    const first = await backUp(COUNTED)
    expect([first.code, first.stderr]).toEqual([0, ""])
    const size =
      /^s3:\/\/bucket\/counted\/\S+Z: [\d.]+ MB in (\d+) files, of which [\d.]+ MB in (\d+) files were new\n$/
    const [, files, fresh] = size.exec(first.stdout) ?? []
    expect(Number(files)).toBeGreaterThan(500)
    expect(objectsIn(COUNTED)).toHaveLength(Number(fresh))
    const [oldest = ""] = listsIn(COUNTED)
    const second = await backUp(COUNTED)
    const [, , changed] = size.exec(second.stdout) ?? []
    expect([second.code, second.stderr]).toEqual([0, ""])
    expect(Number(changed)).toBeGreaterThan(0)
    expect(Number(changed)).toBeLessThan(60)
    // The third one lets the first go.
    expect((await backUp(COUNTED, { BACKUP_KEEP: "2" })).code).toBe(0)
    const lists = listsIn(COUNTED)
    expect([lists.length, lists.includes(oldest)]).toEqual([2, false])
    const named = new Set<string>()
    for (const list of lists) {
      for (const { sha256 } of (await listAt(list)).files) named.add(`${COUNTED}/objects/${sha256}`)
    }
    expect(objectsIn(COUNTED).toSorted()).toEqual([...named].toSorted())
    expect(existsSync(join(dataDir, "backup.partial"))).toBe(false)
  })

  test("it is restored from the bucket, with its media, and the server there is quiet", async () => {
    expect((await backUp()).code).toBe(0)
    const elsewhere = await temporaryFolder()
    const restored = await runCommand(["restore", TO], { DATA_DIR: elsewhere, ...bucket })
    expect([restored.code, restored.stderr]).toEqual([0, ""])
    expect(await readFile(join(elsewhere, "media", "film"), "utf8")).toBe("pictures")
    expect((await readdir(elsewhere)).toSorted()).toEqual(["media", "postgres", "restored", "secret-key"])
    const server = await serverIn(elsewhere)
    const { body } = await call(server.url, "GET", "/v1/events", { key })
    expect(body.events.map(({ title }: { title: string }) => title)).toEqual(["kept"])
    expect((await call(server.url, "GET", "/readyz")).body.quiet).toBe(true)
    const lists = listsIn("site").length
    const refused = await runCommand(["backup", "--to", TO], { DATA_DIR: elsewhere, ...bucket })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^The database is a copy, whose backups /),
    ])
    expect(listsIn("site")).toHaveLength(lists)
    await server.end("SIGTERM")
  })

  test("a copy that is not noticed otherwise is told of by its backup, and makes none until it is the real one", async () => {
    expect((await backUp()).code).toBe(0)
    // The database as it was before that backup: a snapshot of the disk, on the same machine.
    const attached = await attachEmbeddedPostgres({ dataDir, onLog: () => {} })
    const rows = rowsOf(attached.url)
    onTestFinished(() => rows.end())
    await rows.run(
      "update backups set made_at = made_at - interval '1 minute', known_until = made_at - interval '1 minute'",
    )
    const lists = listsIn("site")
    const refused = await backUp()
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^s3:\/\/bucket\/site has a backup of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z, which this database does not know: another server runs on a copy/,
      ),
    ])
    expect(listsIn("site")).toEqual(lists)
    // As in the moment between the list in the bucket and its note: it is this database's own.
    await rows.run("update backups set known_until = now()")
    expect((await backUp()).code).toBe(0)
    await rows.run("update backups set made_at = null, known_until = null")
    expect((await backUp()).code).toBe(1)
    const promoted = await runCommand(["promote"], { DATA_DIR: dataDir, ...bucket })
    expect([promoted.code, promoted.stdout]).toEqual([0, expect.stringContaining("is the real one already")])
    expect((await backUp()).code).toBe(0)
  })

  test("a test of it restores it and reads every row; one with other bytes fails it", async () => {
    expect((await backUp()).code).toBe(0)
    const verify = () => runCommand(["backup", "--verify", "--to", TO], { DATA_DIR: "/nowhere", ...bucket })
    const sound = await verify()
    expect([sound.code, sound.stderr, sound.stdout]).toEqual([
      0,
      "",
      expect.stringMatching(
        /s3:\/\/bucket\/site: restored and read, \d{2,} rows in \d{2,} tables, at schema version \d+; the key opens/,
      ),
    ])
    const { files } = await listAt(listsIn("site").at(-1) ?? "")
    const film = files.find(({ path }: { path: string }) => path === "media/film")
    await client().put(`site/objects/${film.sha256}`, Buffer.from("Pictures"))
    const damaged = await verify()
    expect([damaged.code, damaged.stderr]).toEqual([1, "The backup is damaged: media/film is not as it was made.\n"])
    await client().put(`site/objects/${film.sha256}`, Buffer.from("pictures"))
  })

  test("a bucket that refuses, no bucket, and another database are refused with a sentence, and nothing is listed", async () => {
    const lists = listsIn("site").length
    s3.fault = (operation) => (operation === "PutObject" ? 403 : undefined)
    const refused = await backUp()
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^s3:\/\/bucket\/site cannot be used \(PutObject: status 403 /),
    ])
    s3.fault = undefined
    expect(listsIn("site")).toHaveLength(lists)
    expect(existsSync(join(dataDir, "backup.partial"))).toBe(false)
    const none = await runCommand(["backup", "--to", TO], { DATA_DIR: dataDir })
    expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/^S3_URL or BACKUP_S3_URL, with an access key/)])
    const nowhere = await runCommand(["backup"], { DATA_DIR: dataDir })
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/^Name a folder or s3:/)])
    const external = await runCommand(["backup"], { DATABASE_URL: "postgres://h/d", BACKUP_TO: TO, ...bucket })
    expect([external.code, external.stderr]).toEqual([1, expect.stringMatching(/^BACKUP_TO is for the embedded /)])
    const empty = await runCommand(["restore", "s3://bucket/other"], { DATA_DIR: await temporaryFolder(), ...bucket })
    expect([empty.code, empty.stderr]).toEqual([1, "There is no backup in s3://bucket/other.\n"])
  })
})

test("workers make the backup that is due once, tell of one that fails, and stop amid one", async () => {
  const dataDir = await temporaryFolder()
  const server = await serverIn(dataDir, {
    ...bucket,
    BACKUP_TO: "s3://bucket/hourly",
    BACKUP_EVERY_HOURS: "1",
    PLATFORM_KEY,
    WORKERS: "2",
  })
  const log = (text: string) => server.written().split(text).length - 1
  const attached = await attachEmbeddedPostgres({ dataDir, onLog: () => {} })
  const rows = rowsOf(attached.url)
  onTestFinished(() => rows.end())
  await eventually(() => log("a backup was made") === 1, "the first backup")
  expect(listsIn("hourly")).toHaveLength(1)
  const metric = async (name: string): Promise<number> => {
    const page = await (await fetch(`${server.url}/metrics`)).text()
    return Number(new RegExp(`^gathercue_backup_${name}_seconds (.*)$`, "m").exec(page)?.[1])
  }
  await eventually(async () => (await metric("age")) > 0 && (await metric("age")) < 600, "its age")
  expect(await metric("overdue")).toBe(0)
  const status = async () =>
    (await call(server.url, "GET", "/v1/platform/status", { headers: { "x-platform-key": PLATFORM_KEY } })).body.backups
  const first = await status()
  const at = expect.stringMatching(/Z$/)
  expect(first).toEqual({
    to: "s3://bucket/hourly",
    last: { at, bytes: expect.any(Number) },
    nextAt: at,
    failure: null,
    folder: null,
  })
  const [list = ""] = listsIn("hourly")
  const { files } = await listAt(list)
  expect(first.last.bytes).toBe(files.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0))
  expect(Date.parse(first.nextAt) - Date.parse(first.last.at)).toBe(3_600_000)
  const folder = join(await temporaryFolder(), "backup")
  expect((await runCommand(["backup", folder], { DATA_DIR: dataDir })).code).toBe(0)
  expect((await status()).folder).toEqual({ at, bytes: expect.any(Number) })

  s3.fault = (operation) => (operation === "PutObject" ? 503 : undefined)
  await rows.run("update backups set made_at = made_at - interval '3 hours', tried_at = null")
  await eventually(() => log("the backup failed; it is tried again") === 1, "the failure to be told")
  expect(server.written()).toMatch(/s3:\/\/bucket\/hourly cannot be used \(PutObject: status 503/)
  await eventually(async () => (await metric("overdue")) >= 7200, "it to be overdue")
  await eventually(async () => (await status()).failure !== null, "the failure to be kept")
  const { failure, nextAt } = await status()
  expect(failure).toEqual({ at, problem: expect.stringContaining("cannot be used (PutObject: status 503") })
  // A try that failed is repeated half an hour after it began.
  expect(Date.parse(nextAt) - Date.parse(failure.at)).toBeLessThanOrEqual(1_800_000)
  expect(Date.parse(nextAt)).toBeGreaterThan(Date.parse(failure.at))
  expect(listsIn("hourly")).toHaveLength(1)

  // The backup under way ends with its server.
  s3.fault = (operation) => (operation === "PutObject" ? "hang" : undefined)
  const puts = () => s3.operations.filter((operation) => operation === "PutObject").length
  const before = puts()
  await rows.run("update backups set tried_at = null")
  await eventually(() => puts() > before, "the next try to be under way")
  expect(await server.end("SIGTERM")).toBe(0)
})
