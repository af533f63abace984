/** Broadcasts from the encoder to the viewer and the recording, over real sockets and a real disk. */
import { appendFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { fixture, samplesIn } from "../media/broadcast/support.ts"
import { call, createEvent, type Json } from "../support/api.ts"
import {
  apiOf,
  bytesAt,
  filesIn,
  mapsIn,
  type OnAir,
  recordingOf,
  startBroadcast,
  textAt as text,
} from "../support/broadcasts.ts"
import { push, pushStream } from "../support/encoder.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

// Each test has an encoder, or several one after the other.
const server = sharedServer(() => startMediaServer({ BROADCAST_INGESTS: "64" }))
const acme = sharedWorkspace(server)

/** 4.02 seconds of picture and sound. */
const STREAM = fixture("ffmpeg-stream.mp4")
const OTHER_SIZE = fixture("ffmpeg-other-size.mp4")

const goLive = (fields: object = {}, at = server, key = acme.key): Promise<OnAir> => startBroadcast(at.url, key, fields)

const times = (n: number, one: Uint8Array) => {
  const { video, audio } = samplesIn(one)
  return { video: n * video, audio: n * audio }
}

/** Statements that wait for a lock. */
const waiting = async (rows: Rows): Promise<number> => {
  // A transaction would see the same answer each time.
  await rows.run("select pg_stat_clear_snapshot()")
  const reading = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await rows.run(reading)).length
}

