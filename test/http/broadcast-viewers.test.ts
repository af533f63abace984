import { Redacted } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { deriveKey } from "../../src/crypto/secret-key.ts"
import { mediaLinksOf } from "../../src/media/links.ts"
import { Client } from "../gateway/client.ts"
import { fixture, samplesIn } from "../media/broadcast/support.ts"
import { createEvent, createPerson, createWorkspace, gatewayToken, type Json } from "../support/api.ts"
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
import { type Rows, rowsOf } from "../support/rows.ts"
import { SECRET_KEY, startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

// Each test has an encoder, or several one after the other.
const server = sharedServer(() => startMediaServer({ BROADCAST_INGESTS: "64" }))
const acme = sharedWorkspace(server)

/** 4.02 seconds of picture and sound. */
const STREAM = fixture("ffmpeg-stream.mp4")

const goLive = (fields: object = {}, at = server, key = acme.key): Promise<OnAir> => startBroadcast(at.url, key, fields)

/** Statements that wait for a lock. */
const waiting = async (rows: Rows): Promise<number> => {
  // A transaction would see the same answer each time.
  await rows.run("select pg_stat_clear_snapshot()")
  const reading = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await rows.run(reading)).length
}

const enter = async (onAir: OnAir, role: string, resume?: object, at = server, key = acme.key): Promise<Client> => {
  const { session } = await createPerson(at.url, key, onAir.eventId, role)
  const { token, url } = await gatewayToken(at.url, onAir.eventId, session)
  const client = new Client(url)
  await client.identify(token, resume)
  return client
}

