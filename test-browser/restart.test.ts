/** The server dies and comes back at its address: the people of a call find each other again. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { openCaller, peersOf, startMedia, untilConnected } from "./callers.ts"
import { type Pages, startPages } from "./pages.ts"

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
})

test.each([
  ["between browsers", "0"],
  ["through the media server", "20000"],
])("after the server was killed and started again, the call %s is there again, under new ids", async (_, mediaPort) => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const environment = {
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
    MEDIA_PORT: mediaPort,
  }
  let server = await startServerProcess(environment)
  onTestFinished(() => server.end("SIGKILL").then(() => undefined))
  const { url } = server
  const { key } = await createWorkspace(url)
  const { id: eventId } = await createLiveEvent(url, key, { phases: [{ modality: "meeting" }] })
  const callers = await Promise.all(
    ["Ann", "Ben"].map(async (name) => {
      const { session } = await createPerson(url, key, eventId, "participant", name)
      return openCaller(pages, { url, eventId, session, name })
    }),
  )
  await Promise.all(callers.map((caller) => startMedia(caller)))
  await untilConnected(callers)
  const before = await Promise.all(callers.map(peersOf))
  await server.end("SIGKILL")
  // Sound and picture between browsers do not go through the server.
  if (mediaPort === "0") await untilConnected(callers)
  server = await startServerProcess(environment)
  for (const [n, caller] of callers.entries()) {
    await caller.page.waitForFunction(
      (id) => {
        const [peer] = window.call.peers
        return peer !== undefined && peer.connectionId !== id && peer.state === "connected"
      },
      before[n]?.[0]?.connectionId,
      { timeout: 300_000 },
    )
  }
  await untilConnected(callers)
  expect(await callers[0]?.page.evaluate(() => window.call.state)).toBe("joined")
})
