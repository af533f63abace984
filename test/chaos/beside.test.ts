/** Chaos runs with two builds: which ones, which node runs which, and whether the run tested that they understand each other. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { PREVIOUS, refBeside } from "../../chaos/beside/choose-ref.ts"
import { Rollout } from "../../chaos/beside/rollout.ts"
import { judgeSideBySide } from "../../chaos/beside/side-by-side.ts"
import { type Look, Traffic, type TrafficRow } from "../../chaos/beside/traffic.ts"
import { faultsOf, schedule } from "../../chaos/faults/schedule.ts"
import { Ledger } from "../../chaos/ledger/ledger.ts"
import { NotPossible } from "../../chaos/options.ts"
import { reportOf } from "../../chaos/report.ts"
import { type Build, buildIn, migrationsBeyond } from "../../chaos/site/build.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const build = (name: string, ...migrations: ReadonlyArray<number>): Build => ({ name, main: "", migrations })

const OLD = build("old", 1, 2)
const SAME = build("new", 1, 2)
const MIGRATED = build("new", 1, 2, 3)
const NODES = [0, 1, 2]

const names = (rollout: Rollout): string => NODES.map((node) => rollout.buildOf(node).name).join(" ")

test("nodes are replaced one after the other, and go back in the same way when the schema is the same", () => {
  const rollout = new Rollout({ before: OLD, after: SAME }, 3, 60_000)
  expect(names(rollout)).toBe("old old old")
  const states = Array.from({ length: 7 }, () => `${rollout.turn(0)}: ${names(rollout)}`)
  expect(states).toEqual([
    "0: new old old",
    "1: new new old",
    "2: new new new",
    "0: old new new",
    "1: old old new",
    "2: old old old",
    "0: new old old",
  ])
  rollout.finish()
  expect(names(rollout)).toBe("new new new")
})

test("a rollout that cannot go back is spread over the run, and restarts replaced nodes meanwhile", () => {
  const rollout = new Rollout({ before: OLD, after: MIGRATED }, 3, 60_000)
  const turns = [5000, 15_000, 24_999, 25_000, 30_000, 31_000, 45_000, 50_000]
  expect(turns.map((at) => rollout.turn(at))).toEqual([0, 0, 0, 1, 0, 1, 2, 1])
  expect(rollout.migrations).toEqual([3])
})

test("a node of the build before that crashes on the new schema comes back as the build after", () => {
  const rollout = new Rollout({ before: OLD, after: MIGRATED }, 3, 60_000)
  expect(rollout.buildOf(1).name).toBe("old")
  rollout.turn(0)
  expect(rollout.buildOf(1).name).toBe("old")
  expect(rollout.buildOf(0).name).toBe("new")
  expect(rollout.buildOf(1).name).toBe("new")
})

test("a migration of the build before that this one lacks is known", () => {
  expect(migrationsBeyond(MIGRATED, OLD)).toEqual([3])
  expect(migrationsBeyond(OLD, MIGRATED)).toEqual([])
})

test("the baseline of a build stands for all migrations up to its number", async () => {
  const folder = await temporaryFolder()
  const sql = join(folder, "dist/src/store/sql")
  await mkdir(join(sql, "0003_baseline"), { recursive: true })
  await mkdir(join(sql, "functions"))
  for (const file of ["0003_baseline/1_rooms.sql", "0004_late.sql"]) await writeFile(join(sql, file), "")
  expect(buildIn(folder, "new").migrations).toEqual([1, 2, 3, 4])
})

const look = (at: number, ...owners: ReadonlyArray<readonly [event: string, pid: number, build: string]>): Look => ({
  from: at,
  to: at + 2,
  owners: new Map(owners.map(([event, pid, name]) => [event, { pid, build: name }])),
})

const told = (rows: ReadonlyArray<TrafficRow>): ReadonlyArray<string> =>
  rows.map(({ owner, gateway, acknowledged, lateMs }) => `${owner} ${gateway} ${acknowledged} ${lateMs.join()}`)

test("a command counts for the build that owned the event all the while, and for no other", () => {
  const traffic = new Traffic()
  const command = (mark: string, eventId: string, askedAt: number, at: number) =>
    traffic.acknowledged({ mark, eventId, gateway: "new", askedAt, at })
  traffic.looked(look(100, ["a", 1, "old"], ["b", 2, "new"], ["d", 4, "old"]))
  command("during a look", "a", 101, 120)
  command("after it", "a", 102, 120)
  command("own", "b", 130, 140)
  command("nobody's", "c", 130, 140)
  command("passed on", "d", 130, 140)
  command("later", "a", 190, 210)
  traffic.looked(look(200, ["a", 1, "old"], ["b", 2, "new"], ["d", 5, "old"]))
  expect(told(traffic.rows(["old", "new"]))).toEqual(["old old 0 ", "old new 1 ", "new old 0 ", "new new 1 "])
  expect(traffic.unattributed).toBe(3)
  traffic.looked(look(300, ["a", 1, "old"]))
  expect(told(traffic.rows(["old", "new"]))[1]).toBe("old new 2 ")
})

test("an announcement is as late as it is heard after its acknowledgement, on sockets that were there", () => {
  const traffic = new Traffic()
  const hear = (gateway: string, at: number, readyAt = 0) => traffic.heard({ mark: "m", gateway, at, readyAt })
  traffic.looked(look(100, ["a", 1, "old"]))
  hear("old", 115)
  traffic.acknowledged({ mark: "m", eventId: "a", gateway: "old", askedAt: 110, at: 120 })
  hear("new", 150)
  hear("new", 900, 500)
  traffic.looked(look(200, ["a", 1, "old"]))
  expect(told(traffic.rows(["old", "new"])).slice(0, 2)).toEqual(["old old 1 0", "old new 0 30"])
})

const row = (owner: string, gateway: string, acknowledged: number, lateMs: ReadonlyArray<number>): TrafficRow => ({
  owner,
  gateway,
  acknowledged,
  lateMs,
})

const judged = (...traffic: ReadonlyArray<TrafficRow>): ReadonlyArray<string> => {
  const ledger = new Ledger()
  judgeSideBySide({ traffic }, ledger)
  return ledger.violations.map(({ what }) => what)
}

test("a run without commands or announcements between the builds fails, and one in which they come late", () => {
  expect(judged(row("old", "old", 0, []), row("old", "new", 1, [2]), row("new", "old", 1, [1, 20, 9000]))).toEqual([])
  expect(judged(row("old", "new", 0, [1]), row("new", "old", 1, []))).toEqual([
    "not tested: no command passed between an owner of old and a gateway of new",
    "not tested: no announcement passed between an owner of new and a gateway of old",
  ])
  expect(judged(row("old", "new", 9, [20, 2500, 4000]))).toEqual([
    "announcements between an owner of old and a gateway of new come 2500 ms late (p50)",
  ])
})

test("two builds are struck by their rollout before each other fault, and alone when none is named", () => {
  const setting = { nodes: 3, isBeside: true }
  const first = (wanted: ReadonlyArray<string>) => {
    const strikes = schedule(1, "external", wanted, setting)
    return Array.from({ length: 4 }, () => strikes.next().value?.fault.name)
  }
  expect(first([])).toEqual(["roll", "roll", "roll", "roll"])
  expect(first(["node-kill"])).toEqual(["roll", "node-kill", "roll", "node-kill"])
  expect(faultsOf("external", ["roll"], { nodes: 3 })).toEqual([])
  expect(faultsOf("external", [], { nodes: 3 }).map(({ name }) => name)).not.toContain("roll")
})

test("the report says which builds ran, for how long side by side, and how they dealt with each other", () => {
  const report = reportOf("Seed 1", [
    {
      database: "external",
      nodes: 3,
      sideBySide: {
        before: "v1.0.0",
        after: "this checkout",
        migrations: [25, 26],
        starts: new Map([
          ["v1.0.0", 3],
          ["this checkout", 4],
        ]),
        togetherMs: 41_200,
        traffic: [row("v1.0.0", "this checkout", 7, [4, 12])],
        unattributed: 2,
      },
      ledger: new Ledger(),
      counted: new Map(),
      struck: [],
      log: new Map(),
    },
  ])
  expect(report).toContain(
    "Starts of nodes: v1.0.0 3, this checkout 4. Both served side by side for 41.2 s.\nMigrations that ran while nodes of v1.0.0 went on: 25, 26.",
  )
  expect(report).toContain("| v1.0.0 | this checkout | 7 | 2 | 0.004 | 0.012 | 0.012 |")
})

/** A repository of its own. */
const repository = () => {
  const root = mkdtempSync(join(tmpdir(), "gathercue-ref-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const git = (...args: ReadonlyArray<string>): string =>
    execFileSync("git", ["-C", root, "-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      encoding: "utf8",
      stdio: "pipe",
    }).trim()
  git("init", "--quiet", "--initial-branch", "main")
  /** The folder that makes a build one that can be a node, or any other. */
  const commit = (folder: string): string => {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, "file.ts"), `// ${folder} ${Math.random()}`)
    git("add", ".")
    git("commit", "--quiet", "--no-gpg-sign", "--message", folder)
    return git("rev-parse", "HEAD")
  }
  return { root, git, commit }
}

