/** The tools of the operator as processes: what they print, their exit codes, and that a check changes nothing. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createWorkspace } from "../test/support/api.ts"
import { createEmptyDatabase, createTestDatabase } from "../test/support/database.ts"
import { runCommand, startServerProcess } from "../test/support/server-process.ts"
import { openStore } from "../test/support/store.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

const SECRET_KEY = "secret-key-of-the-tests-0123456789abcdef"

const database = async () => {
  const made = await createTestDatabase()
  onTestFinished(() => made.drop())
  return made
}

test("the help has every command and key, and the version is that of the package", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"))
  expect(await runCommand(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
  const { code, stdout } = await runCommand(["--help"])
  expect(code).toBe(0)
  for (const word of ["serve", "migrate", "check", "keys reseal", "--env-file", "DATABASE_URL", "SECRET_KEYS_OLD"]) {
    expect(stdout).toContain(word)
  }
})

test("an unknown argument starts no server", async () => {
  expect(await runCommand(["--port", "9999"], { SECRET_KEY })).toEqual({
    code: 1,
    stdout: "",
    stderr: "Unknown option '--port'; gathercue --help lists the commands and options.\n",
  })
})

test("all problems of the configuration are told at once, by the check and by the server", async () => {
  const wrong = { NODE_ENV: "production", PORT: "many", PUBLIC_URL: "http://x", DATABASE_POOL: "1" }
  for (const args of [["check"], []]) {
    const { code, stderr } = await runCommand(args, wrong)
    expect(code).toBe(1)
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0])
        .toSorted(),
    ).toEqual(["DATABASE_POOL", "PORT", "PUBLIC_URL", "SECRET_KEY"])
  }
})

test("keys of a file are read, and those of the environment precede them", async () => {
  const folder = await temporaryFolder()
  const file = join(folder, "settings")
  await writeFile(file, 'PORT=many\nDATABASE_POOL="1"\n')
  const { stderr } = await runCommand(["check", "--env-file", file], { PORT: "1234", DATA_DIR: folder })
  expect(stderr).toBe('DATABASE_POOL must be a whole number from 2 to 100, but is "1".\n')
  const missing = await runCommand(["--env-file", join(folder, "none")])
  // Some releases of Node read the option themselves, wherever it stands, and end with their own code and sentence.
  expect(missing.code).toBeGreaterThan(0)
  expect(missing.stderr).toMatch(/^The file .*none cannot be read \(|none: not found\n$/)
})

test("a check of a new folder makes nothing in it", async () => {
  const folder = await temporaryFolder()
  const { code, stdout } = await runCommand(["check"], { DATA_DIR: folder, PORT: "0" })
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`^configuration  can be used\ndatabase       none in ${folder} yet: the first start makes it\n`),
    ),
  ])
  expect(await readdir(folder)).toEqual([])
})

test("a check makes nothing in an empty database, which gets its key from the first start, and a migration brings it to this build", async () => {
  const { url, drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const DATA_DIR = await temporaryFolder()
  const environment = { DATABASE_URL: url, DATA_DIR, PORT: "0" }
  const sql = openStore(url)
  onTestFinished(() => sql.end())
  const empty = await runCommand(["check"], environment)
  expect([empty.code, empty.stdout]).toEqual([
    0,
    expect.stringMatching(/at DATABASE_URL, empty, its tables are made by /),
  ])
  expect(await readdir(DATA_DIR)).toEqual([])
  expect(await sql`select to_regclass('schema_migrations') as found`).toMatchObject([{ found: null }])
  const migrated = await runCommand(["migrate"], { ...environment, SECRET_KEY })
  expect([migrated.code, migrated.stdout]).toEqual([0, expect.stringMatching(/: schema version 0 -> \d+\n$/)])
})

test("a check and a migration of a database that is up to date say so", async () => {
  const { url } = await database()
  const environment = { DATABASE_URL: url, SECRET_KEY, PORT: "0" }
  const migrated = await runCommand(["migrate"], environment)
  expect([migrated.code, migrated.stdout]).toEqual([0, expect.stringMatching(/: schema version \d+, up to date\n$/)])
  const { code, stdout } = await runCommand(["check"], environment)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/at DATABASE_URL, at schema version \d+\nkeys +open everything/),
  ])
})

test("a check refuses a database of a newer build, one that is not reached, and one of another key", async () => {
  const { url } = await database()
  const sql = openStore(url)
  onTestFinished(() => sql.end())
  const server = await startServerProcess({ DATABASE_URL: url, SECRET_KEY, PORT: "0" })
  await createWorkspace(server.url)
  await server.end("SIGTERM")
  const other = await runCommand(["check"], { PORT: "0", DATABASE_URL: url, SECRET_KEY: "x".repeat(32) })
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^The secrets .* another key; /)])
  await sql`insert into schema_migrations (version, name) values (9999, 'of_tomorrow')`
  const newer = await runCommand(["check"], { PORT: "0", DATABASE_URL: url, SECRET_KEY })
  expect([newer.code, newer.stderr]).toEqual([1, expect.stringMatching(/^The database has migration 9999, /)])
  const gone = await runCommand(["check"], { PORT: "0", DATABASE_URL: "postgres://127.0.0.1:9/none", SECRET_KEY })
  expect([gone.code, gone.stderr]).toEqual([
    1,
    expect.stringMatching(/^The database at DATABASE_URL cannot be used \(/),
  ])
})

test("a check, a migration and a start refuse a database of before the baseline with one sentence, and change nothing", async () => {
  const { url } = await database()
  const sql = openStore(url)
  onTestFinished(() => sql.end())
  await sql`delete from schema_migrations where version > 21`
  const environment = { PORT: "0", DATABASE_URL: url, SECRET_KEY }
  const sentence =
    "The database has schema version 21, and this build takes databases from version 37 on. Start an earlier build on it that has migrations 22 to 37, and then this one.\n"
  for (const command of ["check", "migrate", "serve"]) {
    const { code, stderr } = await runCommand([command], environment)
    expect([command, code, stderr]).toEqual([command, 1, sentence])
  }
  expect(await sql`select max(version) as last from schema_migrations`).toMatchObject([{ last: 21 }])
})

test("beside a server on the embedded database, and after it, a check and the keys find its database", async () => {
  const DATA_DIR = await temporaryFolder()
  const server = await startServerProcess({ DATA_DIR, PORT: "0" })
  const during = await runCommand(["check"], { PORT: "0", DATA_DIR })
  expect([during.code, during.stdout]).toEqual([
    0,
    expect.stringMatching(/at schema version \d+\nkeys +open everything/),
  ])
  const keys = await runCommand(["keys"], { DATA_DIR })
  expect(keys).toEqual({ code: 0, stdout: "SECRET_KEY opens 3 keys of hashes, 1 checks of the key\n", stderr: "" })
  await eventually(async () => (await fetch(`${server.url}/readyz`)).status === 200, "readiness")
  await server.end("SIGTERM")
  expect((await runCommand(["check"], { PORT: "0", DATA_DIR })).code).toBe(0)
  await rm(join(DATA_DIR, "secret-key"))
  const lost = await runCommand(["check"], { PORT: "0", DATA_DIR })
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringMatching(/^The key of the database is missing: /)])
})