describe("a viewer", () => {
  const status = async (url: string): Promise<number> => {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.status
  }

  test("of a private event needs the signed address, for each file", async () => {
    const onAir = await goLive({ visibility: "private" })
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, STREAM)
    const key = onAir.playbackUrl.split("/").at(-2) ?? ""
    const id = (await onAir.state()).broadcastId
    const at = (part: string, file = "index.m3u8") => `${server.url}/v1/live/${part}/${file}`
    expect(await status(at(key))).toBe(200)
    expect(await status(at(key, "s0.m4s"))).toBe(200)
    for (const file of ["index.m3u8", "s0.m4s", "init1.mp4", "p0.0.m4s"]) {
      expect(await status(at(id, file)), file).toBe(404)
      expect(await status(at(`${key}x`, file)), file).toBe(401)
    }
  })

  test("with a signed address whose time is over may watch to the end of the broadcast, and no longer", async () => {
    const onAir = await goLive({ visibility: "private" })
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, STREAM)
    const links = mediaLinksOf([deriveKey(Redacted.make(SECRET_KEY), "media-links")])
    const link = { use: "play", kind: "broadcast", audience: "workspace", expires: 1 } as const
    const { broadcastId } = await onAir.state()
    const at = (key: string, file: string) => `${server.url}/v1/live/${key}/${file}`
    const key = links.sign({ ...link, id: broadcastId })
    expect(await status(at(key, "index.m3u8"))).toBe(200)
    expect(await status(at(links.sign({ ...link, use: "download", id: broadcastId }), "index.m3u8"))).toBe(401)
    const other = mediaLinksOf([new Uint8Array(32)]).sign({ ...link, id: broadcastId })
    expect(await status(at(other, "index.m3u8"))).toBe(401)
    await onAir.control("stop")
    const all = ["index.m3u8", "s0.m4s", "init1.mp4"].map((file) => status(at(key, file)))
    expect(await Promise.all(all)).toEqual([401, 401, 401])
    expect(await status(onAir.playbackUrl)).toBe(200)
  })

  test("of an event that becomes private is told a signed address of their own, and so is everyone who asks later", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, STREAM)
    expect(await status(onAir.playbackUrl)).toBe(200)
    const viewer = await enter(onAir, "viewer")
    const become = (visibility: string) =>
      apiOf(server.url, acme.key)("PATCH", `/v1/events/${onAir.eventId}`, { visibility })
    await become("private")
    await eventually(async () => (await status(onAir.playbackUrl)) === 404, "the end of the open address")
    const { playbackUrl } = (await viewer.dispatch("broadcast.live")).d.broadcast
    expect(playbackUrl).not.toBe(onAir.playbackUrl)
    expect(await status(playbackUrl)).toBe(200)
    const late = await enter(onAir, "viewer")
    const latesUrl = late.received.find(({ t }) => t === "ready")?.d.broadcast.playbackUrl
    const { playbackUrl: keysUrl } = await onAir.state()
    expect((await onAir.control("start")).body.playbackUrl).toBe(keysUrl)
    expect(new Set([playbackUrl, latesUrl, keysUrl]).size).toBe(3)
    expect(await Promise.all([latesUrl, keysUrl].map(status))).toEqual([200, 200])
    await onAir.control("pause")
    await become("public")
    await eventually(async () => (await onAir.state()).playbackUrl === onAir.playbackUrl, "the open address")
    expect(await onAir.state()).toMatchObject({ status: "paused" })
    await Promise.all([viewer.cut(), late.cut()])
  })

  test("of an event that becomes private is not given what it waited for", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, STREAM)
    const next = filesIn(await text(onAir.playbackUrl)).length
    const waiting = status(`${onAir.playbackUrl}?_HLS_msn=${next}&_HLS_part=0`)
    await apiOf(server.url, acme.key)("PATCH", `/v1/events/${onAir.eventId}`, { visibility: "private" })
    await eventually(async () => (await status(onAir.playbackUrl)) === 404, "the end of the open address")
    await push(onAir.streamUrl, STREAM)
    expect(await waiting).toBe(404)
  })

  test("of a broadcast that has ended leaves the database to others, however many there are", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await onAir.control("stop")
    await recordingOf(server.url, acme.key, onAir.eventId)
    const rows = rowsOf(server.databaseUrl)
    onTestFinished(rows.end)
    await rows.run("begin")
    await rows.run("lock table recording_segments in access exclusive mode")
    const viewers = Array.from({ length: 30 }, () => text(onAir.playbackUrl))
    await eventually(async () => (await waiting(rows)) > 0, "the first reading")
    expect(await onAir.state()).toMatchObject({ status: "ended" })
    // A read of a live event without an answer is sent once more.
    expect(await waiting(rows)).toBeLessThanOrEqual(2)
    await rows.run("rollback")
    expect(new Set(await Promise.all(viewers)).size).toBe(1)
  })

  test("gets a part when it is there, and not before", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, STREAM)
    const { durationMs } = (await onAir.state()).ingest
    const playlist = await text(onAir.playbackUrl)
    const next = filesIn(playlist).length
    expect(durationMs).toBeGreaterThan(7000)
    const waiting = text(`${onAir.playbackUrl}?_HLS_msn=${next}&_HLS_part=0`)
    await push(onAir.streamUrl, STREAM)
    expect(await waiting).toContain(`URI="p${next}.0.m4s",INDEPENDENT=YES`)
    expect(await status(`${onAir.playbackUrl}?_HLS_msn=${next + 50}`)).toBe(400)
    expect(await status(`${onAir.playbackUrl}?_HLS_msn=no`)).toBe(400)
    const answer = await fetch(onAir.playbackUrl)
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    expect(answer.headers.get("cache-control")).toBe("public, max-age=1")
    const etag = answer.headers.get("etag") ?? ""
    await answer.arrayBuffer()
    expect((await fetch(onAir.playbackUrl, { headers: { "if-none-match": etag } })).status).toBe(304)
  })

  test("may keep a file for a minute, a CDN keeps it for an hour after the end, and nobody else keeps one of a private event", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    await push(onAir.streamUrl, STREAM)
    const keptFor = async (url: string) => (await fetch(url, { method: "HEAD" })).headers.get("cache-control")
    const kept = async () => {
      const { playbackUrl } = await onAir.state()
      const urls = ["index.m3u8", "s0.m4s", "init1.mp4"].map((name) => playbackUrl.replace("index.m3u8", name))
      return Promise.all(urls.map(keptFor))
    }
    expect(await kept()).toEqual(["public, max-age=1", "public, max-age=60", "public, max-age=60"])
    await apiOf(server.url, acme.key)("PATCH", `/v1/events/${onAir.eventId}`, { visibility: "private" })
    await eventually(async () => (await status(onAir.playbackUrl)) === 404, "the end of the open address")
    expect(await kept()).toEqual(["private, max-age=1", "private, max-age=60", "private, max-age=60"])
    await onAir.control("stop")
    expect(await kept()).toEqual(["private, max-age=60", "private, max-age=60", "private, max-age=60"])
    const other = await goLive()
    await push(other.streamUrl, STREAM)
    await push(other.streamUrl, STREAM)
    const { playbackUrl } = other
    await other.control("stop")
    const segment = playbackUrl.replace("index.m3u8", "s0.m4s")
    await eventually(async () => (await keptFor(playbackUrl)) === "public, max-age=60", "the whole playlist")
    expect(await keptFor(segment)).toBe("public, max-age=60, s-maxage=3600")
  })

  test("who asks for the part that the playlist hints at gets it when it is there", async () => {
    const onAir = await goLive()
    await push(onAir.streamUrl, STREAM)
    const base = onAir.playbackUrl.replace("index.m3u8", "")
    // Without a playlist nobody knows of it.
    expect(await status(`${base}p2.0.m4s`)).toBe(404)
    await push(onAir.streamUrl, STREAM)
    const hintIn = (playlist: string) => /PRELOAD-HINT:TYPE=PART,URI="([^"]+)"/.exec(playlist)?.[1] ?? ""
    expect(hintIn(await text(onAir.playbackUrl))).toBe("p4.0.m4s")
    expect(await status(`${base}p4.1.m4s`)).toBe(404)
    expect(await status(`${base}p5.0.m4s`)).toBe(404)
    const first = bytesAt(`${base}p4.0.m4s`)
    const encoder = pushStream(onAir.streamUrl)
    await encoder.write(STREAM.subarray(0, 20_000))
    expect(Buffer.from((await first).subarray(4, 8)).toString()).toBe("moof")
    // The last part of a segment comes with the segment.
    const last = bytesAt(base + hintIn(await text(onAir.playbackUrl)))
    await encoder.write(STREAM.subarray(20_000))
    expect((await last).byteLength).toBeGreaterThan(0)
    const never = status(base + hintIn(await text(onAir.playbackUrl)))
    await onAir.control("stop")
    expect([200, 404]).toContain(await never)
    encoder.kill()
  })

  test("asks for files and broadcasts that are not there", async () => {
    const onAir = await goLive()
    const at = (path: string) => status(`${server.url}/v1/live/${path}`)
    const id = (await onAir.state()).broadcastId
    for (const file of ["s0.m4s", "p0.0.m4s", "init1.mp4", "x", "s-1.m4s", "..%2findex.m3u8", "s99999999999.m4s"]) {
      expect(await at(`${id}/${file}`), file).toBe(404)
    }
    expect(await at("0197a000-0000-7000-8000-0000000000b1/index.m3u8")).toBe(404)
    expect(await at("no-such-key/index.m3u8")).toBe(401)
    expect(await at(`${"-".repeat(36)}/index.m3u8`)).toBe(401)
    // The database takes it for the same id.
    expect(await at(`${id.slice(0, 4)}-${id.replace("-", "").slice(4)}/index.m3u8`)).toBe(401)
  })
})