describe("an encoder's stream", () => {
  test("is watched while it lasts, and is a recording as soon as the broadcast stops", async () => {
    const receiver = await startReceiver()
    await apiOf(server.url, acme.key)("POST", "/v1/webhooks", { url: receiver.url, eventTypes: ["recording.ready"] })
    const onAir = await goLive()
    const held = text(onAir.playbackUrl)
    expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
    expect(await onAir.state()).toMatchObject({ ingest: { state: "receiving", takes: 1, failure: null } })
    expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
    const live = await held
    expect(live).toContain("#EXT-X-PART:")
    const all = await text(onAir.playbackUrl)
    expect(all.match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1)
    const base = onAir.playbackUrl.replace("index.m3u8", "")
    const init = await bytesAt(`${base}${mapsIn(all)[0]}`)
    const segments = await Promise.all(filesIn(all).map((name) => bytesAt(base + name)))
    expect(samplesIn(new Uint8Array(Buffer.concat([init, ...segments])))).toEqual(times(2, STREAM))
    const parts = [...all.matchAll(/URI="(p[^"]+)"/g)].map(([, uri = ""]) => uri)
    const served = await Promise.all(parts.slice(0, -1).map((name) => bytesAt(base + name)))
    expect(served.every((bytes) => bytes.byteLength > 0)).toBe(true)
    expect((await onAir.control("stop")).body).toMatchObject({ status: "ended" })
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    expect(recording).toMatchObject({
      kind: "merged",
      source: "broadcast",
      phaseId: onAir.phaseId,
      contentType: "video/mp4",
      failure: null,
    })
    expect(recording.durationMs).toBeGreaterThan(7900)
    expect(recording.durationMs).toBeLessThan(8200)
    expect(samplesIn(await bytesAt(recording.downloadUrl))).toEqual(times(2, STREAM))
    const ended = await text(onAir.playbackUrl)
    expect(ended).toContain("#EXT-X-ENDLIST")
    expect(filesIn(ended)).toEqual(filesIn(all))
    await receiver.count(1)
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ assetId: recording.id })
  })

  test("of which a killed process left bytes without a row is recorded without them", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, OTHER_SIZE)
    const { id } = (await apiOf(server.url, acme.key)("GET", `/v1/events/${onAir.eventId}/recordings`)).body
      .recordings[0]
    const files = (await readdir(join(server.folder, "media"), { recursive: true })).filter((name) => name.includes(id))
    expect(files).toHaveLength(2)
    for (const name of files) await appendFile(join(server.folder, "media", name), STREAM.subarray(5000, 9000))
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    const takes = [recording.downloadUrl, `${recording.downloadUrl}/take2.mp4`].map((url) => bytesAt(url))
    const [first, second] = await Promise.all(takes)
    expect((first?.byteLength ?? 0) + (second?.byteLength ?? 0)).toBe(recording.sizeBytes)
  })

  test("of which the recording is played by its segments", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    const playlist = await text(recording.playbackUrl)
    const base = recording.playbackUrl.replace("index.m3u8", "")
    const names = [...mapsIn(playlist), ...filesIn(playlist)]
    const pieces = await Promise.all(names.map((name) => bytesAt(base + name)))
    const whole = new Uint8Array(Buffer.concat(pieces))
    expect(samplesIn(whole)).toEqual(times(1, STREAM))
    expect(whole.byteLength).toBe(recording.sizeBytes)
    expect(await bytesAt(`${base}take1.mp4`, { range: "bytes=4-7" })).toEqual(new Uint8Array(Buffer.from("ftyp")))
    expect((await fetch(`${base}s99.m4s`)).status).toBe(404)
    expect((await fetch(`${base}p0.0.m4s`)).status).toBe(404)
    expect((await fetch(`${base}take2.mp4`)).status).toBe(404)
    expect((await fetch(`${base}other.mp4`)).status).toBe(404)
    expect((await fetch(recording.playbackUrl.replace(/.(?=\/index)/, "x"))).status).toBe(401)
    const recap = (await call(server.url, "GET", `/v1/public/events/${onAir.eventId}/recap`)).body
    expect(recap.recording.playbackUrl).toMatch(/\/index\.m3u8$/)
    await text(recap.recording.playbackUrl)
  })

  test("that is killed and begun again goes on in the same playlist and file", async () => {
    const onAir = await goLive()
    const first = pushStream(onAir.streamUrl)
    await first.write(STREAM.subarray(0, 40_000))
    await eventually(async () => (await onAir.state()).ingest.durationMs > 0, "the first segment")
    first.kill()
    expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    const { video } = samplesIn(await bytesAt(recording.downloadUrl))
    expect(video).toBeGreaterThan(times(1, STREAM).video)
    expect(await text(recording.playbackUrl)).toContain("#EXT-X-DISCONTINUITY\n")
  })

  test("of fifty encoders that take over from each other one is left, and the recording is sound", async () => {
    const onAir = await goLive()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => push(onAir.streamUrl, STREAM).catch(() => ({ status: 0, body: "" }))),
    )
    expect(answers.some(({ status }) => status === 204)).toBe(true)
    expect(answers.every(({ status }) => [0, 204, 503].includes(status))).toBe(true)
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    expect(samplesIn(await bytesAt(recording.downloadUrl)).video).toBeGreaterThan(0)
  })

  test("with another picture begins a file of its own, and a clip lies in one of them", async () => {
    const api = apiOf(server.url, acme.key)
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, OTHER_SIZE)
    expect((await onAir.state()).ingest.takes).toBe(2)
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    const playlist = await text(recording.playbackUrl)
    expect(mapsIn(playlist)).toEqual(["init1.mp4", "init2.mp4"])
    expect(samplesIn(await bytesAt(`${recording.downloadUrl}/take2.mp4`))).toEqual(times(1, OTHER_SIZE))
    const clip = (startMs: number, endMs: number) =>
      api("POST", `/v1/recordings/${recording.id}/clips`, { startMs, endMs })
    expect(await clip(3000, 5000)).toMatchObject({ status: 400, body: { code: "bad_request" } })
    const { body } = await clip(4500, 5500)
    let made: Json
    await eventually(async () => {
      made = (await api("GET", `/v1/clips/${body.id}`)).body
      return made.status !== "processing"
    }, "the clip")
    expect(made).toMatchObject({ status: "ready", contentType: "video/mp4" })
    expect(made.actualStartMs).toBeGreaterThanOrEqual(4000)
    expect(made.actualEndMs).toBeLessThanOrEqual(6100)
  })

  test("of MPEG-TS, or of anything else, is refused in words that the host sees", async () => {
    const onAir = await goLive()
    const answer = await push(onAir.streamUrl, new Uint8Array(188 * 10).fill(0x47))
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).detail).toContain("fragmented MP4")
    expect((await onAir.state()).ingest).toMatchObject({ state: "waiting", failure: { code: "not_fmp4" } })
    await push(onAir.streamUrl, STREAM)
    expect((await onAir.state()).ingest.failure).toBeNull()
  })
})

