/** What hosts see of a broadcast that goes on live without room for its recording, and of one that has ended. */
import { expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { fixture } from "../media/broadcast/support.ts"
import { createPerson, gatewayToken } from "../support/api.ts"
import { startBroadcast } from "../support/broadcasts.ts"
import { push } from "../support/encoder.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

/** 4.02 seconds of picture and sound. */
const STREAM = fixture("ffmpeg-stream.mp4")

const server = sharedServer(() => startMediaServer({ MEDIA_QUOTA_BYTES: "1000" }))
const acme = sharedWorkspace(server)

const hostOf = async (eventId: string): Promise<Client> => {
  const { session } = await createPerson(server.url, acme.key, eventId, "host")
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const host = new Client(url)
  await host.identify(token)
  return host
}

test("hosts are told at once of a broadcast that there is no room to record, and after its end of no encoder", async () => {
  const onAir = await startBroadcast(server.url, acme.key)
  const host = await hostOf(onAir.eventId)
  expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
  // On a slow machine a report without the failure may come before.
  const isTold = () =>
    host.received.some(
      ({ t, d }) => t === "broadcast.stream" && d.state === "receiving" && d.failure?.code === "no_room",
    )
  await eventually(isTold, "the host to be told")
  const failure = { code: "no_room", detail: expect.stringContaining("no room for more") }
  expect((await onAir.state()).ingest).toMatchObject({ failure })
  // Another encoder's bytes are not recorded either.
  expect((await push(onAir.streamUrl, STREAM)).status).toBe(204)
  expect((await onAir.state()).ingest).toMatchObject({ failure })
  const stopped = await onAir.control("stop")
  expect(stopped.body).toMatchObject({ status: "ended", ingest: { state: "ended", takes: 1, failure: null } })
  expect((await onAir.state()).ingest).toMatchObject({ state: "ended", failure: null })
  const later = await hostOf(onAir.eventId)
  expect(later.received.find(({ t }) => t === "ready")?.d.encoder).toBeNull()
  for (const one of [host, later]) await one.cut()
})
