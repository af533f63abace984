/** Encoders that push files, as ffmpeg does, or numbered pieces of a stream, as browsers do. */
import { describe, expect, onTestFinished, test } from "vitest"
import { fixture, samplesIn, samplesOf } from "../media/broadcast/support.ts"
import { createWorkspace, type Json } from "../support/api.ts"
import {
  apiOf,
  bytesAt,
  filesIn,
  type OnAir,
  recordingOf,
  startBroadcast,
  textAt as text,
} from "../support/broadcasts.ts"
import { push, pushStream } from "../support/encoder.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

// Each test has an encoder, or several one after the other.
const server = sharedServer(() => startMediaServer({ BROADCAST_INGESTS: "64" }))
const acme = sharedWorkspace(server)

/** 4.02 seconds of picture and sound. */
const STREAM = fixture("ffmpeg-stream.mp4")

const goLive = (at = server, key = acme.key): Promise<OnAir> => startBroadcast(at.url, key)

const FILES = ["init.mp4", "index0.m4s", "index1.m4s", "index2.m4s"]

describe("files of ffmpeg", () => {
  const put = (url: string, body: Uint8Array | string, method = "PUT") => fetch(url, { method, body })

  const putFile = async (base: string, name: string): Promise<number> => {
    const answer = await put(base + name, fixture(`ffmpeg-files/${name}`))
    await answer.arrayBuffer()
    return answer.status
  }

  test("become a broadcast; its playlist and deletions change nothing", async () => {
    const onAir = await goLive()
    for (const name of FILES) {
      const before = Date.now()
      expect(await putFile(onAir.url, name), name).toBe(204)
      expect((await put(`${onAir.url}index.m3u8`, "#EXTM3U\n")).status).toBe(200)
      const { ingest } = await onAir.state()
      expect(ingest, name).toMatchObject({ state: "receiving", failure: null })
      if (name !== "init.mp4") expect(Date.parse(ingest.lastSegmentAt), name).toBeGreaterThanOrEqual(before)
    }
    expect((await fetch(`${onAir.url}index0.m4s`, { method: "DELETE" })).status).toBe(204)
    expect(filesIn(await text(onAir.playbackUrl))).toHaveLength(3)
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    const sent = new Uint8Array(Buffer.concat(FILES.map((name) => fixture(`ffmpeg-files/${name}`))))
    expect(samplesIn(await bytesAt(recording.downloadUrl))).toEqual(samplesIn(sent))
  })

  test("whose description comes last are taken all the same", async () => {
    const onAir = await goLive()
    const early = put(`${onAir.url}index0.m4s`, fixture("ffmpeg-files/index0.m4s"))
    expect((await put(`${onAir.url}init.mp4`, fixture("ffmpeg-files/init.mp4"))).status).toBe(204)
    expect((await early).status).toBe(204)
  })

  test("go on without their description after the server was started again, and so does a stream", async () => {
    const own = await startMediaServer()
    const { key } = await createWorkspace(own.url)
    const [onAir, streamed] = [await goLive(own, key), await goLive(own, key)]
    for (const name of ["init.mp4", "index0.m4s"]) expect(await putFile(onAir.url, name)).toBe(204)
    await push(streamed.streamUrl, STREAM)
    const again = await own.restart()
    onTestFinished(() => again.stop())
    const moved = (url: string) => url.replace(own.url, again.url)
    const both = ["index1.m4s", "index2.m4s"].map((name) => putFile(moved(onAir.url), name))
    expect(await Promise.all(both)).toEqual([204, 204])
    expect((await push(moved(streamed.streamUrl), STREAM)).status).toBe(204)
    const playlist = await text(moved(streamed.playbackUrl))
    expect(filesIn(playlist).slice(0, 2)).toEqual(["s0.m4s", "s1.m4s"])
    expect(playlist).toContain("#EXT-X-DISCONTINUITY\n")
    const base = moved(streamed.playbackUrl).replace("index.m3u8", "")
    expect((await bytesAt(`${base}s0.m4s`)).byteLength).toBeGreaterThan(1000)
    const recordedOf = async ({ phaseId, eventId }: OnAir) => {
      await apiOf(again.url, key)("POST", `/v1/phases/${phaseId}/broadcast/stop`)
      return samplesIn(await bytesAt((await recordingOf(again.url, key, eventId)).downloadUrl))
    }
    const sent = FILES.map((name) => fixture(`ffmpeg-files/${name}`))
    expect(await recordedOf(onAir)).toEqual(samplesIn(new Uint8Array(Buffer.concat(sent))))
    const { video, audio } = samplesIn(STREAM)
    expect(await recordedOf(streamed)).toEqual({ video: 2 * video, audio: 2 * audio })
  })

  test("come back after another encoder; without any description they leave it alone", async () => {
    const onAir = await goLive()
    const stream = pushStream(onAir.streamUrl)
    await stream.write(STREAM.subarray(0, 10_000))
    await eventually(async () => (await onAir.state()).ingest.state === "receiving", "the stream")
    // Nothing is stored yet by which they could be read.
    const early = putFile(onAir.url, "index0.m4s")
    await stream.write(STREAM.subarray(10_000))
    expect((await stream.end()).status).toBe(204)
    expect(await early).toBe(400)
    for (const name of ["init.mp4", "index0.m4s"]) expect(await putFile(onAir.url, name)).toBe(204)
    const other = pushStream(onAir.streamUrl)
    await other.write(STREAM)
    expect((await other.end()).status).toBe(204)
    expect(await putFile(onAir.url, "index1.m4s")).toBe(204)
    expect((await onAir.state()).ingest).toMatchObject({ state: "receiving", failure: null })
  })

  test("of other names, cut off, or too large are refused", async () => {
    const onAir = await goLive()
    const refused = async (name: string, body: Uint8Array) => {
      const answer = await put(onAir.url + name, body)
      return { status: answer.status, ...((await answer.json()) as Json) }
    }
    for (const name of ["x.ts", "..%2fx.mp4", "a%00.mp4", "noise"]) {
      expect(await refused(name, new Uint8Array(10))).toMatchObject({ status: 404, code: "not_found" })
    }
    await put(`${onAir.url}init.mp4`, fixture("ffmpeg-files/init.mp4"))
    const cut = fixture("ffmpeg-files/index0.m4s").subarray(0, 5000)
    expect(await refused("index0.m4s", cut)).toMatchObject({ status: 400, code: "bad_request" })
    expect((await put(`${onAir.url}index1.m4s`, new Uint8Array(33 * 1024 * 1024))).status).toBe(413)
  })
})