describe("limits", () => {
  const own = sharedServer(() => startMediaServer({ MEDIA_QUOTA_BYTES: "300000" }))
  /** A workspace of which nothing is stored yet. */
  const found = async () => {
    const founder = await createWorkspace(own.url)
    return { founder, live: () => goLive({}, own, founder.key) }
  }

  test("an encoder that sends boxes without media is refused before they cost much time", async () => {
    const onAir = await goLive()
    const nothing = Buffer.alloc(8 * 500_000)
    for (let at = 0; at < nothing.byteLength; at += 8) nothing.write("\0\0\0\bfree", at, "latin1")
    const bytes = new Uint8Array(Buffer.concat([STREAM, nothing]))
    const piece = await fetch(`${onAir.streamUrl}?seq=0`, { method: "PUT", body: bytes })
    expect(piece.status, await piece.text()).toBe(400)
    expect((await onAir.state()).ingest.failure).toMatchObject({ code: "too_fast" })
    const streamed = await push(onAir.streamUrl, bytes).catch((cause: Error) => ({ status: 0, body: cause.message }))
    expect([0, 400]).toContain(streamed.status)
  })

  test("where there is no room the broadcast goes on live, and the recording says that its end is missing", async () => {
    const { live, founder } = await found()
    const onAir = await live()
    for (let i = 0; i < 6; i++) expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
    expect(filesIn(await text(onAir.playbackUrl)).length).toBeGreaterThan(8)
    await onAir.control("stop")
    const recording = await recordingOf(own.url, founder.key, onAir.eventId)
    expect(recording.failure).toMatchObject({ code: "cut_off" })
    expect(recording.sizeBytes).toBeLessThan(300_000)
    expect(samplesIn(await bytesAt(recording.downloadUrl)).video).toBeGreaterThan(0)
  })

  test("a broadcast that there is no room to record is told to hosts at once, and leaves a failed recording", async () => {
    const { live, founder } = await found()
    const onAir = await live()
    const rows = rowsOf(own.databaseUrl)
    onTestFinished(rows.end)
    await rows.run(
      `insert into recordings (id, event_id, workspace_id, kind, status, size_bytes)
       select gen_random_uuid(), id, workspace_id, 'upload', 'uploading', 299000 from events where id = $1`,
      [(await createEvent(own.url, founder.key)).id],
    )
    const host = await enter(onAir, "host", undefined, own, founder.key)
    expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
    // On a slow machine a report without the failure may come before.
    const isTold = () =>
      host.received.some(
        ({ t, d }) => t === "broadcast.stream" && d.state === "receiving" && d.failure?.code === "no_room",
      )
    await eventually(isTold, "the host to be told")
    const failure = { code: "no_room", detail: expect.stringContaining("no room for more") }
    expect((await onAir.state()).ingest).toMatchObject({ failure })
    // Another encoder's bytes are not recorded either.
    expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
    expect((await onAir.state()).ingest).toMatchObject({ failure })
    const stopped = await onAir.control("stop")
    expect(stopped.body).toMatchObject({ status: "ended", ingest: { state: "ended", takes: 1, failure: null } })
    expect((await onAir.state()).ingest).toMatchObject({ state: "ended", failure: null })
    const later = await enter(onAir, "host", undefined, own, founder.key)
    expect(later.received.find(({ t }) => t === "ready")?.d.encoder).toBeNull()
    for (const one of [host, later]) await one.cut()
    const recordings = async () =>
      (await apiOf(own.url, founder.key)("GET", `/v1/events/${onAir.eventId}/recordings`)).body.recordings
    await eventually(async () => (await recordings())[0]?.status === "failed", "the failed recording")
    expect(await recordings()).toMatchObject([{ failure: { code: "no_room" }, downloadUrl: null }])
  })

  test("one encoder more than may push at once is told to come back", async () => {
    // Of its own: the place of an encoder is free a moment after its answer.
    const narrow = await startMediaServer({ BROADCAST_INGESTS: "1" })
    onTestFinished(() => narrow.stop())
    const { key } = await createWorkspace(narrow.url)
    const [first, second] = [await goLive({}, narrow, key), await goLive({}, narrow, key)]
    const stream = pushStream(first.streamUrl)
    await stream.write(STREAM.subarray(0, 20_000))
    await eventually(async () => (await first.state()).ingest.state === "receiving", "the first encoder")
    expect((await push(second.streamUrl, STREAM)).status).toBe(503)
    expect((await second.state()).ingest.failure).toMatchObject({ code: "busy" })
    stream.kill()
  })

  test("without ingest there is no address, neither to push nor to watch", async () => {
    const own = await startMediaServer({ BROADCAST_INGEST: "off" })
    onTestFinished(() => own.stop())
    const { key } = await createWorkspace(own.url)
    const api = apiOf(own.url, key)
    const event = await createEvent(own.url, key, { phases: [{ modality: "broadcast" }] })
    await api("POST", `/v1/events/${event.id}/publish`)
    const phaseId = (await api("POST", `/v1/events/${event.id}/start`)).body.phases[0].id
    const started = await api("POST", `/v1/phases/${phaseId}/broadcast/start`, {})
    expect(started.body).toMatchObject({ playbackUrl: null, ingest: null })
    expect((await api("POST", `/v1/phases/${phaseId}/broadcast/ingest`)).status).toBe(409)
  })
})

