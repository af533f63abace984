/** Clips of recordings, and what is counted of media. */
import { readdir } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { type CallOptions, call, createEvent, type Json } from "../support/api.ts"
import { startBroadcast } from "../support/broadcasts.ts"
import { pushStream } from "../support/encoder.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { noiseOf, wavOf } from "../support/wav.ts"

const server = sharedServer(startMediaServer)
const acme = sharedWorkspace(server)
let recording: Json

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

const settled = async (path: string): Promise<Json> => {
  let asset: Json
  await eventually(async () => {
    asset = (await api("GET", path)).body
    return asset.status === "ready" || asset.status === "failed"
  }, "the end of the work")
  return asset
}

const recorded = async (seconds: number): Promise<Json> => {
  const event = await createEvent(server.url, acme.key)
  await api("POST", `/v1/events/${event.id}/publish`)
  const { id, uploadUrl } = (await api("POST", `/v1/events/${event.id}/recordings`, { body: {} })).body
  await fetch(uploadUrl, { method: "PUT", body: wavOf(seconds) })
  await api("POST", `/v1/recordings/${id}/complete`, { body: {} })
  return settled(`/v1/recordings/${id}`)
}

beforeAll(async () => {
  recording = await recorded(20)
})

const ask = (body: object, options: CallOptions = {}) =>
  api("POST", `/v1/recordings/${recording.id}/clips`, { body, ...options })

/** Samples of a WAV file with 44 bytes of head. */
const samplesOf = (bytes: ArrayBuffer): number => (bytes.byteLength - 44) / 2

