/** Two owners of one broadcast: the later one stores, the earlier one nothing any more. */

import { join } from "node:path"
import { Effect, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { EncoderNews } from "../../src/media/placed/encoder-news.ts"
import { OwnBroadcasts } from "../../src/media/placed/own-broadcasts.ts"
import { diskStorageLayer } from "../../src/media/storage/disk-storage.ts"
import { Database, type Queryable } from "../../src/store/database.ts"
import {
  findBroadcast,
  insertBroadcastRecording,
  insertSegment,
  insertTake,
  noteCutOff,
  takeBroadcast,
} from "../../src/store/media/broadcasts.ts"
import { MediaSignal } from "../../src/store/media/media-signal.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { bytesAt, recordingOf, startBroadcast } from "../support/broadcasts.ts"
import { push, pushStream } from "../support/encoder.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { fixture, samplesOf } from "./broadcast/support.ts"

const STREAM = fixture("ffmpeg-stream.mp4")

const server = sharedServer(startMediaServer)
const acme = sharedWorkspace(server)
const rows = sharedRows(server)

/** Another process on the same database and folder. */
const openOther = () => {
  const database = Database.layer({
    url: Redacted.make(server.databaseUrl),
    connections: 2,
    waiting: 100,
    deadlineMs: 5000,
  })
  const disk = diskStorageLayer({ folder: join(server.folder, "media"), minFreeBytes: 0 })
  const ingest = { most: 8, mostOfOne: 8, maxKbps: 8000, maxHours: 1 }
  const layer = OwnBroadcasts.layer({
    ingest,
    isShared: true,
    quota: { ofWorkspace: 0, ofFounder: 0, provedOnly: false },
  }).pipe(
    Layer.provideMerge(Layer.mergeAll(database, disk, MediaSignal.layer)),
    Layer.provideMerge(Telemetry.layer("silent")),
  )
  const runtime = ManagedRuntime.make(layer)
  onTestFinished(() => runtime.dispose())
  return runtime
}

const segments = async (broadcastId: string) =>
  rows.run(
    `select s.number, s.take from recording_segments s join recordings r on r.id = s.recording_id
      where r.broadcast_id = $1 order by s.number`,
    [broadcastId],
  )

test("an owner that another one has replaced stores nothing more, and its encoder is cut", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const { broadcastId } = await onAir.state()
  const stream = pushStream(onAir.streamUrl)
  await stream.write(STREAM.subarray(0, 45_000))
  await eventually(async () => (await segments(broadcastId)).length > 0, "the first segment")
  const before = await segments(broadcastId)
  const other = openOther()
  const open = Effect.flatMap(OwnBroadcasts, (owner) => owner.open(broadcastId))
  expect(await other.runPromise(Effect.flip(open))).toMatchObject({ _tag: "Unavailable" })
  await other.runPromise(Effect.map(OwnBroadcasts, ({ claim }) => claim(onAir.eventId)))
  const own = await other.runPromise(open)
  await stream.write(STREAM.subarray(45_000))
  expect((await stream.end()).status).toBe(503)
  expect(await segments(broadcastId)).toEqual(before)

  const taken = own.input.openStream(() => {})
  taken.write(STREAM)
  taken.end()
  await own.live.settled()
  const both = await segments(broadcastId)
  expect(both.map(({ number }) => number)).toEqual(both.map((_, index) => index))
  expect(both.slice(before.length).every(({ take }) => take === 2)).toBe(true)

  // And back: the next encoder makes this server the owner again.
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  const late = own.input.openStream(() => {})
  late.write(STREAM)
  late.end()
  await expect(own.live.settled()).rejects.toThrow("cannot be written")
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  const all = await segments(broadcastId)
  expect(all.map(({ number }) => number)).toEqual(all.map((_, index) => index))
  const second = await bytesAt(`${recording.downloadUrl}/take2.mp4`)
  // The file of the second owner has what it stored, and then what this server added to it.
  expect(samplesOf(second, "video")).toBe(2 * samplesOf(STREAM, "video"))
})

