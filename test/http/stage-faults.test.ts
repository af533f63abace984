/** Broadcasts that a media server makes, while its recorder or the bucket fails, or recordings are deleted. */
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { deriveKey } from "../../src/crypto/secret-key.ts"
import { mediaLinksOf } from "../../src/media/links.ts"
import type { Client } from "../gateway/client.ts"
import type { Json } from "../support/api.ts"
import { CaptureHouse } from "../support/capture-house.ts"
import type { Egress } from "../support/livekit-server.ts"
import { rowsOf } from "../support/rows.ts"
import { SECRET_KEY } from "../support/server.ts"
import { openStage, segmentsAt, segmentsIn, untilReports, untilSegments, writeTake } from "../support/stage-recorder.ts"
import { eventually } from "../support/wait.ts"

let house: CaptureHouse
beforeAll(async () => {
  house = await CaptureHouse.open()
})
afterAll(() => house?.close())

const start = async (host: Client): Promise<Json> => {
  const started = await host.command("broadcast.start", {})
  expect(started).toMatchObject({ ok: true, d: { broadcast: { status: "live" } } })
  return started.d.broadcast
}

test("after a pause the broadcast goes on although the recorder of the stretch before died and cannot be ended", async () => {
  const { room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const { playbackUrl: url } = await start(host)
  const first = await house.egressOf(room)
  await writeTake(house, first, 3)
  await untilSegments(url, 3)
  // The media server lists it, and does not reach its process.
  let stops = 0
  house.livekit.refuse = (method, { egressId }) => {
    if (method !== "StopEgress" || egressId !== first.egressId) return undefined
    stops += 1
    return { status: 503, body: { code: "unavailable", msg: "no response from servers" } }
  }
  await host.command("broadcast.pause", {})
  await eventually(() => stops > 0, "the recorder is to end")
  await host.command("broadcast.resume", {})
  const second = await house.egressOf(room, 2)
  await writeTake(house, second, 2)
  // The stretch before is not known to be whole, so that its successor's numbers are not known either, for half a minute.
  expect(await segmentsAt(url)).toHaveLength(3)
  const rows = rowsOf(house.server.databaseUrl)
  await rows.run("update recordings set created_at = created_at - interval '31 seconds'")
  await rows.end()
  await untilSegments(url, 5)
  house.livekit.refuse = undefined
  await host.cut()
})

test("a playlist in a bucket that does not answer is refused after some seconds, and given soon after it answers again", async () => {
  const { room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const { playbackUrl: url } = await start(host)
  await writeTake(house, await house.egressOf(room), 3)
  await untilSegments(url, 3)
  for (const silent of ["HeadObject", "GetObject"]) {
    house.s3.fault = (operation) => (operation === silent ? "hang" : undefined)
    await eventually(async () => {
      const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) })
      return answer.status === 503
    }, "a refusal")
    house.s3.fault = undefined
    await untilSegments(url, 3)
  }
  await host.cut()
})

test("an expired address of a private event's stage is good as long as the broadcast goes on", async () => {
  const { room, host } = await house.openRoom("broadcast", { visibility: "private" })
  house.livekit.enter(room, "host")
  const { broadcastId, playbackUrl } = await start(host)
  const egress = await house.egressOf(room)
  await writeTake(house, egress, 1)
  await untilSegments(playbackUrl, 1)
  const links = mediaLinksOf([deriveKey(Redacted.make(SECRET_KEY), "media-links")])
  const key = links.sign({ use: "play", kind: "broadcast", id: broadcastId, audience: "workspace", expires: 1 })
  const expired = `${house.server.url}/v1/live/${key}/stage.m3u8`
  expect(await segmentsAt(expired)).toHaveLength(1)
  await host.command("broadcast.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the recording is ended")
  await writeTake(house, egress, 2, true)
  await untilSegments(playbackUrl, 2)
  expect((await fetch(expired)).status).toBe(401)
  await host.cut()
})

