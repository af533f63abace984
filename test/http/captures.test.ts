/** Recordings that a media server makes: asked for by a host, put into the bucket, and told about by signed messages. */
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { presigned } from "../../src/media/storage/s3/presign.ts"
import { Client, type Frame } from "../gateway/client.ts"
import {
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Json,
  type Workspace,
} from "../support/api.ts"
import { type Egress, type LiveKitServer, startLiveKit } from "../support/livekit-server.ts"
import { type S3TestServer, startS3Server } from "../support/s3/s3-server.ts"
import { startMediaServer, type TestServer } from "../support/server.ts"
import { openStore } from "../support/store.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

let livekit: LiveKitServer
let s3: S3TestServer
let server: TestServer
let workspace: Workspace

beforeAll(async () => {
  livekit = await startLiveKit()
  s3 = await startS3Server()
  server = await startMediaServer({
    MEDIA_URL: livekit.server.url,
    MEDIA_API_KEY: "key",
    MEDIA_API_SECRET: "a secret of the media server's, long enough",
    ...s3.environment,
  })
  workspace = await createWorkspace(server.url)
})
afterAll(async () => {
  await server?.stop()
  await s3?.close()
  await livekit?.stop()
})

const personOf = async (event: Json, role: string, name = role): Promise<Client> => {
  const { session } = await createPerson(server.url, workspace.key, event.id, role, name)
  const { token, url } = await gatewayToken(server.url, event.id, session)
  const person = new Client(url)
  await person.identify(token)
  return person
}

const openMeeting = async (modality = "meeting") => {
  const event = await createLiveEvent(server.url, workspace.key, { phases: [{ modality, featureSet: ["capture"] }] })
  const room = mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId: null })
  return { event, room, host: await personOf(event, "host") }
}

const record = (host: Client) => host.command("capture.start", { kinds: ["recording"] })
const recordingsOf = async (event: Json): Promise<ReadonlyArray<Json>> =>
  (await call(server.url, "GET", `/v1/events/${event.id}/recordings`, { key: workspace.key })).body.recordings
const egressOf = async (room: string, count = 1): Promise<Egress> => {
  const found = () => livekit.egresses.filter(({ roomName }) => roomName === room)
  await eventually(() => found().length === count, `${count} recordings of the room`)
  return found()[count - 1] as Egress
}

/** The recorder puts its file where it was told to, with the key that it was given. */
const complete = async (egress: Egress, bytes: Uint8Array = wavOf(2)): Promise<void> => {
  const [output] = egress.roomComposite.fileOutputs
  const { accessKey, secret, endpoint, bucket, region, forcePathStyle } = output.s3
  expect(forcePathStyle).toBe(true)
  const bucketOf = {
    url: `${endpoint}/${bucket}`,
    region,
    accessKeyId: accessKey,
    secretAccessKey: Redacted.make(secret),
  }
  // As the recorder does with a name that lacks the ending.
  const key = output.filepath.endsWith(".mp4") ? output.filepath : `${output.filepath}.mp4`
  const address = presigned(bucketOf, { method: "PUT", key, expiresInSeconds: 60 }, Date.now())
  if (bytes.byteLength > 0) expect((await fetch(address, { method: "PUT", body: bytes })).status).toBe(200)
  egress.fileResults = [{ filename: key, size: String(bytes.byteLength) }]
  egress.status = "EGRESS_COMPLETE"
}

const post = (body: string, authorization: string, to = server.url) =>
  call(to, "POST", "/v1/media/livekit/webhook", {
    raw: body,
    headers: { "content-type": "application/webhook+json", authorization },
  })
const tell = async (egress: Egress) => {
  const { body, authorization } = await livekit.messageAbout(egress)
  return post(body, authorization)
}
const settled = async (event: Json): Promise<ReadonlyArray<Json>> => {
  await eventually(async () => (await recordingsOf(event)).every(({ status }) => status !== "processing"), "settled")
  return recordingsOf(event)
}