test("the state of an encoder is told at every node, and is lost with an owner that says nothing more", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const { broadcastId } = await onAir.state()
  const [owner, other] = [openOther(), openOther()]
  const newsOf = (of: ReturnType<typeof openOther>) =>
    of.runPromise(
      Effect.gen(function* () {
        return new EncoderNews(yield* Database, (yield* OwnBroadcasts).opened, systemTimers)
      }),
    )
  const [said, heard] = [await newsOf(owner), await newsOf(other)]
  const saying = owner.runFork(said.run)
  const hearing = other.runFork(heard.run)
  onTestFinished(async () => {
    await Effect.runPromise(Effect.andThen(Fiber.interrupt(saying), Fiber.interrupt(hearing)))
  })
  await owner.runPromise(Effect.map(OwnBroadcasts, ({ claim }) => claim(onAir.eventId)))
  const own = await owner.runPromise(Effect.flatMap(OwnBroadcasts, ({ open }) => open(broadcastId)))
  const stream = own.input.openStream(() => {})
  const isHeard = (expected: object) => () => {
    const report = heard.of(onAir.eventId)
    return report !== undefined && JSON.stringify({ ...report, ...expected }) === JSON.stringify(report)
  }
  await eventually(isHeard({ broadcastId, phaseId: onAir.phaseId, state: "receiving", failure: null }), "the encoder")
  expect(() => stream.write(Buffer.from("no video at all, but text of some length"))).toThrow("MP4")
  await eventually(() => heard.of(onAir.eventId)?.failure?.code === "not_fmp4", "the refusal")
  await Effect.runPromise(Fiber.interrupt(saying))
  await rows.run("update broadcasts set encoder_at = now() - interval '14 seconds' where id = $1", [broadcastId])
  await eventually(() => heard.of(onAir.eventId)?.state === "lost", "the loss")
  await onAir.control("stop")
  await eventually(() => heard.of(onAir.eventId) === undefined, "the end")
})

test("no statement of an owner that was replaced changes anything", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const { broadcastId } = await onAir.state()
  await push(onAir.streamUrl, STREAM)
  const other = openOther()
  const run = <A>(work: (sql: Queryable) => Promise<A>): Promise<A> =>
    other.runPromise(Effect.flatMap(Database, (database) => database.run(work)))
  const [recording] = await rows.run("select id, storage_key from recordings where broadcast_id = $1", [broadcastId])
  const id = recording?.["id"]
  const stale = { broadcastId, token: 1 }
  const tokens = [await run((sql) => takeBroadcast(sql, broadcastId))]
  tokens.push(await run((sql) => takeBroadcast(sql, broadcastId)))
  expect(tokens).toEqual([2, 3])
  const take = { number: 2, identity: "other", init: Uint8Array.of(1), storageKey: "other" }
  const segment = {
    number: 50,
    take: 1,
    offset: 1_000_000,
    bytes: 1,
    startMs: 0,
    durationMs: 1,
    isDiscontinuous: false,
    at: 0,
  }
  const counts = async () =>
    rows.run(
      `select (select count(*)::int from recording_takes where recording_id = r.id) as takes, uploaded_bytes, storage_key, failure,
              (select count(*)::int from recording_segments where recording_id = r.id) as segments
         from recordings r where broadcast_id = $1`,
      [broadcastId],
    )
  const before = await counts()
  expect(before).toHaveLength(1)
  const broadcast = await run((sql) => findBroadcast(sql, broadcastId))
  if (broadcast === undefined) throw new Error("no broadcast")
  const created = { id: broadcastId, storageKey: "x", broadcast, token: stale.token }
  expect(await run((sql) => insertBroadcastRecording(sql, created))).toBe(false)
  expect(await run((sql) => insertTake(sql, stale, id, take))).toBe(false)
  expect(await run((sql) => insertSegment(sql, stale, id, segment))).toBe(false)
  await run((sql) => noteCutOff(sql, stale, id, { code: "cut_off", detail: "stale" }))
  expect(await counts()).toEqual(before)
  const present = { broadcastId, token: 3 }
  expect(await run((sql) => insertTake(sql, present, id, take))).toBe(true)
  expect(await run((sql) => insertSegment(sql, present, id, { ...segment, take: 2 }))).toBe(true)
  await run((sql) => noteCutOff(sql, present, id, { code: "cut_off", detail: "present" }))
  expect(await counts()).toMatchObject([{ takes: 2, failure: { code: "cut_off" } }])
})
