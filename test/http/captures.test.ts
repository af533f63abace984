/** Recordings that a media server makes: asked for by a host, put into the bucket, and told about by signed messages. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import type { Client, Frame } from "../gateway/client.ts"
import { CaptureHouse } from "../support/capture-house.ts"
import type { Egress } from "../support/livekit-server.ts"
import { rowsOf } from "../support/rows.ts"
import { openStore } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

let house: CaptureHouse
beforeAll(async () => {
  house = await CaptureHouse.open()
})
afterAll(() => house?.close())

const record = (host: Client) => host.command("capture.start", { kinds: ["recording"] })

test("a recording begins with the first people, ends when a host says so, and is announced once", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  expect(await record(host)).toMatchObject({ ok: true, d: { on: true, kinds: ["recording"] } })
  await eventually(async () => (await house.recordingsOf(event)).length === 1, "the recording is listed")
  expect(house.livekit.egresses.filter(({ roomName }) => roomName === room)).toEqual([])
  house.livekit.enter(room, "host")
  const egress = await house.egressOf(room)
  expect(await house.recordingsOf(event)).toMatchObject([
    { status: "processing", source: "livekit", kind: "merged", phaseId: event.phases[0].id },
  ])
  await host.command("capture.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the recording is stopped")
  await house.complete(egress)
  for (const answer of await Promise.all([house.tell(egress), house.tell(egress), house.tell(egress)]))
    expect(answer.status).toBe(200)
  const [recording] = await house.settled(event)
  expect(recording).toMatchObject({ status: "ready", contentType: "audio/wav", durationMs: 2000 })
  expect((await house.call("GET", `/v1/recordings/${recording.id}`)).body.playbackUrl).not.toBeNull()
  const sql = openStore(house.server.databaseUrl)
  const jobs = await sql`select kind from media_jobs where event_id = ${event.id} or recording_id = ${recording.id}`
  expect(jobs).toEqual([])
  await sql.end()
  await host.cut()
})

test("a recording that nobody was in the room for leaves nothing, and does not begin later", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  await record(host)
  await eventually(async () => (await house.recordingsOf(event)).length === 1, "the recording is listed")
  await host.command("capture.stop", {})
  await eventually(async () => (await house.recordingsOf(event)).length === 0, "the recording is gone")
  const sql = openStore(house.server.databaseUrl)
  await eventually(
    async () => (await sql`select 1 from media_jobs where event_id = ${event.id}`).length === 0,
    "no job is left",
  )
  await sql.end()
  house.livekit.enter(room, "host")
  expect(house.livekit.egresses.some(({ roomName }) => roomName === room)).toBe(false)
  await host.cut()
})

test("rooms of a breakout are recorded each for itself, and end with it", async () => {
  const { event, room, host } = await house.openRoom("breakout")
  house.livekit.enter(room, "host")
  await record(host)
  const main = await house.egressOf(room)
  const people = await Promise.all(
    ["Ada", "Bob", "Cleo", "Dan"].map((name) => house.personOf(event, "participant", name)),
  )
  const planned = await host.command("breakout.plan", { strategy: "balanced", size: 2 })
  const opened = await host.command("breakout.open", { planId: planned.d.plan.id })
  const rooms: ReadonlyArray<string> = opened.d.rooms.map(({ id }: Frame) =>
    mediaRoomOf({ eventId: event.id, phaseId: "", roomId: id }),
  )
  expect(rooms.length).toBeGreaterThan(0)
  for (const name of rooms) house.livekit.enter(name, "somebody")
  const own = await Promise.all(rooms.map((name) => house.egressOf(name)))
  await host.command("breakout.close", { graceMs: 0 })
  for (const egress of own) await eventually(() => egress.status === "EGRESS_ENDING", "the room's recording is stopped")
  expect(main.status).toBe("EGRESS_ACTIVE")
  await host.command("event.end", {})
  await eventually(() => main.status === "EGRESS_ENDING", "the main room's recording is stopped")
  for (const egress of [...own, main]) {
    await house.complete(egress)
    await house.tell(egress)
  }
  for (const person of people) await person.cut()
  const recordings = await house.settled(event)
  expect(recordings.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
    "merged ready",
    ...rooms.map(() => "room ready"),
  ])
  await host.cut()
})

test("a failed recording says so, and one without bytes has failed too", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  const first = await house.egressOf(room)
  first.status = "EGRESS_FAILED"
  await house.tell(first)
  expect(await house.settled(event)).toMatchObject([{ status: "failed", failure: { code: "recorder_failed" } }])
  await host.command("capture.stop", {})
  await record(host)
  const second = await house.egressOf(room, 2)
  await house.complete(second, new Uint8Array(0))
  await house.tell(second)
  const codes = (await house.settled(event)).map(({ failure }) => failure.code)
  expect(codes).toEqual(["recorder_failed", "recorder_failed"])
  await host.cut()
})

test("a recording that is started again while the one before it is still being stored is another one", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  const first = await house.egressOf(room)
  await host.command("capture.stop", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the recording is stopped")
  await record(host)
  const second = await house.egressOf(room, 2)
  await host.command("capture.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second recording is stopped")
  for (const egress of [first, second]) {
    await house.complete(egress)
    await house.tell(egress)
  }
  expect(await house.settled(event)).toMatchObject([{ status: "ready" }, { status: "ready" }])
  await host.cut()
})

test("a recording that ends by itself again and again is begun more and more slowly", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  for (const count of [1, 2, 3, 4]) {
    const egress = await house.egressOf(room, count)
    await house.complete(egress)
    await house.tell(egress)
  }
  const rows = rowsOf(house.server.databaseUrl)
  const [job] = await rows.run(
    `select extract(epoch from due_at - now())::float8 as seconds from media_jobs where kind = 'capture' and event_id = '${event.id}'`,
  )
  await rows.end()
  expect(job?.["seconds"]).toBeGreaterThan(0)
  await house.egressOf(room, 5)
  await host.cut()
})

test("a recording that the media server ended because its room was empty goes on as another with the next people", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  const first = await house.egressOf(room)
  house.livekit.rooms.delete(room)
  await house.complete(first)
  await house.tell(first)
  await eventually(async () => (await house.recordingsOf(event)).length === 2, "another recording waits")
  house.livekit.enter(room, "host")
  const second = await house.egressOf(room, 2)
  const statuses = async () => (await house.recordingsOf(event)).map(({ status }) => status).toSorted()
  await eventually(async () => (await statuses()).join() === "processing,ready", "the first recording is stored")
  await host.command("capture.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second recording is stopped")
  await house.complete(second)
  await house.tell(second)
  expect(await house.settled(event)).toMatchObject([{ status: "ready" }, { status: "ready" }])
  expect(house.livekit.egresses.filter(({ roomName }) => roomName === room)).toHaveLength(2)
  await host.cut()
})

test("a recording of a deleted event is ended, and its file is removed", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  const egress = await house.egressOf(room)
  expect((await house.call("DELETE", `/v1/events/${event.id}`)).status).toBe(204)
  await host.cut()
  // At the start of the server, and each minute.
  house.server = await house.server.restart()
  await eventually(() => egress.status === "EGRESS_ENDING", "the recording is ended")
  await house.complete(egress)
  const filename = egress.fileResults[0]?.filename ?? ""
  expect(house.s3.stored(filename)).toEqual([filename])
  await house.tell(egress)
  await eventually(() => house.s3.stored(filename).length === 0, "the file is removed")
})

test("an end whose message was lost is found when the server starts, also one that the media server has forgotten", async () => {
  const [known, forgotten] = [await house.openRoom("meeting"), await house.openRoom("meeting")]
  const egresses: Egress[] = []
  for (const { room, host } of [known, forgotten]) {
    house.livekit.enter(room, "host")
    await record(host)
    const egress = await house.egressOf(room)
    await host.command("capture.stop", {})
    await eventually(() => egress.status === "EGRESS_ENDING", "the recording is stopped")
    await house.complete(egress)
    egresses.push(egress)
    await host.cut()
  }
  house.livekit.egresses.splice(house.livekit.egresses.indexOf(egresses[1] as Egress), 1)
  house.server = await house.server.restart()
  for (const { event } of [known, forgotten]) expect(await house.settled(event)).toMatchObject([{ status: "ready" }])
})

test("an end that is told before the server knows the recording's id is not missed", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  // The message overtakes the answer to the request that began the recording.
  house.livekit.beforeAnswer = async (egress) => {
    egress.status = "EGRESS_FAILED"
    expect((await house.tell(egress)).status).toBe(200)
  }
  try {
    await record(host)
    await house.egressOf(room)
    await eventually(async () => (await house.recordingsOf(event))[0]?.status === "failed", "the failure is told")
  } finally {
    house.livekit.beforeAnswer = undefined
  }
  await host.cut()
})

test("a workspace without room has its rooms not recorded, and is told so once", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  const first = await house.egressOf(room)
  await host.command("capture.stop", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the recording is stopped")
  await house.complete(first)
  await house.tell(first)
  expect(await house.settled(event)).toMatchObject([{ status: "ready" }])
  const rows = rowsOf(house.server.databaseUrl)
  onTestFinished(rows.end)
  await rows.run("update recordings set size_bytes = $2 where event_id = $1", [event.id, 2 ** 50])
  for (let round = 0; round < 3; round++) {
    await record(host)
    await host.command("capture.stop", {})
  }
  await record(host)
  await eventually(async () => (await house.recordingsOf(event)).length === 2, "the reason")
  const reasons = (await house.recordingsOf(event)).map(({ failure }) => failure?.code)
  expect(reasons).toEqual(expect.arrayContaining(["no_room", undefined]))
  expect(house.egressesOf(room)).toHaveLength(1)
  await host.cut()
  // Other tests have room again.
  expect((await house.call("DELETE", `/v1/events/${event.id}`)).status).toBe(204)
})

test("of more than twenty rooms twenty are recorded", async () => {
  const { event, room, host } = await house.openRoom("breakout")
  house.livekit.enter(room, "host")
  const rooms = Array.from({ length: 21 }, (_, n) => `Room ${n}`)
  const planned = await host.command("breakout.plan", { rooms, strategy: "self" })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  expect(d.rooms).toHaveLength(21)
  await record(host)
  await eventually(async () => (await house.recordingsOf(event)).length === 20, "twenty recordings")
  expect((await house.recordingsOf(event)).filter(({ kind }) => kind === "merged")).toHaveLength(1)
  await host.cut()
})

test("a message is refused when it is forged, and taken when it is about something else", async () => {
  const { body, authorization } = await house.livekit.messageAbout({ ...NOBODYS })
  expect((await house.post(body, "")).status).toBe(401)
  expect((await house.post(body.replace("EG_x", "EG_y"), authorization)).status).toBe(401)
  expect((await house.post(body, `${authorization.slice(0, -4)}AAAA`)).status).toBe(401)
  expect((await house.post("not json", authorization)).status).toBe(401)
  expect((await house.post(body, authorization)).status).toBe(200)
  expect((await house.post(`"${"x".repeat(1024 ** 2)}"`, authorization)).status).toBe(413)
})

test("a signed message with values that nothing can store is taken", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  await record(host)
  const egress = await house.egressOf(room)
  // A recording that ends while it is wanted is followed by another one, which has no bytes yet.
  await host.command("capture.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the recording is stopped")
  const ids = ["EG\u0000", "", "x".repeat(500_000)]
  for (const egressId of ids) expect((await house.tell({ ...NOBODYS, egressId })).status).toBe(200)
  const largest = String(2n ** 63n - 1n)
  const told = { ...egress, status: "EGRESS_COMPLETE", startedAt: largest } as const
  const sizes = [{ filename: "\u0000", size: largest }]
  const playlists = [{ playlistName: "\u0000", size: largest }]
  expect((await house.tell({ ...told, fileResults: sizes, segmentResults: playlists })).status).toBe(200)
  expect(await house.recordingsOf(event)).toMatchObject([{ sizeBytes: 2 ** 50 }])
  await host.cut()
  // So many bytes leave no room for other recordings of the workspace.
  expect((await house.call("DELETE", `/v1/events/${event.id}`)).status).toBe(204)
})

test("a message of the end that comes before the answer to the beginning ends its recording", async () => {
  const { event, room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "host")
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  house.livekit.beforeAnswer = () => answered
  await record(host)
  const egress = await house.egressOf(room)
  await house.complete(egress)
  expect((await house.tell(egress)).status).toBe(200)
  const [recording] = await house.settled(event)
  expect(recording).toMatchObject({ status: "ready", durationMs: 2000 })
  await host.command("capture.stop", {})
  house.livekit.beforeAnswer = undefined
  answer()
  const sql = openStore(house.server.databaseUrl)
  const areJobsDone = async () => (await sql`select 1 from media_jobs where event_id = ${event.id}`).length === 0
  await eventually(areJobsDone, "the answer is taken in")
  await sql.end()
  expect(await house.recordingsOf(event)).toMatchObject([{ id: recording.id, status: "ready" }])
  await host.cut()
})

const NOBODYS: Egress = {
  egressId: "EG_x",
  roomName: "lounge",
  roomComposite: {},
  status: "EGRESS_COMPLETE",
  fileResults: [],
  segmentResults: [],
  startedAt: "0",
}

test("a media server that does not answer for one event keeps no other event's recording waiting", async () => {
  const [one, other] = [await house.openRoom("meeting"), await house.openRoom("meeting")]
  for (const { room } of [one, other]) house.livekit.enter(room, "host")
  let answer = () => {}
  house.livekit.beforeAnswer = ({ roomName }) =>
    roomName === one.room
      ? new Promise((resolve) => {
          answer = resolve
        })
      : Promise.resolve()
  await record(one.host)
  const waiting = await house.egressOf(one.room)
  await record(other.host)
  const begun = await house.egressOf(other.room)
  // Jobs of one event still wait for each other.
  await one.host.command("capture.stop", {})
  await other.host.command("capture.stop", {})
  await eventually(() => begun.status === "EGRESS_ENDING", "the other event's recording is ended")
  expect(waiting.status).toBe("EGRESS_ACTIVE")
  house.livekit.beforeAnswer = undefined
  answer()
  await eventually(() => waiting.status === "EGRESS_ENDING", "the recording that waited is ended")
  for (const { host } of [one, other]) await host.cut()
})