test("a recording begins with the first people, ends when a host says so, and is announced once", async () => {
  const { event, room, host } = await openMeeting()
  expect(await record(host)).toMatchObject({ ok: true, d: { on: true, kinds: ["recording"] } })
  await eventually(async () => (await recordingsOf(event)).length === 1, "the recording is listed")
  expect(livekit.egresses.filter(({ roomName }) => roomName === room)).toEqual([])
  livekit.enter(room, "host")
  const egress = await egressOf(room)
  expect(await recordingsOf(event)).toMatchObject([
    { status: "processing", source: "livekit", kind: "merged", phaseId: event.phases[0].id },
  ])
  await host.command("capture.stop", {})
  await eventually(() => egress.status === "EGRESS_ENDING", "the recording is stopped")
  await complete(egress)
  for (const answer of await Promise.all([tell(egress), tell(egress), tell(egress)])) expect(answer.status).toBe(200)
  const [recording] = await settled(event)
  expect(recording).toMatchObject({ status: "ready", contentType: "audio/wav", durationMs: 2000 })
  expect(
    (await call(server.url, "GET", `/v1/recordings/${recording.id}`, { key: workspace.key })).body.playbackUrl,
  ).not.toBeNull()
  const sql = openStore(server.databaseUrl)
  const jobs = await sql`select kind from media_jobs where event_id = ${event.id} or recording_id = ${recording.id}`
  expect(jobs).toEqual([])
  await sql.end()
  await host.cut()
})

test("a recording that nobody was in the room for leaves nothing, and does not begin later", async () => {
  const { event, room, host } = await openMeeting()
  await record(host)
  await eventually(async () => (await recordingsOf(event)).length === 1, "the recording is listed")
  await host.command("capture.stop", {})
  await eventually(async () => (await recordingsOf(event)).length === 0, "the recording is gone")
  const sql = openStore(server.databaseUrl)
  await eventually(
    async () => (await sql`select 1 from media_jobs where event_id = ${event.id}`).length === 0,
    "no job is left",
  )
  await sql.end()
  livekit.enter(room, "host")
  expect(livekit.egresses.some(({ roomName }) => roomName === room)).toBe(false)
  await host.cut()
})

test("rooms of a breakout are recorded each for itself, and end with it", async () => {
  const { event, room, host } = await openMeeting("breakout")
  livekit.enter(room, "host")
  await record(host)
  const main = await egressOf(room)
  const people = await Promise.all(["Ada", "Bob", "Cleo", "Dan"].map((name) => personOf(event, "participant", name)))
  const planned = await host.command("breakout.plan", { strategy: "balanced", size: 2 })
  const opened = await host.command("breakout.open", { planId: planned.d.plan.id })
  const rooms: ReadonlyArray<string> = opened.d.rooms.map(({ id }: Frame) =>
    mediaRoomOf({ eventId: event.id, phaseId: "", roomId: id }),
  )
  expect(rooms.length).toBeGreaterThan(0)
  for (const name of rooms) livekit.enter(name, "somebody")
  const own = await Promise.all(rooms.map((name) => egressOf(name)))
  await host.command("breakout.close", { graceMs: 0 })
  for (const egress of own) await eventually(() => egress.status === "EGRESS_ENDING", "the room's recording is stopped")
  expect(main.status).toBe("EGRESS_ACTIVE")
  await host.command("event.end", {})
  await eventually(() => main.status === "EGRESS_ENDING", "the main room's recording is stopped")
  for (const egress of [...own, main]) {
    await complete(egress)
    await tell(egress)
  }
  for (const person of people) await person.cut()
  const recordings = await settled(event)
  expect(recordings.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
    "merged ready",
    ...rooms.map(() => "room ready"),
  ])
  await host.cut()
})

test("a failed recording says so, and one without bytes has failed too", async () => {
  const { event, room, host } = await openMeeting()
  livekit.enter(room, "host")
  await record(host)
  const first = await egressOf(room)
  first.status = "EGRESS_FAILED"
  await tell(first)
  expect(await settled(event)).toMatchObject([{ status: "failed", failure: { code: "recorder_failed" } }])
  await host.command("capture.stop", {})
  await record(host)
  const second = await egressOf(room, 2)
  await complete(second, new Uint8Array(0))
  await tell(second)
  const codes = (await settled(event)).map(({ failure }) => failure.code)
  expect(codes).toEqual(["recorder_failed", "recorder_failed"])
  await host.cut()
})