describe("the encoder's address", () => {
  test("is for live broadcasts, and a new one replaces it", async () => {
    const onAir = await goLive()
    const under = pushStream(onAir.streamUrl)
    await under.write(STREAM.subarray(0, 20_000))
    await eventually(async () => (await onAir.state()).ingest.state === "receiving", "the encoder")
    const second = (await onAir.newIngest()).body
    expect(second.streamUrl).not.toBe(onAir.streamUrl)
    const cut = await under.answer.catch(() => ({ status: 0, body: "" }))
    expect([0, 401]).toContain(cut.status)
    expect((await onAir.state()).ingest.failure).toMatchObject({ code: "replaced" })
    expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 401 })
    expect((await push(second.streamUrl, STREAM)).status).toBe(204)
    expect(JSON.stringify(await onAir.state())).not.toContain(second.token)
    await onAir.control("stop")
    expect((await push(second.streamUrl, STREAM)).status).toBe(409)
    expect(await onAir.newIngest()).toMatchObject({ status: 409, body: { code: "conflict" } })
    expect((await push(`${server.url}/v1/ingest/nothing/stream`, STREAM)).status).toBe(401)
  })

  test("that was replaced while a body came is refused with the body", async () => {
    const onAir = await goLive()
    const slow = pushStream(`${onAir.streamUrl}?seq=0`)
    await slow.write(STREAM.subarray(0, 20_000))
    const { streamUrl } = (await onAir.newIngest()).body
    const under = pushStream(streamUrl)
    await under.write(OTHER_SIZE.subarray(0, 20_000))
    await eventually(async () => (await onAir.state()).ingest.state === "receiving", "the new encoder")
    await slow.write(STREAM.subarray(20_000))
    expect((await slow.end()).status).toBe(401)
    await under.write(OTHER_SIZE.subarray(20_000))
    expect((await under.end()).status).toBe(204)
    expect((await onAir.state()).ingest.takes).toBe(1)
  })

  test("does not exist before the broadcast starts", async () => {
    const api = apiOf(server.url, acme.key)
    const event = await createEvent(server.url, acme.key, { phases: [{ modality: "broadcast" }] })
    await api("POST", `/v1/events/${event.id}/publish`)
    const phaseId = (await api("POST", `/v1/events/${event.id}/start`)).body.phases[0].id
    expect((await api("POST", `/v1/phases/${phaseId}/broadcast/ingest`)).status).toBe(409)
    expect((await api("GET", `/v1/phases/${phaseId}/broadcast`)).status).toBe(404)
  })
})

test("what comes during a pause is taken and dropped, and the recording has no gap", async () => {
  const onAir = await goLive()
  await push(onAir.streamUrl, STREAM)
  await onAir.control("pause")
  expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
  const before = (await onAir.state()).ingest.durationMs
  expect(before).toBeLessThan(4200)
  await onAir.control("resume")
  await push(onAir.streamUrl, STREAM)
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  expect(samplesIn(await bytesAt(recording.downloadUrl))).toEqual(times(2, STREAM))
})

test("the bytes of a broadcast go with its event, and its recording cannot go before", async () => {
  const files = () => readdir(join(server.folder, "media"), { recursive: true }).catch((): string[] => [])
  const api = apiOf(server.url, acme.key)
  const onAir = await goLive()
  await push(onAir.streamUrl, STREAM)
  await push(onAir.streamUrl, OTHER_SIZE)
  const recording = (await api("GET", `/v1/events/${onAir.eventId}/recordings`)).body.recordings[0]
  expect(recording).toMatchObject({ status: "processing", source: "broadcast", playbackUrl: null })
  expect(await api("DELETE", `/v1/recordings/${recording.id}`)).toMatchObject({ status: 409 })
  expect((await files()).filter((name) => name.includes(recording.id))).toHaveLength(2)
  expect((await api("DELETE", `/v1/events/${onAir.eventId}`)).status).toBeLessThan(300)
  await eventually(async () => !(await files()).some((name) => name.includes(recording.id)), "the removal")
  expect((await push(onAir.streamUrl, STREAM)).status).toBe(401)
})

test("a file that begins while its event is deleted is removed, too", async () => {
  const onAir = await goLive()
  await push(onAir.streamUrl, STREAM)
  const { id } = (await apiOf(server.url, acme.key)("GET", `/v1/events/${onAir.eventId}/recordings`)).body.recordings[0]
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(rows.end)
  await rows.run("begin")
  await rows.run("delete from recordings where id = $1", [id])
  const other = push(onAir.streamUrl, OTHER_SIZE).catch(() => {})
  await eventually(async () => (await waiting(rows)) > 0, "the other file")
  await rows.run("commit")
  await other
  const files = () => readdir(join(server.folder, "media"), { recursive: true })
  await eventually(async () => !(await files()).some((name) => name.includes(id)), "the removal")
})

test("an encoder whose broadcast could not be stored is told so, until it is stored again", async () => {
  const onAir = await goLive()
  await push(onAir.streamUrl, STREAM)
  const { id } = (await apiOf(server.url, acme.key)("GET", `/v1/events/${onAir.eventId}/recordings`)).body.recordings[0]
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(rows.end)
  await rows.run("delete from recordings where id = $1", [id])
  const cut = await push(onAir.streamUrl, STREAM).catch(() => ({ status: 0 }))
  expect([0, 503]).toContain(cut.status)
  expect((await onAir.state()).ingest).toMatchObject({ failure: { code: "not_stored" } })
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  expect((await onAir.state()).ingest).toMatchObject({ state: "receiving", failure: null })
})

test("a broadcast to which nothing came leaves no recording", async () => {
  const onAir = await goLive()
  await onAir.control("stop")
  expect((await apiOf(server.url, acme.key)("GET", `/v1/events/${onAir.eventId}/recordings`)).body.recordings).toEqual(
    [],
  )
  expect((await fetch(onAir.playbackUrl)).status).toBe(404)
})
