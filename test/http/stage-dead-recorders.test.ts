/** Broadcasts that a media server makes, whose recorder dies late, dies without a word, or answers what nobody understands. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { CaptureHouse } from "../support/capture-house.ts"
import type { Egress } from "../support/livekit-server.ts"
import { rowsOf } from "../support/rows.ts"
import { openStage, segmentsAt, untilReports, untilSegments, writeTake } from "../support/stage-recorder.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

let house: CaptureHouse
beforeAll(async () => {
  house = await CaptureHouse.open()
})
afterAll(() => house?.close())

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
  const own = await CaptureHouse.open({ MEDIA_QUOTA_BYTES: "1000" })
  onTestFinished(() => own.close())
  const { event, room, host } = await openStage(own)
  const first = await own.egressOf(room)
  await untilReports(host, "receiving -")
  await host.command("broadcast.pause", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the take is ended")
  await writeTake(own, first, 2, true, wavOf(2))
  await host.command("broadcast.resume", {})
  await untilReports(host, "receiving -", "lost no_room")
  expect(own.egressesOf(room)).toHaveLength(1)
  await host.cut()
  own.server = await own.server.restart()
  const again = await own.personOf(event, "host", "another host")
  await untilReports(again, "lost no_room")
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
