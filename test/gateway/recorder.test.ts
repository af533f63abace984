/** A recording can be announced where the server's settings say that something records. */
import { expect, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { startTestServer } from "../support/server.ts"
import { Client } from "./client.ts"

const MEDIA = {
  MEDIA_URL: "wss://media.example",
  MEDIA_API_KEY: "key",
  MEDIA_API_SECRET: "a secret of the media server, long enough",
}
const BUCKET = { S3_URL: "https://media.example/bucket", S3_ACCESS_KEY_ID: "key", S3_SECRET_ACCESS_KEY: "secret" }

test.each([
  ["no setting, before a broadcast", {}, false],
  ["a media server that has no bucket for its files", MEDIA, false],
  ["a media server and a bucket", { ...MEDIA, ...BUCKET }, true],
  ["MEDIA_RECORDER=external", { MEDIA_RECORDER: "external" }, true],
])("with %s", async (_name, environment, isTaken) => {
  const server = await startTestServer(environment)
  try {
    const { key } = await createWorkspace(server.url)
    const event = await createLiveEvent(server.url, key, {
      phases: [{ modality: "meeting", featureSet: ["capture"] }],
    })
    const { session } = await createPerson(server.url, key, event.id, "host")
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const host = new Client(url)
    await host.identify(token)
    expect(await host.command("capture.start", { kinds: ["recording"] })).toMatchObject(
      isTaken ? { ok: true, d: { on: true } } : { ok: false, e: { code: "conflict" } },
    )
    await host.cut()
  } finally {
    await server.stop()
  }
})

test("a recording is announced while a broadcast is live that is pushed to this server, and no longer", async () => {
  const server = await startTestServer()
  try {
    const { key } = await createWorkspace(server.url)
    const event = await createLiveEvent(server.url, key, {
      phases: [{ modality: "broadcast", featureSet: ["capture", "transcript"] }],
    })
    const { session } = await createPerson(server.url, key, event.id, "host")
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const host = new Client(url)
    await host.identify(token)
    const record = (kinds: ReadonlyArray<string>) => host.command("capture.start", { kinds })
    expect(await record(["recording"])).toMatchObject({ ok: false, e: { code: "conflict" } })
    expect(await host.command("broadcast.start", {})).toMatchObject({ ok: true })
    expect(await record(["recording", "transcript"])).toMatchObject({ ok: true, d: { on: true } })
    expect(await host.command("broadcast.stop", {})).toMatchObject({ ok: true })
    const alone = await host.next(({ t, d }) => t === "capture.state" && d.kinds.length === 1, "the transcript alone")
    expect(alone.d).toMatchObject({ on: true, kinds: ["transcript"] })
    expect(await record(["recording"])).toMatchObject({ ok: false, e: { code: "conflict" } })
    await host.cut()
  } finally {
    await server.stop()
  }
})

test("no recording is announced while a broadcast is watched elsewhere, from where nothing comes here", async () => {
  const server = await startTestServer()
  try {
    const { key } = await createWorkspace(server.url)
    const event = await createLiveEvent(server.url, key, {
      phases: [{ modality: "broadcast", featureSet: ["capture"] }],
    })
    const { session } = await createPerson(server.url, key, event.id, "host")
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const host = new Client(url)
    await host.identify(token)
    const elsewhere = { playbackUrl: "https://cdn.example/live.m3u8" }
    expect(await host.command("broadcast.start", elsewhere)).toMatchObject({ ok: true })
    expect(await host.command("capture.start", { kinds: ["recording"] })).toMatchObject({
      ok: false,
      e: { code: "conflict" },
    })
    await host.cut()
  } finally {
    await server.stop()
  }
})
