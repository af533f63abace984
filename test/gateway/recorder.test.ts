/** A recording can be announced where the server's settings say that something records. */
import { expect, onTestFinished, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { startTestServer } from "../support/server.ts"
import { Client } from "./client.ts"

const MEDIA = {
  MEDIA_URL: "wss://media.example",
  MEDIA_API_KEY: "key",
  MEDIA_API_SECRET: "a secret of the media server, long enough",
}
const BUCKET = { S3_URL: "https://media.example/bucket", S3_ACCESS_KEY_ID: "key", S3_SECRET_ACCESS_KEY: "secret" }
const REFUSED = { ok: false, e: { code: "conflict" } }

const open = async (environment: Parameters<typeof startTestServer>[0] = {}) => {
  const server = await startTestServer(environment)
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  /** A host of a live event with such a phase. */
  return async (phase: object): Promise<Client> => {
    const event = await createLiveEvent(server.url, key, { phases: [phase] })
    const { session } = await createPerson(server.url, key, event.id, "host")
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const host = new Client(url)
    onTestFinished(() => host.socket.terminate())
    await host.identify(token)
    return host
  }
}
const record = (host: Client, kinds: ReadonlyArray<string> = ["recording"]) => host.command("capture.start", { kinds })

test.each([
  ["a media server that has no bucket for its files", MEDIA, false],
  ["a media server and a bucket", { ...MEDIA, ...BUCKET }, true],
  ["MEDIA_RECORDER=external", { MEDIA_RECORDER: "external" }, true],
])("with %s", async (_name, environment, isTaken) => {
  const host = await (await open(environment))({ modality: "meeting", featureSet: ["capture"] })
  expect(await record(host)).toMatchObject(isTaken ? { ok: true, d: { on: true } } : REFUSED)
})

test("with no setting a recording is announced while a broadcast is live that is pushed to this server, and no longer", async () => {
  const hostOf = await open()
  expect(await record(await hostOf({ modality: "meeting", featureSet: ["capture"] }))).toMatchObject(REFUSED)
  const host = await hostOf({ modality: "broadcast", featureSet: ["capture", "transcript"] })
  expect(await record(host)).toMatchObject(REFUSED)
  expect(await host.command("broadcast.start", {})).toMatchObject({ ok: true })
  expect(await record(host, ["recording", "transcript"])).toMatchObject({ ok: true, d: { on: true } })
  expect(await host.command("broadcast.stop", {})).toMatchObject({ ok: true })
  const alone = await host.next(({ t, d }) => t === "capture.state" && d.kinds.length === 1, "the transcript alone")
  expect(alone.d).toMatchObject({ on: true, kinds: ["transcript"] })
  expect(await record(host)).toMatchObject(REFUSED)
  // Nothing comes here of a broadcast that is watched elsewhere.
  const other = await hostOf({ modality: "broadcast", featureSet: ["capture"] })
  const elsewhere = { playbackUrl: "https://cdn.example/live.m3u8" }
  expect(await other.command("broadcast.start", elsewhere)).toMatchObject({ ok: true })
  expect(await record(other)).toMatchObject(REFUSED)
})
