/** The media server inside, as it is without a setting: somebody who runs the server for the first time has rooms of 25. */
import { expect, onTestFinished, test } from "vitest"
import { Client } from "../test/gateway/client.ts"
import { joinCall } from "../test/gateway/rtc/call.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { startServerProcess } from "../test/support/server-process.ts"
import { SfuClient } from "../test/support/sfu-client.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

test("a server without settings answers the offer of a browser, and connects to it", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const server = await startServerProcess({
    PORT: "0",
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    MEDIA_ADDRESSES: "127.0.0.1",
  })
  onTestFinished(async () => void (await server.end("SIGKILL")))
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key, { phases: [{ modality: "meeting" }] })
  const roomId = event.phases[0].id
  const { session } = await createPerson(server.url, key, event.id, "participant", "Ann")
  const { token, url } = await gatewayToken(server.url, event.id, session)
  const ann = new Client(url)
  onTestFinished(() => ann.cut())
  await ann.identify(token)
  await joinCall(ann, roomId)
  const { d: call } = await ann.dispatch("rtc.peers")
  expect([call.limits.maxPeers, typeof call.server.session]).toEqual([25, "string"])
  const browser = new SfuClient({ sent: [{ kind: "audio", ssrc: 1 }] })
  onTestFinished(() => browser.close())
  expect(await ann.command("rtc.signal", { to: roomId, kind: "offer", gen: 0, data: browser.offer })).toMatchObject({
    ok: true,
  })
  const { d: answer } = await ann.dispatch("rtc.signal")
  const port = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(answer.data)?.[1])
  expect(port).toBeGreaterThanOrEqual(8081)
  await browser.connect(answer.data, port)
  expect(browser.isConnected).toBe(true)
})
