/** A server that logs everything writes no word of a signal, and no secret of the TURN server. */
import { expect, test } from "vitest"
import { Client } from "../test/gateway/client.ts"
import { joinCall } from "../test/gateway/rtc/call.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

const TURN_SECRET = "the shared word of the relay"
const ADDRESS = "203.0.113.77"

test("signals, addresses and credentials are in no line of the log", async () => {
  const database = await createTestDatabase()
  const server = await startServerProcess({
    PORT: "0",
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: "trace",
    ICE_SERVERS: "turn:turn.example:3478?transport=udp",
    TURN_SECRET,
  })
  try {
    const { key } = await createWorkspace(server.url)
    const event = await createLiveEvent(server.url, key, { phases: [{ modality: "meeting" }] })
    const join = async (name: string): Promise<Client> => {
      const { session } = await createPerson(server.url, key, event.id, "participant", name)
      const { token, url } = await gatewayToken(server.url, event.id, session)
      const client = new Client(url)
      await client.identify(token)
      return client
    }
    const [ann, ben] = [await join("Ann"), await join("Ben")]
    await joinCall(ann, event.phases[0].id)
    const { d } = await joinCall(ben, event.phases[0].id)
    const { credential } = (await ann.dispatch("rtc.peers")).d.iceServers[0]
    const signal = { to: d.connectionId, kind: "offer", data: `v=0 ${ADDRESS}`, gen: 0 }
    expect(await ann.command("rtc.signal", signal)).toMatchObject({ ok: true })
    await ben.dispatch("rtc.signal")
    expect(await ann.command("rtc.signal", { ...signal, to: ADDRESS })).toMatchObject({ ok: false })
    await Promise.all([ann.cut(), ben.cut()])
    await server.end("SIGTERM")
    for (const secret of [ADDRESS, TURN_SECRET, credential]) expect(server.written()).not.toContain(secret)
    expect(server.written()).toContain("listens on")
  } finally {
    await server.end("SIGKILL")
    await database.drop()
  }
})
