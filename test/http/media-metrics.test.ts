/** The metrics of media follow what the server does. */
import { request } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { call, createEvent } from "../support/api.ts"
import { startBroadcast } from "../support/broadcasts.ts"
import { pushStream } from "../support/encoder.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { noiseOf } from "../support/wav.ts"

const server = sharedServer(startMediaServer)
const acme = sharedWorkspace(server)

/** The value of a metric, with its labels as they are written. */
const metric = async (name: string): Promise<number> => {
  const { body } = await call(server.url, "GET", "/metrics")
  const line = String(body)
    .split("\n")
    .find((one) => one.startsWith(`${name} `))
  return Number(line?.split(" ")[1])
}

const begin = async (): Promise<{ readonly id: string; readonly uploadUrl: string }> => {
  const event = await createEvent(server.url, acme.key)
  await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
  return (await call(server.url, "POST", `/v1/events/${event.id}/recordings`, { key: acme.key, body: {} })).body
}

test("an upload is counted for as long as its request goes on", async () => {
  expect(await metric("gathercue_media_uploads")).toBe(0)
  const { uploadUrl } = await begin()
  const upload = request(uploadUrl, { method: "PUT", headers: { "content-length": 1000 } })
  upload.on("error", () => {})
  onTestFinished(() => void upload.destroy())
  upload.write(Buffer.alloc(10))
  await eventually(async () => (await metric("gathercue_media_uploads")) === 1, "the upload in the metrics")
  upload.destroy()
  await eventually(async () => (await metric("gathercue_media_uploads")) === 0, "the end of the upload")
})

test("a job that is done is counted", async () => {
  const done = 'gathercue_media_jobs_total{outcome="done"}'
  const before = await metric(done)
  const { id, uploadUrl } = await begin()
  await fetch(uploadUrl, { method: "PUT", body: noiseOf(50_000) })
  await call(server.url, "POST", `/v1/recordings/${id}/complete`, { key: acme.key, body: {} })
  await eventually(async () => (await metric(done)) > before, "the inspection in the metrics")
})

test("an encoder is counted while its stream is open", async () => {
  const { streamUrl } = await startBroadcast(server.url, acme.key, {})
  const stream = pushStream(streamUrl)
  onTestFinished(() => stream.kill())
  await stream.write(fixture("ffmpeg-stream.mp4").subarray(0, 3000))
  await eventually(async () => (await metric("gathercue_broadcast_encoders")) === 1, "the encoder in the metrics")
  stream.kill()
  await eventually(async () => (await metric("gathercue_broadcast_encoders")) === 0, "the end of the stream")
})
