/** Broadcasts that a media server makes of a room, and recorders that die late or without a word. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import type { Client } from "../gateway/client.ts"
import { createEvent } from "../support/api.ts"
import { CaptureHouse } from "../support/capture-house.ts"
import type { Egress } from "../support/livekit-server.ts"
import { rowsOf } from "../support/rows.ts"
import { openStage, segmentsAt, segmentsIn, untilReports, untilSegments, writeTake } from "../support/stage-recorder.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

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

const run = async (statement: string) => {
  const rows = rowsOf(house.server.databaseUrl)
  const answer = await rows.run(statement)
  await rows.end()
  return answer
}
/** The media server lists the recording, and does not reach its process. */
const kill = (egress: Egress): (() => number) => {
  let stops = 0
  house.livekit.refuse = (method, { egressId }) => {
    if (method !== "StopEgress" || egressId !== egress.egressId) return undefined
    stops += 1
    return { status: 503, body: { code: "unavailable", msg: "no response from servers" } }
  }
  return () => stops
}
const textAt = async (url: string): Promise<string> => (await fetch(url)).text()

test("a recorder that fails after a long time is begun again as any other", async () => {
  const { room, host } = await openStage(house)
  const first = await house.egressOf(room)
  await untilReports(host, "receiving -")
  await run(
    `update recordings set created_at = created_at - interval '11 minutes' where egress_id = '${first.egressId}'`,
  )
  first.status = "EGRESS_FAILED"
  await house.tell(first)
  await untilReports(host, "receiving -", "lost recorder_failed")
  await house.egressOf(room, 2)
  await host.cut()
})

test("a broadcast that has ended is given whole although an earlier recorder died and cannot be ended", async () => {
  const { room, host, url } = await openStage(house)
  const first = await house.egressOf(room)
  await writeTake(house, first, 3)
  await untilSegments(url, 3)
  const stops = kill(first)
  await host.command("broadcast.pause", {})
  await eventually(() => stops() > 0, "the recorder is to end")
  await host.command("broadcast.resume", {})
  const second = await house.egressOf(room, 2)
  await host.command("broadcast.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second take is ended")
  await writeTake(house, second, 2, true)
  expect(await textAt(url)).not.toContain("#EXT-X-ENDLIST")
  await run("update recordings set created_at = created_at - interval '31 seconds'")
  await eventually(async () => (await textAt(url)).includes("#EXT-X-ENDLIST"), "the whole playlist")
  expect(await segmentsAt(url)).toHaveLength(2)
  house.livekit.refuse = undefined
  await host.cut()
})

test("a recording that nobody can end does not keep the ends of others from being found", async () => {
  const stray = await openStage(house)
  const lost = await openStage(house)
  const [dead, quiet] = [await house.egressOf(stray.room), await house.egressOf(lost.room)]
  kill(dead)
  expect((await run(`delete from recordings where egress_id = '${dead.egressId}'`)).count).toBe(1)
  await lost.host.command("broadcast.stop", {})
  await eventually(() => quiet.status === "EGRESS_ENDING", "the take is ended")
  // Its message is lost.
  await house.complete(quiet)
  for (const { host } of [stray, lost]) await host.cut()
  // A start looks at once.
  house.server = await house.server.restart()
  await eventually(
    async () => (await house.recordingsOf(lost.event)).every(({ status }) => status === "ready"),
    "the end is found",
  )
  house.livekit.refuse = undefined
})

test("an answer without the id of a recording is a failure, and the next one counts", async () => {
  let answers = 0
  house.livekit.refuse = (method) => {
    if (method !== "StartRoomCompositeEgress" || answers++ > 1) return undefined
    return { status: 200, body: answers === 1 ? {} : { egressId: "\u0000" } }
  }
  const { event, room, host } = await openStage(house)
  const egress = await house.egressOf(room)
  await untilReports(host, "lost recorder_failed", "receiving -")
  await host.command("broadcast.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the take is ended")
  await writeTake(house, egress, 2, true)
  expect(await house.settled(event)).toMatchObject([{ status: "ready" }])
  house.livekit.refuse = undefined
  await host.cut()
})

