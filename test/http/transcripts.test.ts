/** A recogniser with an API key: its segments reach people at the event as if a host had sent them. */
import { expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { call, createLiveEvent, createPerson, gatewayToken, type Json } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const foreign = sharedWorkspace(server)

const segment = (text: string, final = true) => ({
  segment: "1",
  final,
  speaker: "Hedy",
  lang: "en",
  t0: 0,
  t1: 1,
  text,
})

const push = (eventId: string, segments: ReadonlyArray<unknown>, key = acme.key) =>
  call(server.url, "POST", `/v1/events/${eventId}/transcript-segments`, { key, body: { segments } })

const phases = [{ modality: "broadcast", featureSet: ["transcript"] }, { modality: "broadcast" }]

test("shows the final words and the interim ones, in their order", async () => {
  const event = await createLiveEvent(server.url, acme.key, { type: "webinar", phases })
  const { session } = await createPerson(server.url, acme.key, event.id, "viewer")
  const viewer = new GatewayClient({ token: () => gatewayToken(server.url, event.id, session) })
  onTestFinished(() => viewer.close())
  const received: string[] = []
  viewer.on("transcript.segment", ({ text }) => received.push(`final ${text}`))
  viewer.on("transcript.interim", ({ text }) => received.push(`interim ${text}`))
  await viewer.connect()
  expect(await push(event.id, [segment("Let us", false)])).toMatchObject({ status: 200, body: { accepted: 1 } })
  await eventually(() => received.includes("interim Let us"))
  expect((await push(event.id, [segment("Let us begin."), segment("Now.")])).body).toEqual({ accepted: 2 })
  await eventually(() => received.length === 3)
  expect(received).toEqual(["interim Let us", "final Let us begin.", "final Now."])
})

test("is refused where there is no transcript, to others, and for invalid segments", async () => {
  const event: Json = await createLiveEvent(server.url, acme.key, { type: "webinar", phases })
  for (const bad of [
    [],
    [{}],
    [segment("")],
    [segment(" \n\u200b")],
    [{ ...segment("x"), t0: 2 }],
    [{ ...segment("x"), t0: -1 }],
    Array(21).fill(segment("x")),
  ]) {
    expect((await push(event.id, bad)).status).toBe(400)
  }
  expect((await push(event.id, [segment("x")], foreign.key)).status).toBe(404)
  expect((await push(event.id, [segment("x")], "gck_wrong")).status).toBe(401)
  await call(server.url, "POST", `/v1/events/${event.id}/advance`, { key: acme.key, body: {} })
  expect(await push(event.id, [segment("x")])).toMatchObject({ status: 409, body: { code: "conflict" } })
})
