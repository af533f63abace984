/** Backups of the embedded database: taken while people write, restored elsewhere, and refused when they are not whole. */
import { existsSync } from "node:fs"
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace } from "../test/support/api.ts"
import { killedCommand, refusedStart, runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

type WhenFinished = typeof onTestFinished
type Environment = { readonly [key: string]: string }

const serverIn = async (DATA_DIR: string, more: Environment = {}, whenFinished: WhenFinished = onTestFinished) => {
  const server = await startServerProcess({ DATA_DIR, PORT: "0", ...more })
  whenFinished(async () => void server.child.kill("SIGKILL"))
  return server
}

const titles = async (url: string, key: string): Promise<ReadonlyArray<string>> => {
  const found: string[] = []
  let after = ""
  do {
    const { body } = await call(url, "GET", `/v1/events?limit=100${after}`, { key })
    found.push(...body.events.map(({ title }: { title: string }) => title))
    after = body.nextCursor === null ? "" : `&cursor=${encodeURIComponent(body.nextCursor)}`
  } while (after !== "")
  return found
}

test("a backup that is taken while events are made has all that was there before it, and the restored server goes on", async () => {
  const [dataDir, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
  const backup = join(await temporaryFolder(), "backup")
  const server = await serverIn(dataDir)
  const { key } = await createWorkspace(server.url)
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url: "http://127.0.0.1:9/" } })).body
  const made: string[] = []
  let isOver = false
  const lane = async (name: string): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      await createEvent(server.url, key, { title: `${name} ${n}` })
      made.push(`${name} ${n}`)
    }
  }
  const lanes = Promise.all(["one", "two", "three"].map(lane))
  await eventually(() => made.length >= 30, "thirty events")
  const before = [...made]
  const taken = await runCommand(["backup", backup], { DATA_DIR: dataDir })
  isOver = true
  await lanes
  expect([taken.code, taken.stdout, taken.stderr]).toEqual([
    0,
    expect.stringMatching(/^\S+backup: \d+\.\d MB in \d+ files\n$/),
    "",
  ])
  expect((await readdir(backup)).toSorted()).toEqual(["database", "manifest.json", "secret-key"])
  expect(made.length).toBeGreaterThan(before.length)
  await server.end("SIGKILL")

  const restored = await runCommand(["restore", backup], { DATA_DIR: elsewhere })
  expect([restored.code, restored.stderr]).toEqual([0, ""])
  const second = await serverIn(elsewhere)
  const there = await titles(second.url, key)
  expect(there).toEqual(expect.arrayContaining(before))
  expect(made.length - there.length).toBeLessThanOrEqual(made.length - before.length)
  await createEvent(second.url, key, { title: "afterwards" })
  expect((await call(second.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })).status).toBe(201)
  await second.end("SIGTERM")
  const { stdout } = await runCommand(["keys"], { DATA_DIR: elsewhere })
  expect(stdout).toContain("1 webhook secrets")
})