describe("a clip", () => {
  test("is cut out, sent to webhooks once, and played; its answer has the real times", async () => {
    const receiver = await startReceiver()
    await api("POST", "/v1/webhooks", { body: { url: receiver.url, eventTypes: ["clip.ready"] } })
    const asked = await ask({ startMs: 5000, endMs: 8000, title: "The middle" })
    expect([asked.status, asked.body]).toMatchObject([
      202,
      { recordingId: recording.id, status: "processing", startMs: 5000, endMs: 8000, playbackUrl: null, failure: null },
    ])
    const ready = await settled(`/v1/clips/${asked.body.id}`)
    expect(ready).toMatchObject({ status: "ready", contentType: "audio/wav", title: "The middle" })
    expect(Math.abs(ready.actualStartMs - 5000)).toBeLessThan(300)
    expect(ready.actualEndMs).toBeGreaterThanOrEqual(8000)
    expect(ready.durationMs).toBe(ready.actualEndMs - ready.actualStartMs)
    const bytes = await (await fetch(ready.playbackUrl)).arrayBuffer()
    expect(bytes.byteLength).toBe(ready.sizeBytes)
    expect(Math.abs(samplesOf(bytes) / 8 - ready.durationMs)).toBeLessThan(30)
    const download = await fetch(ready.downloadUrl, { headers: { range: "bytes=0-3" } })
    expect([download.status, await download.text()]).toEqual([206, "RIFF"])
    // The clip of another test may become ready meanwhile.
    const told = () =>
      receiver.received.map(({ body }) => JSON.parse(body)).filter(({ assetId }) => assetId === ready.id)
    await eventually(() => told().length > 0, "the webhook")
    expect(told()).toMatchObject([{ type: "clip.ready", recordingId: recording.id, eventId: recording.eventId }])
    const recap = await call(server.url, "GET", `/v1/public/events/${recording.eventId}/recap`)
    const shown = recap.body.clips.find(({ id }: Json) => id === ready.id)
    expect([shown?.id, (await fetch(shown.playbackUrl)).status]).toEqual([ready.id, 200])
  })

  test("of inside only keeps nothing from outside", async () => {
    const { id } = (await ask({ startMs: 5100, endMs: 8100, exact: "inside" })).body
    const ready = await settled(`/v1/clips/${id}`)
    expect(ready.actualStartMs).toBeGreaterThanOrEqual(5100)
    expect(ready.actualEndMs).toBeLessThanOrEqual(8101)
  })

  test("of the first part, the last and the whole begins and ends there", async () => {
    for (const [what, startMs, endMs] of [
      ["first", 0, 200],
      ["last", 19_800, 20_000],
      ["whole", 0, 20_400],
    ] as const) {
      const ready = await settled(`/v1/clips/${(await ask({ startMs, endMs })).body.id}`)
      expect(ready.status, what).toBe("ready")
      expect(Math.abs(ready.actualStartMs - startMs), what).toBeLessThan(300)
      expect(Math.abs(ready.actualEndMs - Math.min(endMs, 20_000)), what).toBeLessThan(300)
    }
  })

  test("is gone with its bytes when it, or its recording, is deleted", async () => {
    const other = await recorded(3)
    const files = async () => {
      const entries = await readdir(join(server.folder, "media"), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
    }
    const cut = async () => {
      const { id } = (await api("POST", `/v1/recordings/${other.id}/clips`, { body: { startMs: 0, endMs: 1000 } })).body
      return settled(`/v1/clips/${id}`)
    }
    const [one, two] = [await cut(), await cut()]
    expect(await files()).toEqual(expect.arrayContaining([one.id, two.id]))
    expect((await api("DELETE", `/v1/clips/${one.id}`)).status).toBe(204)
    expect((await fetch(one.playbackUrl)).status).toBe(404)
    expect((await api("DELETE", `/v1/recordings/${other.id}`)).status).toBe(204)
    expect((await api("GET", `/v1/clips/${two.id}`)).status).toBe(404)
    await eventually(async () => {
      const left = await files()
      return ![one.id, two.id, other.id].some((id) => left.includes(id))
    }, "the removal of all bytes")
  })

  test("is listed with the others of its event, newest first", async () => {
    for (const startMs of [0, 1000]) await ask({ startMs, endMs: startMs + 1000 })
    const { clips } = (await api("GET", `/v1/events/${recording.eventId}/clips`)).body
    expect(clips.length).toBeGreaterThan(1)
    const times = clips.map(({ createdAt }: Json) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
    const first = await api("GET", `/v1/events/${recording.eventId}/clips?limit=1`)
    expect([first.body.clips.length, typeof first.body.nextCursor]).toEqual([1, "string"])
  })
})

describe("refused is a clip", () => {
  test("of an impossible range", async () => {
    for (const [body, status] of [
      [{ startMs: 5000, endMs: 5000 }, 400],
      [{ startMs: 6000, endMs: 5000 }, 400],
      [{ startMs: 20_000, endMs: 20_100 }, 400],
      [{ startMs: 0, endMs: 20_501 }, 400],
    ] as const) {
      expect((await ask(body)).status, JSON.stringify(body)).toBe(status)
    }
  })

  test("of a recording that is not ready", async () => {
    const begun = await api("POST", `/v1/events/${recording.eventId}/recordings`, { body: {} })
    const body = { startMs: 0, endMs: 1000 }
    expect((await api("POST", `/v1/recordings/${begun.body.id}/clips`, { body })).status).toBe(409)
  })
})

describe("metrics", () => {
  /** The value of a metric, with its labels as they are written. */
  const metric = async (name: string): Promise<number> => {
    const { body } = await call(server.url, "GET", "/metrics")
    const line = String(body)
      .split("\n")
      .find((one) => one.startsWith(`${name} `))
    return Number(line?.split(" ")[1])
  }

  const begin = async (): Promise<{ readonly id: string; readonly uploadUrl: string }> => {
    const event = await createEvent(server.url, acme.key)
    await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    return (await call(server.url, "POST", `/v1/events/${event.id}/recordings`, { key: acme.key, body: {} })).body
  }

  test("an upload is counted for as long as its request goes on", async () => {
    expect(await metric("gathercue_media_uploads")).toBe(0)
    const { uploadUrl } = await begin()
    const upload = request(uploadUrl, { method: "PUT", headers: { "content-length": 1000 } })
    upload.on("error", () => {})
    onTestFinished(() => void upload.destroy())
    upload.write(Buffer.alloc(10))
    await eventually(async () => (await metric("gathercue_media_uploads")) === 1, "the upload in the metrics")
    upload.destroy()
    await eventually(async () => (await metric("gathercue_media_uploads")) === 0, "the end of the upload")
  })

  test("a job that is done is counted", async () => {
    const done = 'gathercue_media_jobs_total{outcome="done"}'
    const before = await metric(done)
    const { id, uploadUrl } = await begin()
    await fetch(uploadUrl, { method: "PUT", body: noiseOf(50_000) })
    await call(server.url, "POST", `/v1/recordings/${id}/complete`, { key: acme.key, body: {} })
    await eventually(async () => (await metric(done)) > before, "the inspection in the metrics")
  })

  test("an encoder is counted while its stream is open", async () => {
    const { streamUrl } = await startBroadcast(server.url, acme.key, {})
    const stream = pushStream(streamUrl)
    onTestFinished(() => stream.kill())
    await stream.write(fixture("ffmpeg-stream.mp4").subarray(0, 3000))
    await eventually(async () => (await metric("gathercue_broadcast_encoders")) === 1, "the encoder in the metrics")
    stream.kill()
    await eventually(async () => (await metric("gathercue_broadcast_encoders")) === 0, "the end of the stream")
  })
})