describe("pieces of a browser", () => {
  const put = async (url: string, seq: number | string, body: Uint8Array) => {
    const answer = await fetch(`${url}?seq=${seq}`, { method: "PUT", body })
    await answer.arrayBuffer()
    return { status: answer.status, next: answer.headers.get("next-seq") }
  }

  test("are taken once and in their order, whatever is sent twice or too early", async () => {
    const onAir = await goLive()
    const cut = [0, 7000, 30_000, STREAM.byteLength]
    const piece = (n: number): Uint8Array => STREAM.slice(cut[n], cut[n + 1])
    expect(await put(onAir.streamUrl, 1, piece(1))).toEqual({ status: 409, next: "0" })
    expect(await put(onAir.streamUrl, 0, piece(0))).toEqual({ status: 204, next: "1" })
    expect(await put(onAir.streamUrl, 0, piece(0))).toEqual({ status: 204, next: "1" })
    expect(await put(onAir.streamUrl, 2, piece(2))).toEqual({ status: 409, next: "1" })
    const twice = await Promise.all([put(onAir.streamUrl, 1, piece(1)), put(onAir.streamUrl, 1, piece(1))])
    expect(twice).toEqual([
      { status: 204, next: "2" },
      { status: 204, next: "2" },
    ])
    expect(await put(onAir.streamUrl, 2, piece(2))).toEqual({ status: 204, next: "3" })
    expect(await put(onAir.streamUrl, "one", piece(2))).toMatchObject({ status: 400 })
    await onAir.control("stop")
    const recording = await recordingOf(server.url, acme.key, onAir.eventId)
    expect(samplesIn(await bytesAt(recording.downloadUrl))).toEqual(samplesIn(STREAM))
  })

  test("of a caller without a valid address are refused at their end, or when there is no end", async () => {
    const url = `${server.url}/v1/ingest/nothing/stream?seq=0`
    expect((await fetch(url, { method: "PUT", body: STREAM })).status).toBe(401)
    const endless = pushStream(url)
    const answer = endless.answer.catch(() => ({ status: 0, body: "" }))
    let isOver = false
    void answer.then(() => {
      isOver = true
    })
    const chunk = new Uint8Array(1024 * 1024)
    let sent = 0
    for (; !isOver && sent < 200; sent++) await Promise.race([endless.write(chunk), answer]).catch(() => {})
    expect(sent).toBeLessThan(200)
    expect([0, 401]).toContain((await answer).status)
  })

  test("that come faster than they may are to come again, a stream is refused, and staff are told", async () => {
    const own = await startMediaServer({ BROADCAST_MAX_KBPS: "64" })
    onTestFinished(() => own.stop())
    const { key } = await createWorkspace(own.url)
    const streamed = await goLive(own, key)
    expect((await push(streamed.streamUrl, STREAM, STREAM, STREAM)).status).toBe(400)
    expect((await streamed.state()).ingest.failure).toMatchObject({ code: "too_fast" })
    const onAir = await goLive(own, key)
    expect(await put(onAir.streamUrl, 0, STREAM)).toMatchObject({ status: 204 })
    const tooFast = await fetch(`${onAir.streamUrl}?seq=1`, { method: "PUT", body: STREAM })
    expect([tooFast.status, await tooFast.json()]).toMatchObject([429, { code: "rate_limited" }])
    const seconds = Number(tooFast.headers.get("retry-after"))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(11)
    expect((await onAir.state()).ingest.failure).toMatchObject({ code: "too_fast" })
    // It never may.
    expect(await put(onAir.streamUrl, 1, new Uint8Array(90_000))).toMatchObject({ status: 400 })
  })

  test("of a page that begins anew begin another stream", async () => {
    const onAir = await goLive()
    const again = fixture("media-recorder-again.mp4")
    expect(await put(onAir.streamUrl, 0, fixture("media-recorder.mp4"))).toEqual({ status: 204, next: "1" })
    expect(await put(onAir.streamUrl, 0, again)).toEqual({ status: 204, next: "1" })
    await onAir.control("stop")
    const { video } = samplesIn(await bytesAt((await recordingOf(server.url, acme.key, onAir.eventId)).downloadUrl))
    expect(video).toBe(samplesOf(fixture("media-recorder.mp4"), "video") + samplesOf(again, "video"))
  })
})