describe("of a server that is stopped", () => {
  const stopped = async (more: Environment = {}, whenFinished: WhenFinished = onTestFinished) => {
    const dataDir = await temporaryFolder(whenFinished)
    const server = await serverIn(dataDir, more, whenFinished)
    const { key } = await createWorkspace(server.url)
    await createEvent(server.url, key, { title: "kept" })
    await server.end("SIGTERM")
    await mkdir(join(dataDir, "media"), { recursive: true })
    await writeFile(join(dataDir, "media", "film"), "pictures")
    const backup = join(await temporaryFolder(whenFinished), "backup")
    const { code } = await runCommand(["backup", backup], { DATA_DIR: dataDir, ...more })
    expect(code).toBe(0)
    return { dataDir, backup, key }
  }

  /** One for all tests, which damage copies of it. */
  let kept: Awaited<ReturnType<typeof stopped>>
  const done: Array<() => unknown> = []
  beforeAll(async () => {
    kept = await stopped({}, (call) => void done.push(call as () => unknown))
  })
  afterAll(async () => {
    for (const call of done) await call()
  })

  test("media come with it, and nothing is put over what is there", async () => {
    const { dataDir, backup, key } = kept
    const again = await runCommand(["backup", backup], { DATA_DIR: dataDir })
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^There is something in \S+ already; /)])
    const over = await runCommand(["restore", backup], { DATA_DIR: dataDir })
    expect([over.code, over.stderr]).toEqual([1, expect.stringMatching(/^There is a database in \S+ already; /)])
    const elsewhere = await temporaryFolder()
    expect((await runCommand(["restore", backup], { DATA_DIR: elsewhere })).code).toBe(0)
    expect(await readFile(join(elsewhere, "media", "film"), "utf8")).toBe("pictures")
    const server = await serverIn(elsewhere)
    expect(await titles(server.url, key)).toEqual(["kept"])
    await server.end("SIGTERM")
  })

  test("a restore that was killed half-way lets no server start, and is done by a second one", async () => {
    const { backup } = kept
    const elsewhere = await temporaryFolder()
    // As the kill leaves it: the note, the media and the key, and no database.
    await writeFile(join(elsewhere, "restoring"), "")
    await cp(join(backup, "media"), join(elsewhere, "media"), { recursive: true })
    await cp(join(backup, "secret-key"), join(elsewhere, "secret-key"))
    for (const command of ["serve", "check", "backup"]) {
      const { code, stderr } = await runCommand(command === "backup" ? [command, `${backup}-2`] : [command], {
        DATA_DIR: elsewhere,
        PORT: "0",
      })
      const sentence = command === "backup" ? /^There is no database in / : /^A backup was put into \S+ only in part; /
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(sentence)])
    }
    expect((await runCommand(["restore", backup], { DATA_DIR: elsewhere })).code).toBe(0)
    expect((await readdir(elsewhere)).toSorted()).toEqual(["media", "postgres", "restored", "secret-key"])
  })

  test("a restore is killed in the middle, and a second one does it", async () => {
    const elsewhere = await temporaryFolder()
    const hasNote = () => existsSync(join(elsewhere, "restoring"))
    await killedCommand(["restore", kept.backup], { DATA_DIR: elsewhere }, hasNote)
    const again = await runCommand(["restore", kept.backup], { DATA_DIR: elsewhere })
    expect([again.code, again.stderr]).toEqual([0, ""])
    expect(await readFile(join(elsewhere, "media", "film"), "utf8")).toBe("pictures")
    expect((await runCommand(["check"], { DATA_DIR: elsewhere })).code).toBe(0)
  })

  test.each([
    [
      "a file that is cut short",
      async (backup: string) => truncate(join(backup, "database", "global", "pg_control"), 100),
    ],
    ["a file that is missing", async (backup: string) => rm(join(backup, "database", "backup_label"))],
    ["a file that was added", async (backup: string) => writeFile(join(backup, "database", "more"), "")],
    ["a changed film", async (backup: string) => writeFile(join(backup, "media", "film"), "others")],
    ["a changed key", async (backup: string) => writeFile(join(backup, "secret-key"), "x".repeat(43))],
  ])("%s is found, and nothing is left in the folder", async (_, damage) => {
    const backup = join(await temporaryFolder(), "backup")
    await cp(kept.backup, backup, { recursive: true })
    await damage(backup)
    const elsewhere = await temporaryFolder()
    const { code, stderr } = await runCommand(["restore", backup], { DATA_DIR: elsewhere })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The backup is damaged: /)])
    const left = await readdir(elsewhere)
    expect(left.filter((name) => name !== "postgres")).toEqual([])
    expect(left.includes("postgres") ? await readdir(join(elsewhere, "postgres")) : []).toEqual([])
  })

  describe.runIf(process.getuid?.() === 0)("restored by root", () => {
    /** Any user without a right on other folders: the name is in every passwd(5). */
    const USER = { name: "daemon", uid: 1 }

    const ownersIn = async (folder: string): Promise<ReadonlyArray<number>> => {
      const names = await readdir(folder, { recursive: true })
      const stats = await Promise.all(["", ...names].map((name) => stat(join(folder, name))))
      return [...new Set(stats.map(({ uid }) => uid))]
    }

    /** The server of root runs the database as the owner of its files, who must reach them. */
    const serves = async (dataDir: string): Promise<void> => {
      const server = await serverIn(dataDir)
      expect(await titles(server.url, kept.key)).toEqual(["kept"])
      await server.end("SIGTERM")
    }

    test("into a folder of another user, the files are that user's", async () => {
      const elsewhere = join(await temporaryFolder(), "data")
      await mkdir(elsewhere, { mode: 0o700 })
      await chown(elsewhere, USER.uid, USER.uid)
      const restored = await runCommand(["restore", kept.backup], { DATA_DIR: elsewhere })
      expect([restored.code, restored.stderr]).toEqual([0, ""])
      expect((await readdir(elsewhere)).toSorted()).toEqual(["media", "postgres", "restored", "secret-key"])
      expect(await ownersIn(elsewhere)).toEqual([USER.uid])
      await serves(elsewhere)
      expect(await ownersIn(join(elsewhere, "postgres"))).toEqual([USER.uid])
    })

    test("into a new folder, they are the user's whose data it was, else the user's of the folder around it", async () => {
      const backup = join(await temporaryFolder(), "backup")
      await cp(kept.backup, backup, { recursive: true })
      const manifest = JSON.parse(await readFile(join(backup, "manifest.json"), "utf8"))
      expect(manifest.owner).toBeUndefined()
      await writeFile(join(backup, "manifest.json"), JSON.stringify({ ...manifest, owner: USER.name }))
      const first = join(await temporaryFolder(), "data")
      expect((await runCommand(["restore", backup], { DATA_DIR: first })).code).toBe(0)
      expect([await ownersIn(first), (await stat(first)).mode & 0o777]).toEqual([[USER.uid], 0o700])
      await serves(first)
      const again = join(await temporaryFolder(), "again")
      expect((await runCommand(["backup", again], { DATA_DIR: first })).code).toBe(0)
      expect(JSON.parse(await readFile(join(again, "manifest.json"), "utf8")).owner).toBe(USER.name)

      await writeFile(join(backup, "manifest.json"), JSON.stringify({ ...manifest, owner: "nobody-of-the-tests" }))
      const around = await temporaryFolder()
      await chown(around, USER.uid, USER.uid)
      expect((await runCommand(["restore", backup], { DATA_DIR: join(around, "data") })).code).toBe(0)
      expect(await ownersIn(join(around, "data"))).toEqual([USER.uid])
    })

    test("into a folder that the user of the database may not pass through, it is refused and leaves nothing", async () => {
      const parent = await temporaryFolder()
      await chmod(parent, 0o700)
      const { code, stderr } = await runCommand(["restore", kept.backup], { DATA_DIR: join(parent, "data") })
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^A backup is not restored into \S+, as its user .*\n$/),
      ])
      expect(await readdir(parent)).toEqual([])
    })
  })

  test("a restored folder without its database lets no server start, and can be restored again", async () => {
    const elsewhere = await temporaryFolder()
    expect((await runCommand(["restore", kept.backup], { DATA_DIR: elsewhere })).code).toBe(0)
    await rm(join(elsewhere, "postgres"), { recursive: true })
    const { code, stderr } = await refusedStart({ DATA_DIR: elsewhere, PORT: "0" })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^A backup was restored into \S+, and its database is not /),
    ])
    expect((await runCommand(["restore", kept.backup], { DATA_DIR: elsewhere })).code).toBe(0)
    expect((await runCommand(["check"], { DATA_DIR: elsewhere })).code).toBe(0)
  })

  test("a backup that cannot be read is not said to be none", async () => {
    const backup = await temporaryFolder()
    await mkdir(join(backup, "manifest.json"))
    const { code, stderr } = await runCommand(["restore", backup], { DATA_DIR: join(backup, "data") })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The backup in \S+ cannot be read \(EISDIR: .*\)\.\n$/)])
  })

  test("a folder that cannot be made is told in one sentence, and nothing is left of the backup", async () => {
    // A file is where the folder of the backup would be.
    const folder = await temporaryFolder()
    await writeFile(join(folder, "file"), "")
    const target = join(folder, "file", "backup")
    const { code, stderr } = await runCommand(["backup", target], { DATA_DIR: kept.dataDir })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The backup in \S+ could not be written: ENOTDIR.*\n$/)])
    expect(await readdir(folder)).toEqual(["file"])
  })

  test("a configured key is not in it, and is asked for", async () => {
    const SECRET_KEY = "k".repeat(40)
    const { backup, key } = await stopped({ SECRET_KEY })
    const elsewhere = await temporaryFolder()
    const refused = await runCommand(["restore", backup], { DATA_DIR: elsewhere })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^The backup has no key: /)])
    expect((await runCommand(["restore", backup], { DATA_DIR: elsewhere, SECRET_KEY })).code).toBe(0)
    const server = await serverIn(elsewhere, { SECRET_KEY })
    expect(await titles(server.url, key)).toEqual(["kept"])
    await server.end("SIGTERM")
  })
})

