/** Uploads on a real disk: what is there after a crash, and several who end one upload at once. */

import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, readFile, readlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Effect, Fiber } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { type DiskStorage, diskStorage } from "../../src/media/storage/disk-storage.ts"
import { sizeOfStored, storageKeyOf } from "../../src/media/storage/storage.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const KEY = storageKeyOf("workspace", "recording-0f")

const openStorage = (folder: string): Promise<DiskStorage> =>
  Effect.runPromise(
    Effect.map(Telemetry, ({ log }) => diskStorage({ folder, minFreeBytes: 0 }, log)).pipe(
      Effect.provide(Telemetry.layer("silent")),
    ),
  )

const quiet = { offset: null, onDrain: () => {}, onCut: () => {} }

test("what was stored before the process ended is where the upload goes on", async () => {
  const folder = await temporaryFolder()
  const before = await openStorage(folder)
  const bytes = randomBytes(3_000_000)
  const sink = await Effect.runPromise(before.upload(KEY, quiet))
  sink.write(bytes.subarray(0, 1_200_000))
  await sink.abandon()
  const after = await openStorage(folder)
  const offset = await Effect.runPromise(after.uploaded(KEY))
  expect(offset).toBe(1_200_000)
  const rest = await Effect.runPromise(after.upload(KEY, { ...quiet, offset }))
  rest.write(bytes.subarray(1_200_000))
  expect(await rest.finish()).toBe(3_000_000)
  expect(await Effect.runPromise(after.seal({ key: KEY, uploadId: null }, null))).toBe(3_000_000)
  expect(Buffer.compare(await readFile(after.pathOf(KEY)), bytes)).toBe(0)
  // A repeat, after an answer that was lost.
  expect(await Effect.runPromise(after.seal({ key: KEY, uploadId: null }, null))).toBe(3_000_000)
})

test("an upload that is finished, abandoned and sealed at the same time has each byte once", async () => {
  const storage = await openStorage(await temporaryFolder())
  for (let round = 0; round < 6; round++) {
    const key = storageKeyOf("workspace", `recording-${round}`)
    const bytes = randomBytes(2_500_000)
    const sink = await Effect.runPromise(storage.upload(key, quiet))
    for (let at = 0; at < bytes.byteLength; at += 60_000) sink.write(bytes.subarray(at, at + 60_000))
    await Promise.all([
      sink.finish(),
      Effect.runPromise(storage.seal({ key: key, uploadId: null }, null)),
      sink.abandon(),
    ])
    expect(Buffer.compare(await readFile(storage.pathOf(key)), bytes), String(round)).toBe(0)
  }
})

test("a newer request takes the upload over, and the one before it is told", async () => {
  const storage = await openStorage(await temporaryFolder())
  let cuts = 0
  const first = await Effect.runPromise(storage.upload(KEY, { ...quiet, onCut: () => cuts++ }))
  first.write(new Uint8Array(10))
  const second = await Effect.runPromise(storage.upload(KEY, { ...quiet, offset: 10 }).pipe(Effect.flip, Effect.option))
  expect([cuts, second._tag]).toEqual([1, "None"])
  expect(first.write(new Uint8Array(10))).toBe(false)
  await Effect.runPromise(storage.remove(KEY))
})

test("a wrong offset is refused with the right one, and removed bytes are gone, sealed or not", async () => {
  const folder = await temporaryFolder()
  const storage = await openStorage(folder)
  const sink = await Effect.runPromise(storage.upload(KEY, quiet))
  sink.write(new Uint8Array(7))
  await sink.finish()
  expect(await Effect.runPromise(Effect.flip(storage.upload(KEY, { ...quiet, offset: 3 })))).toMatchObject({
    offset: 7,
  })
  await writeFile(join(folder, "workspace", "0f", "recording-0f"), "sealed")
  await Effect.runPromise(storage.remove(KEY))
  expect(await Effect.runPromise(storage.uploaded(KEY))).toBeNull()
  expect(await Effect.runPromise(storage.open(KEY))).toBeNull()
  await Effect.runPromise(storage.remove(KEY))
})

test("files of a killed cut go with the next try, and with the clip", async () => {
  const storage = await openStorage(await temporaryFolder())
  const left = async (): Promise<ReadonlyArray<string>> => readdir(dirname(storage.pathOf(KEY)))
  for (const clear of [storage.newPath(KEY), storage.remove(KEY)]) {
    await Effect.runPromise(storage.newPath(KEY))
    await writeFile(`${storage.pathOf(KEY)}.part`, "a part")
    await writeFile(`${storage.pathOf(KEY)}.part.mp4`, "a transport stream as MP4")
    await Effect.runPromise(clear)
    expect(await left()).toEqual([])
  }
})

