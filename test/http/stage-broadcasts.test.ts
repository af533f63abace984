/** Broadcasts that a media server makes of the main room: its segments are in the bucket, and viewers get one playlist of them. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client } from "../gateway/client.ts"
import { CaptureHouse } from "../support/capture-house.ts"
import type { Egress } from "../support/livekit-server.ts"
import { segmentsIn, writeTake } from "../support/stage-recorder.ts"
import { eventually } from "../support/wait.ts"

let house: CaptureHouse
beforeAll(async () => {
  house = await CaptureHouse.open()
})
afterAll(() => house?.close())

const write = (egress: Egress, count: number, isOver?: boolean): Promise<void> =>
  writeTake(house, egress, count, isOver)

const linesOf = async (url: string): Promise<ReadonlyArray<string>> => {
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-type")).toBe("application/vnd.apple.mpegurl")
  return (await answer.text()).split("\n")
}
const bytesAt = async (url: string | undefined): Promise<string> => {
  const answer = await fetch(url ?? "")
  expect(answer.headers.get("content-type")).toBe("video/mp2t")
  return answer.text()
}
const start = async (host: Client): Promise<string> => {
  const started = await host.command("broadcast.start", {})
  expect(started).toMatchObject({ ok: true, d: { broadcast: { status: "live" } } })
  return started.d.broadcast.playbackUrl
}
const untilSegments = (url: string, count: number) =>
  eventually(async () => segmentsIn(await linesOf(url)).length === count, `${count} segments`)

test("viewers get the stage from the first segment on, over a pause, and the whole of it afterwards", async () => {
  const { event, room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const url = await start(host)
  expect(url).toMatch(/\/v1\/live\/[\w-]+\/stage\.m3u8$/)
  const first = await house.egressOf(room)
  // A viewer that comes before the first segment waits for it.
  const early = linesOf(url)
  await write(first, 2)
  expect(segmentsIn(await early)).toHaveLength(2)
  await write(first, 7)
  await untilSegments(url, 5)
  const before = await linesOf(url)
  expect(before).toContain("#EXT-X-MEDIA-SEQUENCE:2")
  expect(before).not.toContain("#EXT-X-ENDLIST")
  expect(await bytesAt(segmentsIn(before)[4])).toBe(`bytes of ${first.egressId} segment_00006.ts`)

  expect(await host.command("broadcast.pause", {})).toMatchObject({ ok: true })
  await eventually(() => first.status === "EGRESS_ENDING", "the recording of the first stretch is ended")
  expect(await host.command("broadcast.resume", {})).toMatchObject({ ok: true, d: { broadcast: { playbackUrl: url } } })
  const second = await house.egressOf(room, 2)
  // The end of the first stretch comes after the beginning of the second.
  await write(second, 1)
  await write(first, 8, true)
  await untilSegments(url, 6)
  const after = await linesOf(url)
  expect(after).toEqual(expect.arrayContaining(["#EXT-X-MEDIA-SEQUENCE:3", "#EXT-X-DISCONTINUITY-SEQUENCE:0"]))
  expect(after.filter((line) => line === "#EXT-X-DISCONTINUITY")).toHaveLength(1)
  expect(await bytesAt(segmentsIn(after)[5])).toBe(`bytes of ${second.egressId} segment_00000.ts`)
  await write(second, 6)
  await untilSegments(url, 5)
  expect(await linesOf(url)).toEqual(
    expect.arrayContaining(["#EXT-X-MEDIA-SEQUENCE:9", "#EXT-X-DISCONTINUITY-SEQUENCE:1"]),
  )

  expect(await host.command("broadcast.stop", {})).toMatchObject({ ok: true, d: { broadcast: { status: "ended" } } })
  await eventually(() => second.status === "EGRESS_ENDING", "the recording of the second stretch is ended")
  await write(second, 7, true)
  await untilSegments(url, 15)
  expect(await linesOf(url)).toEqual(expect.arrayContaining(["#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-ENDLIST"]))
  expect(await house.settled(event)).toMatchObject([
    { status: "ready", source: "livekit", kind: "merged", phaseId: event.phases[0].id },
    { status: "ready", source: "livekit" },
  ])
  await host.cut()
})

test("each change of the playlist has another etag, and it is made for all viewers at once", async () => {
  const { room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const url = await start(host)
  await write(await house.egressOf(room), 3)
  await untilSegments(url, 3)
  const reads = () => house.s3.operations.filter((operation) => operation === "GetObject").length
  const before = reads()
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url)))
  expect(new Set(answers.map((answer) => answer.headers.get("etag"))).size).toBe(1)
  // Fifty requests may lie around the end of a second.
  expect(reads() - before).toBeLessThanOrEqual(2)
  const etag = answers[0]?.headers.get("etag") ?? ""
  expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304)
  await host.cut()
})

test("the address of a private event's stage is a credential, and the bare id shows nothing", async () => {
  const { room, host } = await house.openRoom("broadcast", { visibility: "private" })
  house.livekit.enter(room, "host")
  const started = await host.command("broadcast.start", {})
  const { broadcastId, playbackUrl } = started.d.broadcast
  await write(await house.egressOf(room), 1)
  await untilSegments(playbackUrl, 1)
  const bare = (id: string) => fetch(`${house.server.url}/v1/live/${id}/stage.m3u8`)
  expect((await fetch(playbackUrl)).headers.get("cache-control")).toBe("private, max-age=1")
  expect((await bare(broadcastId)).status).toBe(404)
  expect((await bare("00000000-0000-7000-8000-000000000000")).status).toBe(404)
  expect((await bare("nonsense")).status).toBe(401)
  expect((await fetch(`${playbackUrl.replace("stage.m3u8", "segment_00000.ts")}`)).status).toBe(404)
  await host.cut()
})

test("no encoder can push where the media server broadcasts, and an own address needs neither", async () => {
  const { event, room, host } = await house.openRoom("broadcast")
  house.livekit.enter(room, "host")
  const own = await host.command("broadcast.start", { playbackUrl: "https://video.example.com/live.m3u8" })
  expect(own).toMatchObject({ ok: true, d: { broadcast: { playbackUrl: "https://video.example.com/live.m3u8" } } })
  expect(await host.command("broadcast.ingest", {})).toMatchObject({ ok: false, e: { code: "conflict" } })
  const phase = event.phases[0].id
  expect((await house.call("POST", `/v1/phases/${phase}/broadcast/ingest`)).status).toBe(409)
  expect((await house.call("GET", `/v1/phases/${phase}/broadcast`)).body).toMatchObject({ ingest: null })
  // The stage of another event is made meanwhile, so this one would have been.
  const other = await house.openRoom("broadcast")
  house.livekit.enter(other.room, "host")
  await start(other.host)
  await house.egressOf(other.room)
  expect(house.egressesOf(room)).toEqual([])
  for (const { host: one } of [{ host }, other]) await one.cut()
})

test("a recording of the room beside its broadcast is that of the broadcast, and goes on alone in a pause", async () => {
  const { event, room, host } = await house.openRoom("broadcast")
  house.livekit.enter(room, "host")
  expect(await host.command("capture.start", { kinds: ["recording"] })).toMatchObject({ ok: true })
  const alone = await house.egressOf(room)
  expect(alone.roomComposite.segmentOutputs ?? []).toEqual([])
  await start(host)
  const broadcast = await house.egressOf(room, 2)
  await eventually(() => alone.status === "EGRESS_ENDING", "the room is recorded once")
  expect(broadcast.roomComposite.segmentOutputs).toHaveLength(1)
  await host.command("broadcast.pause", {})
  const paused = await house.egressOf(room, 3)
  expect(paused.roomComposite.segmentOutputs ?? []).toEqual([])
  await eventually(() => broadcast.status === "EGRESS_ENDING", "the broadcast is paused")
  await host.command("event.end", {})
  await eventually(() => paused.status === "EGRESS_ENDING", "all has ended")
  for (const egress of [alone, broadcast, paused]) {
    await house.complete(egress)
    await house.tell(egress)
  }
  expect(await house.settled(event)).toMatchObject([{ status: "ready" }, { status: "ready" }, { status: "ready" }])
  expect(house.egressesOf(room)).toHaveLength(3)
  await host.cut()
})

test("a broadcast whose room the media server closed goes on with the next people, and deleting its recording removes its segments", async () => {
  const { event, room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const url = await start(host)
  const first = await house.egressOf(room)
  house.livekit.rooms.delete(room)
  await write(first, 3, true)
  await eventually(async () => (await house.recordingsOf(event)).length === 2, "another recording waits")
  house.livekit.enter(room, "host")
  const second = await house.egressOf(room, 2)
  await write(second, 1)
  await untilSegments(url, 4)
  await host.command("broadcast.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second recording is ended")
  await write(second, 2, true)
  const recordings = await house.settled(event)
  const folder = first.roomComposite.segmentOutputs[0].filenamePrefix
  expect(house.s3.stored(folder)).toHaveLength(3)
  const oldest = recordings.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0]
  expect((await house.call("DELETE", `/v1/recordings/${oldest?.id}`)).status).toBe(204)
  await eventually(
    () => house.s3.stored(first.roomComposite.fileOutputs[0].filepath).length === 0,
    "its files are gone",
  )
  await eventually(async () => segmentsIn(await linesOf(url)).length === 2, "the rest is left")
  await host.cut()
})