test("a recording that is started again while the one before it is still being stored is another one", async () => {
  const { event, room, host } = await openMeeting()
  livekit.enter(room, "host")
  await record(host)
  const first = await egressOf(room)
  await host.command("capture.stop", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the recording is stopped")
  await record(host)
  const second = await egressOf(room, 2)
  await host.command("capture.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second recording is stopped")
  for (const egress of [first, second]) {
    await complete(egress)
    await tell(egress)
  }
  expect(await settled(event)).toMatchObject([{ status: "ready" }, { status: "ready" }])
  await host.cut()
})

test("a recording that the media server ended because its room was empty goes on as another with the next people", async () => {
  const { event, room, host } = await openMeeting()
  livekit.enter(room, "host")
  await record(host)
  const first = await egressOf(room)
  livekit.rooms.delete(room)
  await complete(first)
  await tell(first)
  await eventually(async () => (await recordingsOf(event)).length === 2, "another recording waits")
  livekit.enter(room, "host")
  const second = await egressOf(room, 2)
  expect((await recordingsOf(event)).map(({ status }) => status).toSorted()).toEqual(["processing", "ready"])
  await host.command("capture.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the second recording is stopped")
  await complete(second)
  await tell(second)
  expect(await settled(event)).toMatchObject([{ status: "ready" }, { status: "ready" }])
  expect(livekit.egresses.filter(({ roomName }) => roomName === room)).toHaveLength(2)
  await host.cut()
})

test("a recording of a deleted event is ended, and its file is removed", async () => {
  const { event, room, host } = await openMeeting()
  livekit.enter(room, "host")
  await record(host)
  const egress = await egressOf(room)
  expect((await call(server.url, "DELETE", `/v1/events/${event.id}`, { key: workspace.key })).status).toBe(204)
  await host.cut()
  // At the start of the server, and each minute.
  server = await server.restart()
  await eventually(() => egress.status === "EGRESS_ENDING", "the recording is ended")
  await complete(egress)
  const filename = egress.fileResults[0]?.filename ?? ""
  expect(s3.stored(filename)).toEqual([filename])
  await tell(egress)
  await eventually(() => s3.stored(filename).length === 0, "the file is removed")
})

test("an end whose message was lost is found when the server starts, also one that the media server has forgotten", async () => {
  const [known, forgotten] = [await openMeeting(), await openMeeting()]
  const egresses: Egress[] = []
  for (const { room, host } of [known, forgotten]) {
    livekit.enter(room, "host")
    await record(host)
    const egress = await egressOf(room)
    await host.command("capture.stop", {})
    await eventually(() => egress.status === "EGRESS_ENDING", "the recording is stopped")
    await complete(egress)
    egresses.push(egress)
    await host.cut()
  }
  livekit.egresses.splice(livekit.egresses.indexOf(egresses[1] as Egress), 1)
  server = await server.restart()
  for (const { event } of [known, forgotten]) expect(await settled(event)).toMatchObject([{ status: "ready" }])
})

test("a message is refused when it is forged, and taken when it is about something else", async () => {
  const { body, authorization } = await livekit.messageAbout({ ...NOBODYS })
  expect((await post(body, "")).status).toBe(401)
  expect((await post(body.replace("EG_x", "EG_y"), authorization)).status).toBe(401)
  expect((await post(body, `${authorization.slice(0, -4)}AAAA`)).status).toBe(401)
  expect((await post("not json", authorization)).status).toBe(401)
  expect((await post(body, authorization)).status).toBe(200)
  expect((await post(`"${"x".repeat(1024 ** 2)}"`, authorization)).status).toBe(413)
})

const NOBODYS: Egress = {
  egressId: "EG_x",
  roomName: "lounge",
  roomComposite: {},
  status: "EGRESS_COMPLETE",
  fileResults: [],
}