test("whoever asks for broadcasts that do not exist keeps nobody from watching one", async () => {
  const { room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const { playbackUrl: url } = await start(host)
  await writeTake(house, await house.egressOf(room), 3)
  await untilSegments(url, 3)
  let asked = 0
  let isOver = false
  const asking = Array.from({ length: 40 }, async () => {
    while (!isOver) {
      asked += 1
      const id = `00000000-0000-7000-8000-${String(asked).padStart(12, "0")}`
      await (await fetch(`${house.server.url}/v1/live/${id}/stage.m3u8`)).arrayBuffer()
    }
  })
  onTestFinished(async () => {
    isOver = true
    await Promise.allSettled(asking)
  })
  const answers: number[] = []
  while (answers.length < 10 || asked < 500) answers.push((await fetch(url)).status)
  expect(answers.filter((status) => status !== 200)).toEqual([])
  await host.cut()
})

const textAt = async (url: string): Promise<string> => (await fetch(url)).text()
const numbersAt = async (url: string): Promise<ReadonlyArray<number>> => {
  const text = await textAt(url)
  return ["MEDIA-SEQUENCE", "DISCONTINUITY-SEQUENCE"].map((tag) =>
    Number(new RegExp(`#EXT-X-${tag}:(\\d+)`).exec(text)?.[1]),
  )
}
const fail = async (egress: Egress): Promise<void> => {
  egress.status = "EGRESS_FAILED"
  expect((await house.tell(egress)).status).toBe(200)
}

test("a recorder that fails while it broadcasts is begun again, staff are told, and numbers go on", async () => {
  const { room, host, url, broadcastId } = await openStage(house)
  const first = await house.egressOf(room)
  await untilReports(host, "receiving -")
  await writeTake(house, first, 20)
  await untilSegments(url, 5)
  const last = await segmentsAt(url)
  expect(await numbersAt(url)).toEqual([15, 0])
  await fail(first)
  await untilReports(host, "receiving -", "lost recorder_failed")
  expect(host.received.findLast(({ t }) => t === "broadcast.stream")?.d).toMatchObject({ broadcastId })
  // Viewers keep the last playlist until there is a new one.
  expect(await segmentsAt(url)).toEqual(last)
  const second = await house.egressOf(room, 2)
  await untilReports(host, "receiving -", "lost recorder_failed", "receiving -")
  await writeTake(house, second, 3)
  await untilSegments(url, 3)
  expect(await numbersAt(url)).toEqual([20, 1])
  await host.cut()
})

test("a recorder that fails again and again is begun with growing pauses, and not without end", async () => {
  const { event, room, host, broadcastId } = await openStage(house)
  const begun = [Date.now()]
  for (const count of [1, 2, 3]) {
    const egress = await house.egressOf(room, count)
    begun.push(Date.now())
    if (count < 3) await fail(egress)
  }
  expect((begun[2] ?? 0) - (begun[1] ?? 0)).toBeGreaterThanOrEqual(1000)
  expect((begun[3] ?? 0) - (begun[2] ?? 0)).toBeGreaterThanOrEqual(4000)
  // As if three more had failed.
  const rows = rowsOf(house.server.databaseUrl)
  await rows.run(`
    insert into recordings (id, event_id, workspace_id, phase_id, kind, source, status, failure, egress_ended, broadcast_id)
    select gen_random_uuid(), event_id, workspace_id, phase_id, kind, source, status, failure, true, broadcast_id
      from recordings cross join generate_series(1, 3) where id = (
        select id from recordings where broadcast_id = '${broadcastId}' and status = 'failed' limit 1)`)
  await fail(await house.egressOf(room, 3))
  const given = await host.next(({ d }) => d?.failure?.code === "recorder_given_up", "the last report")
  expect(given.d).toMatchObject({ state: "lost", failure: { detail: expect.stringContaining("Pause and resume") } })
  const waiting = await rows.run(`select 1 from media_jobs where kind = 'capture' and event_id = '${event.id}'`)
  expect(waiting).toEqual([])
  await rows.end()
  // A host may try once more.
  await host.command("broadcast.pause", {})
  await host.command("broadcast.resume", {})
  await house.egressOf(room, 4)
  await host.cut()
})

test("staff are told of a recorder that cannot be begun, and of its beginning", async () => {
  house.livekit.refuse = (method) =>
    method === "StartRoomCompositeEgress"
      ? { status: 503, body: { code: "unavailable", msg: "no egress service" } }
      : undefined
  const { room, host } = await openStage(house)
  await untilReports(host, "lost recorder_failed")
  house.livekit.refuse = undefined
  await house.egressOf(room)
  await untilReports(host, "lost recorder_failed", "receiving -")
  await host.cut()
})

test("a recorder that fails after the broadcast was paused is not begun again", async () => {
  const { event, room, host } = await openStage(house)
  const first = await house.egressOf(room)
  await host.command("broadcast.pause", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the take is ended")
  await fail(first)
  expect(await house.settled(event)).toMatchObject([{ status: "failed" }])
  const rows = rowsOf(house.server.databaseUrl)
  expect(await rows.run(`select 1 from media_jobs where kind = 'capture' and event_id = '${event.id}'`)).toEqual([])
  await rows.end()
  await host.cut()
})

test("numbers go on when earlier takes are deleted or refused while the broadcast goes on, also after a restart", async () => {
  const { event, room, host, url } = await openStage(house)
  const pause = async (egress: Egress) => {
    await host.command("broadcast.pause", {})
    await eventually(() => egress.status === "EGRESS_ENDING", "the take is ended")
    await host.command("broadcast.resume", {})
  }
  const first = await house.egressOf(room)
  await writeTake(house, first, 4)
  await untilSegments(url, 4)
  await pause(first)
  await writeTake(house, first, 4, true)
  const second = await house.egressOf(room, 2)
  await writeTake(house, second, 3)
  await untilSegments(url, 7)
  expect(await numbersAt(url)).toEqual([0, 0])
  await eventually(async () => (await house.recordingsOf(event)).some(({ status }) => status === "ready"), "ready")
  const ready = (await house.recordingsOf(event)).find(({ status }) => status === "ready")
  expect((await house.call("DELETE", `/v1/recordings/${ready?.id}`)).status).toBe(204)
  await untilSegments(url, 3)
  expect(await numbersAt(url)).toEqual([4, 1])
  // Nobody may read the second take before its file is refused.
  await pause(second)
  const third = await house.egressOf(room, 3)
  await writeTake(house, second, 3, true, Buffer.from("no picture and no sound"))
  await eventually(async () => (await house.recordingsOf(event)).some(({ status }) => status === "failed"), "refused")
  house.server = await house.server.restart()
  await writeTake(house, third, 2)
  const now = url.replace(/^http:\/\/[^/]+/, house.server.url)
  await untilSegments(now, 2)
  expect(await numbersAt(now)).toEqual([7, 2])
  await host.cut()
})

test("a whole playlist that cannot be read is missing only as long as it is", async () => {
  const { room, host, url } = await openStage(house)
  const first = await house.egressOf(room)
  await host.command("broadcast.pause", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the first take is ended")
  await host.command("broadcast.resume", {})
  const second = await house.egressOf(room, 2)
  await writeTake(house, first, 3, true)
  await host.command("broadcast.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second take is ended")
  await writeTake(house, second, 2, true)
  const key = second.roomComposite.segmentOutputs[0].playlistName
  await untilSegments(url, 5)
  // Longer than a playlist may be.
  await house.put(second, key, Buffer.alloc(8 * 1024 ** 2 + 1, "#"))
  // The playlist is known, and is made anew in another hour.
  house.server = await house.server.restart()
  const now = url.replace(/^http:\/\/[^/]+/, house.server.url)
  const answer = await fetch(now)
  expect(segmentsIn((await answer.text()).split("\n"))).toHaveLength(3)
  expect(answer.headers.get("cache-control")).toBe("public, max-age=1")
  await writeTake(house, second, 2, true)
  await untilSegments(now, 5)
  expect((await fetch(now)).headers.get("cache-control")).toBe("public, max-age=60")
  await host.cut()
})