test("the recording of the stretch that is on air is deleted only after a pause", async () => {
  const { event, room, host, url } = await openStage(house)
  const first = await house.egressOf(room)
  await writeTake(house, first, 3)
  await untilSegments(url, 3)
  const [running] = await house.recordingsOf(event)
  const remove = () => house.call("DELETE", `/v1/recordings/${running?.id}`)
  expect(await remove()).toMatchObject({ status: 409, body: { detail: expect.stringContaining("pause") } })
  await host.command("broadcast.pause", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the take is ended")
  expect((await remove()).status).toBe(204)
  await host.command("broadcast.resume", {})
  await writeTake(house, await house.egressOf(room, 2), 2)
  await untilSegments(url, 2)
  expect(await textAt(url)).toContain("#EXT-X-MEDIA-SEQUENCE:3")
  await host.cut()
})

test("a broadcast that has ended is given as far as it came when its last recorder died, and whole if that comes after all", async () => {
  const { room, host, url } = await openStage(house)
  const only = await house.egressOf(room)
  await writeTake(house, only, 3)
  const stops = kill(only)
  await host.command("broadcast.stop", {})
  await eventually(() => stops() > 0, "the recorder is to end")
  const [output] = only.roomComposite.segmentOutputs
  await house.put(only, output.playlistName, "#EXTM3U\n#EXTINF:2.000,\nsegment_00000.ts\n")
  expect(await segmentsAt(url)).toHaveLength(3)
  await run("update broadcasts set updated_at = updated_at - interval '3 minutes' where status = 'ended'")
  await eventually(async () => (await textAt(url)).includes("#EXT-X-ENDLIST"), "an end")
  expect(await segmentsAt(url)).toHaveLength(1)
  expect((await fetch(url)).headers.get("cache-control")).toBe("public, max-age=1")
  await writeTake(house, only, 4, true)
  await untilSegments(url, 4)
  house.livekit.refuse = undefined
  await host.cut()
})

test("staff are told of a broadcast that there is no room to make", async () => {
  const { event, room, host } = await openStage(house)
  const first = await house.egressOf(room)
  await untilReports(host, "receiving -")
  await host.command("broadcast.pause", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the take is ended")
  await write(first, 2, true)
  const { id: other } = await createEvent(house.server.url, house.workspace.key)
  await run(`insert into recordings (id, event_id, workspace_id, kind, status, size_bytes)
    select gen_random_uuid(), id, workspace_id, 'upload', 'ready', ${2 ** 50} from events where id = '${other}'`)
  onTestFinished(() => void run(`delete from recordings where event_id = '${other}'`))
  await host.command("broadcast.resume", {})
  await untilReports(host, "receiving -", "lost no_room")
  expect(house.egressesOf(room)).toHaveLength(1)
  await host.cut()
  house.server = await house.server.restart()
  const again = await house.personOf(event, "host", "another host")
  // By a report, or in what a host gets on arrival where the report came before.
  const reports = () => again.received.map(({ t, d }) => (t === "ready" ? d.encoder : t === "broadcast.stream" && d))
  await eventually(() => reports().some((one) => one?.failure?.code === "no_room"), "the other host to be told")
  await again.cut()
})

test("a recorder that fails right after the broadcast has ended is neither reported nor begun again", async () => {
  const { event, room, host } = await openStage(house)
  const egress = await house.egressOf(room)
  await untilReports(host, "receiving -")
  await host.command("broadcast.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the take is ended")
  // As if the end were committed, and its job not done.
  await run(`update recordings set egress_room = '${room}' where egress_id = '${egress.egressId}'`)
  egress.status = "EGRESS_FAILED"
  await house.tell(egress)
  expect(await house.settled(event)).toMatchObject([{ status: "failed" }])
  expect(await run(`select 1 from media_jobs where kind = 'capture' and event_id = '${event.id}'`)).toEqual([])
  const again = await house.personOf(event, "host", "another host")
  expect(again.received.find(({ t }) => t === "ready")?.d.encoder).toBeNull()
  for (const one of [host, again]) await one.cut()
})

test("a recording whose recorder died is taken from the bucket once it could not be any longer", async () => {
  const { event, room, host } = await openStage(house)
  const egress = await house.egressOf(room)
  const stops = kill(egress)
  await house.put(egress, egress.roomComposite.fileOutputs[0].filepath, wavOf(2))
  await host.command("broadcast.stop", {})
  await eventually(() => stops() > 0, "the recorder is to end")
  await host.cut()
  house.server = await house.server.restart()
  expect(await house.recordingsOf(event)).toMatchObject([{ status: "processing" }])
  egress.startedAt = `${Date.now() - 26 * 3_600_000}000000`
  house.server = await house.server.restart()
  expect(await house.settled(event)).toMatchObject([{ status: "ready" }])
  // Nothing is tried any more.
  const jobs = () => run(`select 1 from media_jobs where kind = 'capture' and event_id = '${event.id}'`)
  await eventually(async () => (await jobs()).length === 0, "no job is left")
  house.livekit.refuse = undefined
})