test("the previous build is the newest release, and without one the commit before", async () => {
  const { root, git, commit } = repository()
  const previous = () => refBeside(root, PREVIOUS)
  await expect(previous()).rejects.toThrow("There is no previous build")
  commit("src")
  git("tag", "v0.9.0")
  await expect(previous()).rejects.toThrow(NotPossible)
  const first = commit("src/cluster")
  await expect(previous()).rejects.toThrow("There is no previous build")
  commit("docs")
  expect(await previous()).toEqual({ name: first.slice(0, 10), commit: first })

  git("tag", "v1.9.0", first)
  git("tag", "v1.10.0", "--no-sign")
  git("tag", "v2.0.0-rc.1", first)
  // A checkout of a release runs beside the release before it.
  expect(await previous()).toEqual({ name: "v1.9.0", commit: first })
  const release = git("rev-parse", "HEAD")
  commit("docs")
  expect(await previous()).toEqual({ name: "v1.10.0", commit: release })
})

test("a commit that is named must be here, and must be able to run as a node", async () => {
  const { root, git, commit } = repository()
  const alone = commit("src")
  const node = commit("src/cluster")
  git("tag", "try")
  expect(await refBeside(root, "try")).toEqual({ name: `try (${node.slice(0, 10)})`, commit: node })
  await expect(refBeside(root, alone)).rejects.toThrow("cannot run as a node: it has no src/cluster")
  await expect(refBeside(root, "--all")).rejects.toThrow('There is no commit "--all" in this repository.')
})

test("where there is no repository there is no previous build", async () => {
  const root = mkdtempSync(join(tmpdir(), "gathercue-ref-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  await expect(refBeside(root, PREVIOUS)).rejects.toThrow(NotPossible)
})
