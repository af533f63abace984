import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import postgres from "postgres"
import { describe, expect, onTestFinished, test } from "vitest"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/store/embedded/postgres.ts"
import { startTimeOf } from "../src/store/embedded/process-identity.ts"
import { EmbeddedPostgresRefused } from "../src/store/embedded/refused.ts"
import { compiled } from "../test/support/compiled.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

async function start(dataDir: string): Promise<EmbeddedPostgres & { log: ReadonlyArray<string> }> {
  const log: Array<string> = []
  const server = await startEmbeddedPostgres({
    dataDir,
    onLog: (line) => log.push(line),
    settings: { fsync: "off" },
  })
  onTestFinished(() => server.stop())
  return { ...server, log }
}

async function query<Row>(url: string, statement: string): Promise<ReadonlyArray<Row>> {
  const sql = postgres(url, { max: 1 })
  return await sql.unsafe<Array<Row & object>>(statement).finally(() => sql.end())
}

/** A process of its own that holds the folder's database. */
async function startHolder(dataDir: string): Promise<{ process: ChildProcess; url: string; pid: number }> {
  const child = spawn(process.execPath, [await compiled("test-processes/embedded-holder.ts"), dataDir], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const errors: Array<string> = []
  createInterface(child.stderr).on("line", (line) => errors.push(line))
  const lines = createInterface(child.stdout)
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`the holder ended:\n${errors.join("\n")}`)))
  const [line] = await Promise.race([once(lines, "line") as Promise<[string]>, ended])
  ended.catch(() => undefined)
  return { process: child, ...(JSON.parse(line) as { url: string; pid: number }) }
}

describe("the embedded database", () => {
  test("is a PostgreSQL 18 in UTF-8 on loopback that asks for its password, leaves no process and no lock after a stop, and keeps its rows", async () => {
    const dataDir = await temporaryFolder()
    const first = await start(dataDir)
    expect(first.version).toMatch(/^18\./)
    expect(first.dataDir).toBe(dataDir)
    expect(await query(first.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }])
    const wrong = new URL(first.url)
    wrong.password = "guess"
    await expect(query(wrong.href, "select 1")).rejects.toThrow(/password authentication failed/)
    const password = await stat(join(dataDir, "postgres/data/gathercue-password"))
    expect(password.mode & 0o777).toBe(0o600)
    await query(first.url, "create table notes (body text); insert into notes values ('grüße')")
    await Promise.all([first.stop(), first.stop()])
    await first.stop()
    expect(await startTimeOf(first.pid)).toBeUndefined()
    expect(await readdir(join(dataDir, "postgres"))).toEqual(["data"])
    expect(await readdir(join(dataDir, "postgres/data"))).not.toContain("postmaster.pid")

    const second = await start(dataDir)
    expect(await query(second.url, "select body from notes")).toEqual([{ body: "grüße" }])
    expect(
      await query(second.url, "select datlocprovider, datlocale from pg_database where datname = current_database()"),
    ).toEqual([{ datlocprovider: "b", datlocale: "C.UTF-8" }])
  })

  test("is refused to a second server, which names the folder and the owner's pid; its own end is reported, and it is started again", async () => {
    const dataDir = await temporaryFolder()
    const server = await start(dataDir)
    const refused = await start(dataDir).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(EmbeddedPostgresRefused)
    expect(String(refused)).toContain(`${join(dataDir, "postgres")} is in use by process ${process.pid}`)
    expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }])
    process.kill(server.pid, "SIGKILL")
    await server.exited
    await server.stop()
    const again = await start(dataDir)
    expect(await query(again.url, "select 1 as one")).toEqual([{ one: 1 }])
  })

  test("refuses a folder made by another major version", async () => {
    const dataDir = await temporaryFolder()
    await mkdir(join(dataDir, "postgres/data"), { recursive: true })
    await writeFile(join(dataDir, "postgres/data/PG_VERSION"), "12\n")
    await expect(start(dataDir)).rejects.toThrow(/was made by PostgreSQL 12 and this is PostgreSQL 18/)
    expect(await readdir(join(dataDir, "postgres"))).toEqual(["data"])
  })

  test.runIf(process.getuid?.() === 0)(
    "lives elsewhere, and again there, when its user cannot reach the folder",
    async () => {
      const parent = await temporaryFolder()
      await chmod(parent, 0o700)
      const wanted = join(parent, "data")
      const first = await start(wanted)
      onTestFinished(() => rm(first.dataDir, { recursive: true, force: true }))
      expect(first.dataDir).toMatch(/^\/var\/lib\/gathercue\/[0-9a-f]{12}$/)
      expect(first.log.join("\n")).toContain(`${wanted} is kept in ${first.dataDir}`)
      await query(first.url, "create table kept ()")
      await first.stop()

      await chmod(parent, 0o711)
      const second = await start(wanted)
      expect(second.dataDir).toBe(first.dataDir)
      expect(await query(second.url, "select * from kept")).toEqual([])
    },
  )
})

describe("one data folder", () => {
  test("goes to exactly one of many that start at once", async () => {
    const dataDir = await temporaryFolder()
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => start(dataDir)))
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []))
    expect(refusals).toHaveLength(7)
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(EmbeddedPostgresRefused)
  })

  test("is free again after its owner was killed, and the orphaned PostgreSQL is ended first", async () => {
    const dataDir = await temporaryFolder()
    const holder = await startHolder(dataDir)
    await query(holder.url, "create table survived ()")
    await expect(start(dataDir)).rejects.toThrow(`in use by process ${holder.process.pid}`)
    const ended = once(holder.process, "exit")
    holder.process.kill("SIGKILL")
    await ended
    expect(await startTimeOf(holder.pid)).toBeDefined()

    const server = await start(dataDir)
    expect(await startTimeOf(holder.pid)).toBeUndefined()
    expect(server.log.join("\n")).toContain(`ending PostgreSQL ${holder.pid}`)
    expect(await query(server.url, "select * from survived")).toEqual([])
  })

  test("is free again after its owner and its PostgreSQL were killed together", async () => {
    const dataDir = await temporaryFolder()
    const holder = await startHolder(dataDir)
    const ended = once(holder.process, "exit")
    holder.process.kill("SIGKILL")
    process.kill(holder.pid, "SIGKILL")
    await ended
    const server = await start(dataDir)
    expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }])
  })

  test("is not blocked by living processes that merely got the pids of dead ones", async () => {
    const dataDir = await temporaryFolder()
    await (await start(dataDir)).stop()
    const folder = join(dataDir, "postgres")
    await mkdir(join(folder, "owner"))
    await writeFile(join(folder, "owner", `${process.pid}_1_0000000000000000`), "")
    const pidFile = join(folder, "data/postmaster.pid")
    await writeFile(pidFile, `${process.pid}\n${join(folder, "data")}\n1\n5432\n\n127.0.0.1\n`)
    const outcomes = await Promise.allSettled([start(dataDir), start(dataDir), start(dataDir)])
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected", "rejected"])
    expect((await readFile(pidFile, "utf8")).split("\n")[0]).not.toBe(String(process.pid))
  })
})