/** A request as the server runs it: chunks that come over some turns of the event loop. Resolves to whether it was acknowledged. */
const putWhole = async (storage: DiskStorage, key: string, bytes: Uint8Array): Promise<boolean> => {
  let isCut = false
  const events = {
    ...quiet,
    onCut: () => {
      isCut = true
    },
  }
  const sink = await Effect.runPromise(storage.upload(key, events))
  for (let at = 0; at < bytes.byteLength; at += 300_000) {
    if (!isCut) sink.write(bytes.subarray(at, at + 300_000))
    await setImmediate()
  }
  if (isCut) return false
  await sink.finish()
  return true
}

test("of two requests with the whole at once, the later one's bytes are there alone", async () => {
  const storage = await openStorage(await temporaryFolder())
  for (let round = 0; round < 20; round++) {
    const key = storageKeyOf("workspace", `recording-${round}`)
    const files = [Buffer.alloc(2_500_000, 1), Buffer.alloc(1_300_000 + round * 50_000, 2)]
    const first = await Effect.runPromise(storage.upload(key, quiet))
    // A third has written, so that those two wait for it together.
    first.write(Buffer.alloc(3_000_000, 3))
    const acknowledged = await Promise.all(files.map((file) => putWhole(storage, key, file)))
    const stored = await readFile(`${storage.pathOf(key)}.part`)
    const kept = files.findIndex((file) => file.equals(stored))
    expect([kept, acknowledged[kept]], `round ${round}`).toEqual([expect.any(Number), true])
  }
})

test("an upload that was sealed takes no more bytes, of the whole or of a part, and stays as it was inspected", async () => {
  const folder = await temporaryFolder()
  const storage = await openStorage(folder)
  const sink = await Effect.runPromise(storage.upload(KEY, quiet))
  sink.write(Buffer.from("inspected"))
  await sink.finish()
  expect(await Effect.runPromise(storage.seal({ key: KEY, uploadId: null }, null))).toBe(9)
  expect(await Effect.runPromise(Effect.flip(storage.upload(KEY, quiet)))).toMatchObject({ _tag: "Conflict" })
  const part = { number: 1, position: 0, sizeBytes: 5 }
  expect(await Effect.runPromise(Effect.flip(storage.uploadPart(KEY, part, quiet)))).toMatchObject({ _tag: "Conflict" })
  expect(await Effect.runPromise(storage.seal({ key: KEY, uploadId: null }, null))).toBe(9)
  expect(await readFile(storage.pathOf(KEY), "utf8")).toBe("inspected")
  expect(await readdir(dirname(storage.pathOf(KEY)))).toEqual(["recording-0f"])
})

/** Writes of all files in this process fail, but for the first ones. */
const failWritesAfter = async (most: number): Promise<void> => {
  const file = await open("/dev/null", "r")
  const handle: FileHandle = Object.getPrototypeOf(file)
  await file.close()
  const { writev } = handle
  onTestFinished(() => {
    handle.writev = writev
  })
  let writes = 0
  handle.writev = function (this: FileHandle, ...given: Parameters<FileHandle["writev"]>) {
    writes += 1
    return writes > most
      ? Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }))
      : writev.apply(this, given)
  } as FileHandle["writev"]
}

test("of a request that the disk refuses in the middle no byte is there, and none is counted", async () => {
  const storage = await openStorage(await temporaryFolder())
  const sink = await Effect.runPromise(storage.upload(KEY, quiet))
  sink.write(new Uint8Array(100))
  expect(await sink.finish()).toBe(100)
  await failWritesAfter(1)
  for (const [offset, kept] of [
    [100, 100],
    [null, 0],
  ] as const) {
    const next = await Effect.runPromise(storage.upload(KEY, { ...quiet, offset }))
    for (let round = 0; round < 6; round++) next.write(new Uint8Array(1_000_000))
    expect(await next.abandon()).toBe(kept)
    expect((await Effect.runPromise(storage.uploaded(KEY))) ?? 0).toBe(kept)
  }
})

/** Descriptors of this process that lead to the file. */
const descriptorsOf = async (path: string): Promise<number> => {
  const names = await readdir("/proc/self/fd")
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")))
  return targets.filter((target) => target === path).length
}

test("a caller that is interrupted while a file is opened leaves no descriptor behind", async () => {
  const storage = await openStorage(await temporaryFolder())
  const path = storage.pathOf(KEY)
  await mkdir(dirname(path), { recursive: true })
  // A pipe is not opened before somebody writes to it.
  execFileSync("mkfifo", [path])
  const reading = Effect.runFork(sizeOfStored(storage, KEY))
  await setImmediate()
  const ended = Effect.runPromise(Fiber.interrupt(reading))
  const writer = await open(path, "w")
  await ended
  await writer.close()
  expect(await descriptorsOf(path)).toBe(0)
})
