/** People whose new role has no seat leave the rooms of the media server. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken, type Workspace } from "../support/api.ts"
import { type LiveKitServer, startLiveKit } from "../support/livekit-server.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"

let livekit: LiveKitServer
let server: TestServer
let acme: Workspace

beforeAll(async () => {
  livekit = await startLiveKit()
  server = await startTestServer({
    MEDIA_URL: livekit.server.url,
    MEDIA_API_KEY: "key",
    MEDIA_API_SECRET: "a secret of the media server's, long enough",
  })
  livekit.webhookUrl = `${server.url}/v1/media/livekit/webhook`
  acme = await createWorkspace(server.url)
})
afterAll(async () => {
  await server?.stop()
  await livekit?.stop()
})

const open = async (modality: string) => {
  const event = await createLiveEvent(server.url, acme.key, { visibility: "public", phases: [{ modality }] })
  const room = mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId: null })
  const join = async (role: string, name: string) => {
    const { session, userId } = await createPerson(server.url, acme.key, event.id, role, name)
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const client = new Client(url)
    const { media } = (await client.identify(token)).d
    await livekit.join(media.token)
    return { client, userId, seat: media.token as string }
  }
  return { room, join, memberships: `/v1/events/${event.id}/memberships` }
}

test("a speaker who becomes audience, or whose membership is deleted, leaves the stage", async () => {
  const { room, join, memberships } = await open("broadcast")
  const [lowered, deleted, kept] = [
    await join("speaker", "Low"),
    await join("speaker", "Del"),
    await join("host", "Kay"),
  ]
  const role = { userId: lowered.userId, role: "viewer" }
  expect((await call(server.url, "POST", memberships, { key: acme.key, body: role })).status).toBe(200)
  const { body } = await call(server.url, "GET", memberships, { key: acme.key })
  const { id } = body.memberships.find(({ userId }: { userId: string }) => userId === deleted.userId)
  expect((await call(server.url, "DELETE", `${memberships}/${id}`, { key: acme.key })).status).toBe(204)
  for (const { client, userId } of [lowered, deleted]) {
    expect((await client.dispatch("me.updated")).d).toMatchObject({ role: "viewer", media: null })
    await eventually(() => !livekit.isIn(room, userId), "off the stage")
  }
  expect(livekit.isIn(room, kept.userId)).toBe(true)
  for (const { client } of [lowered, deleted, kept]) await client.cut()
})

test("a host who takes part like others stays in the call, because all seats have the same rights", async () => {
  const { room, join } = await open("meeting")
  const [host, other] = [await join("host", "Ann"), await join("host", "Ben")]
  expect(await host.client.command("role.set", { id: other.userId, role: "participant" })).toMatchObject({ ok: true })
  await other.client.next(({ t, d }) => t === "ready" && d.me.role === "participant", "another ready")
  await livekit.join(other.seat)
  await livekit.judged(room)
  expect([host, other].map(({ userId }) => livekit.isIn(room, userId))).toEqual([true, true])
  for (const { client } of [host, other]) await client.cut()
})