test("two backups at once are both whole", async () => {
  const dataDir = await temporaryFolder()
  const folder = await temporaryFolder()
  const server = await serverIn(dataDir)
  const taken = await Promise.all(
    ["one", "two"].map((name) => runCommand(["backup", join(folder, name)], { DATA_DIR: dataDir })),
  )
  expect(taken.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ])
  await server.end("SIGTERM")
  for (const name of ["one", "two"]) {
    const elsewhere = await temporaryFolder()
    expect((await runCommand(["restore", join(folder, name)], { DATA_DIR: elsewhere })).code).toBe(0)
    expect((await runCommand(["check"], { DATA_DIR: elsewhere })).code).toBe(0)
  }
})

test("there is nothing to back up, nothing to restore, or it is PostgreSQL's own affair: each in a sentence", async () => {
  const folder = await temporaryFolder()
  const target = join(folder, "backup")
  for (const [args, environment, sentence] of [
    [["backup", target], { DATA_DIR: folder }, /^There is no database in /],
    [["restore", folder], { DATA_DIR: folder }, /is no backup: it has no file manifest\.json\.\n$/],
    [["backup", target], { DATABASE_URL: "postgres://127.0.0.1:9/x" }, /^The database is at DATABASE_URL: /],
    [["restore", target], { DATABASE_URL: "postgres://127.0.0.1:9/x" }, /^The database is at DATABASE_URL: /],
  ] as const) {
    const { code, stderr } = await runCommand(args, environment)
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
  }
  await writeFile(join(folder, "manifest.json"), '{"format":2,"madeAt":"","files":[]}')
  const newer = await runCommand(["restore", folder], { DATA_DIR: join(folder, "new") })
  expect([newer.code, newer.stderr]).toEqual([1, expect.stringMatching(/is no backup that this build can read\.\n$/)])
  expect(await readdir(folder)).toEqual(["manifest.json"])
})