test("a viewer who waits for a broadcast that is deleted is answered at once", async () => {
  const onAir = await goLive()
  await push(onAir.streamUrl, STREAM)
  const held = fetch(onAir.playbackUrl)
  for (let n = 0; n < 3; n++) await onAir.state()
  await apiOf(server.url, acme.key)("DELETE", `/v1/events/${onAir.eventId}`)
  const answer = await held
  expect(["The broadcast was closed; ask again.", "No such broadcast."]).toContain(
    ((await answer.json()) as Json).detail,
  )
})

test("staff are told when the encoder is there, and viewers are not", async () => {
  const onAir = await goLive()
  const [host, viewer] = await Promise.all([enter(onAir, "host"), enter(onAir, "viewer")])
  const encoder = pushStream(onAir.streamUrl)
  await encoder.write(STREAM)
  const { broadcastId } = await onAir.state()
  expect(await host.dispatch("broadcast.stream")).toMatchObject({
    d: { broadcastId, phaseId: onAir.phaseId, state: "receiving", failure: null },
  })
  const late = await enter(onAir, "host")
  const readyOf = ({ received }: Client) => received.find(({ t }) => t === "ready")?.d
  expect(readyOf(late).encoder).toEqual({ broadcastId, phaseId: onAir.phaseId, state: "receiving", failure: null })
  expect(readyOf(viewer)).not.toHaveProperty("encoder")
  const { epoch, cursors } = readyOf(late)
  const back = await enter(onAir, "host", { epoch, cursors })
  expect(readyOf(back)).toMatchObject({ resumed: true, encoder: { state: "receiving" } })
  await onAir.control("pause")
  await viewer.dispatch("broadcast.paused")
  expect(viewer.received.some(({ t }) => t === "broadcast.stream")).toBe(false)
  encoder.kill()
  await Promise.all([host, viewer, late, back].map((client) => client.cut()))
})
