/** Broadcast control over REST: by managers of the workspace, through the same code as a host's commands. */
import { expect, test } from "vitest"
import { call, createEvent, type Json } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { startTestServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer(() =>
  startTestServer({ PLAYBACK_URL_TEMPLATE: "https://video.example.com/{eventId}/{broadcastId}.m3u8" }),
)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, body?: object, key = acme.key) =>
  call(server.url, method, path, { key, ...(body === undefined ? {} : { body }) })

const open = async (phases: ReadonlyArray<object> = [{ modality: "broadcast" }, { modality: "meeting" }]) => {
  const event = await createEvent(server.url, acme.key, { visibility: "public", phases })
  await api("POST", `/v1/events/${event.id}/publish`)
  const started = (await api("POST", `/v1/events/${event.id}/start`)).body
  const phaseIds: ReadonlyArray<string> = started.phases.map(({ id }: Json) => id)
  const control = (verb: string, body?: object, phase = phaseIds[0], key = acme.key) =>
    api("POST", `/v1/phases/${phase}/broadcast/${verb}`, body ?? (verb === "start" ? {} : undefined), key)
  return { event, phaseIds, control }
}

test("starts, pauses, resumes and stops; the public page and the receivers follow", async () => {
  const receiver = await startReceiver()
  await api("POST", "/v1/webhooks", { url: receiver.url, eventTypes: ["broadcast.live", "broadcast.paused"] })
  const { event, phaseIds, control } = await open()
  const started = await control("start")
  expect(started).toMatchObject({ status: 200, body: { phaseId: phaseIds[0], status: "live" } })
  const { broadcastId } = started.body
  expect(broadcastId.charAt(14)).toBe("7")
  const playbackUrl = `https://video.example.com/${event.id}/${broadcastId}.m3u8`
  expect(started.body.playbackUrl).toBe(playbackUrl)
  const page = async () => (await call(server.url, "GET", `/v1/public/events/${event.id}`)).body.activeBroadcast
  const { ingest, ...shown } = started.body
  expect(ingest).toMatchObject({ state: "waiting", failure: null })
  expect(await page()).toEqual(shown)
  expect((await control("pause")).body).toEqual({ ...started.body, status: "paused" })
  expect(await page()).toMatchObject({ status: "paused" })
  expect((await control("resume")).body.status).toBe("live")
  expect((await control("stop")).body).toEqual({
    ...started.body,
    status: "ended",
    ingest: { ...started.body.ingest, state: "ended" },
  })
  await receiver.count(3)
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(bodies.map(({ type }) => type)).toEqual(["broadcast.live", "broadcast.paused", "broadcast.live"])
  expect(bodies[0]).toMatchObject({
    eventId: event.id,
    workspaceId: acme.id,
    broadcastId,
    phaseId: phaseIds[0],
    playbackUrl,
  })
})

test("takes an address of its own, and none that is no address", async () => {
  const { control } = await open()
  expect((await control("start", { playbackUrl: "javascript:alert(1)" })).status).toBe(400)
  expect((await control("start", { playbackUrl: "https://live.example.com/1" })).body.playbackUrl).toBe(
    "https://live.example.com/1",
  )
})

test("only the active broadcast phase: everything else is a conflict", async () => {
  const { event, phaseIds, control } = await open()
  for (const verb of ["pause", "resume", "stop"]) expect((await control(verb)).status).toBe(409)
  expect((await control("start", {}, phaseIds[1])).status).toBe(409)
  await api("POST", `/v1/events/${event.id}/advance`, {})
  expect((await control("start")).status).toBe(409)
  expect((await control("start", {}, phaseIds[1])).status).toBe(409)
  const draft = await createEvent(server.url, acme.key, { phases: [{ modality: "broadcast" }] })
  const [phase] = (await api("GET", `/v1/events/${draft.id}`)).body.phases
  expect((await control("start", {}, phase.id)).status).toBe(409)
})

test("starting at once from many sides is one broadcast", async () => {
  const { control } = await open()
  const answers = await Promise.all(Array.from({ length: 12 }, () => control("start")))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(new Set(answers.map(({ body }) => body.broadcastId)).size).toBe(1)
})
