/** Broadcasts that a media server makes, while its recorder or the bucket fails, and for longer than their addresses were made for. */
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { deriveKey } from "../../src/crypto/secret-key.ts"
import { mediaLinksOf } from "../../src/media/links.ts"
import type { Client } from "../gateway/client.ts"
import type { Json } from "../support/api.ts"
import { CaptureHouse } from "../support/capture-house.ts"
import { rowsOf } from "../support/rows.ts"
import { SECRET_KEY } from "../support/server.ts"
import { segmentsIn, writeTake } from "../support/stage-recorder.ts"
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
const segmentsAt = async (url: string): Promise<ReadonlyArray<string>> =>
  segmentsIn((await (await fetch(url)).text()).split("\n"))
const untilSegments = (url: string, count: number) =>
  eventually(async () => (await segmentsAt(url)).length === count, `${count} segments`)

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
