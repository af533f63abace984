/** Whole playlists of broadcasts that are over: how many are built at once, and what becomes of one that lacks a take. */
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { pino } from "pino"
import { expect, test } from "vitest"
import { BuildTurns } from "../../src/media/stage/build-turns.ts"
import { type StagePlaylist, stagePlaylist } from "../../src/media/stage/stage-broadcasts.ts"
import { MediaStorage } from "../../src/media/storage/storage.ts"
import { Database, type Queryable } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"

/** A broadcast that is over, of two takes, and the files in its bucket. */
const openStage = () => {
  const files = new Map<string, string>()
  const opened: string[] = []
  const logged: string[] = []
  const rows = (statement: string): ReadonlyArray<object> => {
    if (statement.includes("stage_oldest")) return [{ oldest: 0, next: 0, takes: 0 }]
    if (statement.includes("from recordings take")) {
      return ["a", "b"].map((id) => ({ id, storageKey: id, hasEnded: true, isOverdue: false, place: null }))
    }
    return [{ id: "broadcast", status: "ended", visibility: "public" }]
  }
  const sql = (strings: ReadonlyArray<string>) => Promise.resolve(rows(strings.join("?")))
  const database = {
    run: <A>(work: (sql: Queryable) => Promise<A>) => Effect.promise(() => work(sql as unknown as Queryable)),
  }
  const storage = {
    open: (key: string) =>
      Effect.sync(() => {
        opened.push(key)
        const bytes = Buffer.from(files.get(key) ?? "")
        const read = async (into: Uint8Array) => bytes.copy(into)
        return files.has(key) ? { size: bytes.byteLength, read, close: async () => {} } : null
      }),
    linkTo: (key: string) => `https://bucket/${key}`,
  }
  const log = pino({ base: null }, { write: (line: string) => logged.push(line) })
  const layer = Layer.mergeAll(
    Layer.succeed(Database, database as unknown as Database["Service"]),
    Layer.succeed(MediaStorage, storage as unknown as MediaStorage["Service"]),
    Layer.succeed(Telemetry, Telemetry.make(log)),
  )
  const turns = new BuildTurns()
  const make = (known?: StagePlaylist) =>
    Effect.runPromise(Effect.provide(stagePlaylist("broadcast", turns, known), layer))
  const segments = (made: StagePlaylist) => (made.body?.toString() ?? "").match(/^https:.*$/gm) ?? []
  return { files, opened, logged, turns, make, segments }
}

const WHOLE = "#EXTINF:2.000,\nsegment_0.ts\n#EXT-X-ENDLIST\n"

test("a whole playlist is kept, and one that lacks a take is made anew and logged once", async () => {
  const { files, opened, logged, make, segments } = openStage()
  files.set("a.hls/index.m3u8", WHOLE)
  const first = await make()
  expect(segments(first)).toEqual(["https://bucket/a.hls/segment_0.ts"])
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] ?? "")).toMatchObject({ level: 40, broadcast: "broadcast", recordings: ["b"] })
  files.set("b.hls/index.m3u8", "#".repeat(8 * 1024 ** 2 + 1))
  const second = await make(first)
  expect(segments(second)).toHaveLength(1)
  expect(logged).toHaveLength(1)
  files.set("b.hls/index.m3u8", WHOLE)
  const third = await make(second)
  expect(segments(third)).toHaveLength(2)
  expect(third.edition).not.toBe(first.edition)
  const reads = opened.length
  expect((await make(third)).body).toBe(third.body)
  expect(opened).toHaveLength(reads)
})

test("two whole playlists are built at once, some wait, and more are refused or get the one before", async () => {
  const { files, turns, make } = openStage()
  for (const take of ["a", "b"]) files.set(`${take}.hls/index.m3u8`, WHOLE)
  const known = { ...(await make()), edition: "of the hour before" }
  const open = await Effect.runPromise(Deferred.make<void>())
  let [running, most, refused] = [0, 0, 0]
  const build = Effect.gen(function* () {
    running += 1
    most = Math.max(most, running)
    yield* Deferred.await(open)
    running -= 1
  })
  const fibers = Array.from({ length: 20 }, () =>
    Effect.runFork(
      Effect.tapError(turns.take(build), () =>
        Effect.sync(() => {
          refused += 1
        }),
      ),
    ),
  )
  await expect(make()).rejects.toMatchObject({ detail: expect.stringContaining("Too many long broadcasts") })
  expect((await make(known)).body).toBe(known.body)
  await Effect.runPromise(Deferred.succeed(open, undefined))
  const exits = await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.await(fiber))))
  expect(exits.filter(Exit.isSuccess)).toHaveLength(16)
  expect([most, refused]).toEqual([2, 4])
  await expect(make()).resolves.toMatchObject({ isOver: true, incomplete: [] })
})
