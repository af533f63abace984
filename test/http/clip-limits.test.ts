/** The room that clips may take: of their recording, the quota and the disk. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { cutClip } from "../../src/media/jobs/cut.ts"
import { MediaProcessor } from "../../src/media/processing/media-processor.ts"
import type { CutTask } from "../../src/media/processing/protocol.ts"
import { diskStorage } from "../../src/media/storage/disk-storage.ts"
import { MediaStorage } from "../../src/media/storage/storage.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { Database } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { bombOf } from "../support/mp4.ts"
import { rowsOf } from "../support/rows.ts"
import { startMediaServer } from "../support/server.ts"
import { openStore } from "../support/store.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

const open = async (file: Uint8Array, environment: { readonly [key: string]: string } = {}) => {
  const server = await startMediaServer(environment)
  onTestFinished(server.stop)
  const { key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key)
  await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key })
  let base = server.url
  const ask = (method: string, path: string, body: object = {}) =>
    call(base, method, path, method === "GET" ? { key } : { key, body })
  const settled = async (path: string): Promise<Json> => {
    let asset: Json
    await eventually(async () => {
      asset = (await ask("GET", path)).body
      return asset.status === "ready" || asset.status === "failed"
    }, "the end of the work")
    return asset
  }
  const { id, uploadUrl } = (await ask("POST", `/v1/events/${event.id}/recordings`)).body
  await fetch(uploadUrl, { method: "PUT", body: file })
  await ask("POST", `/v1/recordings/${id}/complete`)
  expect(await settled(`/v1/recordings/${id}`)).toMatchObject({ status: "ready" })
  const begin = async (endMs: number): Promise<string> =>
    (await ask("POST", `/v1/recordings/${id}/clips`, { startMs: 0, endMs })).body.id
  const clip = async (endMs: number): Promise<Json> => settled(`/v1/clips/${await begin(endMs)}`)
  const restart = async (changed: { readonly [key: string]: string }) => {
    const next = await server.restart(changed)
    onTestFinished(next.stop)
    base = next.url
    return next
  }
  return { server, ask, begin, clip, settled, restart }
}

test("a clip has no more bytes than its recording, whatever its index names, and leaves none when it fails", async () => {
  const { server, clip } = await open(bombOf(3000))
  expect(await clip(3_000_000)).toMatchObject({ status: "failed", failure: { code: "too_large" } })
  await eventually(async () => {
    const files = await readdir(join(server.folder, "media"), { recursive: true, withFileTypes: true })
    return files.filter((entry) => entry.isFile()).length === 1
  }, "the removal of the clip's bytes")
})

test("a clip that is larger than its share ends where the quota does", async () => {
  const { clip } = await open(bombOf(3000), { MEDIA_QUOTA_BYTES: "8000000" })
  expect(await clip(10_000)).toMatchObject({ status: "failed", failure: { code: "quota_exceeded" } })
  expect(await clip(3000)).toMatchObject({ status: "ready" })
})

test("a clip that the disk has no room for is given up after some tries, with that reason", async () => {
  const { server, begin, settled, restart } = await open(wavOf(5))
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(rows.end)
  await restart({ MEDIA_MIN_FREE_BYTES: String(1024 ** 4) })
  const id = await begin(1000)
  await eventually(async () => {
    const [job] = await rows.run("update media_jobs set due_at = now(), attempts = 4 where kind = 'cut' returning id")
    return job === undefined
  }, "the last try")
  expect(await settled(`/v1/clips/${id}`)).toMatchObject({ status: "failed", failure: { code: "storage_full" } })
})

test("a clip asks for its own room on the disk and not for that of its recording, and gets no more than is there", async () => {
  const { server, ask, clip } = await open(wavOf(20))
  const receiver = await startReceiver()
  await ask("POST", "/v1/webhooks", { url: receiver.url, eventTypes: ["clip.ready"] })
  const { id, sizeBytes } = await clip(1000)
  const store = openStore(server.databaseUrl)
  onTestFinished(store.end)
  const tasks: Array<Omit<CutTask, "kind">> = []
  const facts = { contentType: "audio/wav", actualStartMs: 0, actualEndMs: 1000 }
  const cutWith = (free: number) =>
    Effect.gen(function* () {
      const { log } = yield* Telemetry
      const disk = diskStorage({ folder: join(server.folder, "media"), minFreeBytes: 0 }, log)
      yield* cutClip(id, { ofWorkspace: 0, ofFounder: 0, provedOnly: false }, () => toTimestamp(Date.now())).pipe(
        Effect.provideService(Database, store.database),
        Effect.provideService(MediaStorage, { ...disk, free: Effect.succeed(free) }),
        Effect.provideService(MediaProcessor, {
          inspect: () => Effect.die("not asked for"),
          read: () => Effect.die("not asked for"),
          cut: (task) => {
            tasks.push(task)
            return Effect.succeed({ outcome: "cut", facts, sizeBytes, sha256: "00" })
          },
        }),
      )
    }).pipe(Effect.provide(Telemetry.layer("silent")), Effect.runPromiseExit)
  await store`update clips set status = 'processing', size_bytes = 16000 where id = ${id}`
  expect((await cutWith(15_000))._tag).toBe("Failure")
  expect((await cutWith(20_000))._tag).toBe("Success")
  expect(tasks).toMatchObject([{ mostBytes: 20_000 }])
  // A job whose lease ended while it was done is done by two.
  await store`update clips set status = 'processing' where id = ${id}`
  const before = await store`select 1 from outbox_messages where type = 'clip.ready'`
  await Promise.all([cutWith(20_000), cutWith(20_000)])
  expect(await store`select 1 from outbox_messages where type = 'clip.ready'`).toHaveLength(before.length + 1)
})
