/** A server that is asked to stop while a load balancer still sends to it. */
import { expect, test } from "vitest"
import { startTestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

const DELAY_MS = 1500

test("for the time of DRAIN_DELAY_MS the server says that it is not ready and takes connections all the same", async () => {
  const server = await startTestServer({ DRAIN_DELAY_MS: String(DELAY_MS) })
  const get = (path: string) => fetch(`${server.url}${path}`, { headers: { connection: "close" } })
  await eventually(async () => (await get("/readyz")).status === 200, "readiness")
  const before = await fetch(`${server.url}/v1/openapi.json`)
  expect(before.headers.get("connection")).not.toBe("close")
  await before.arrayBuffer()
  const since = performance.now()
  const stopped = server.stop()
  const notReady = await get("/readyz")
  expect([notReady.status, await notReady.text()]).toEqual([503, expect.stringContaining("The server is stopping.")])
  // A load balancer keeps connections, and would send a request over one that is about to end.
  const kept = await fetch(`${server.url}/v1/openapi.json`)
  expect([kept.status, kept.headers.get("connection")]).toEqual([200, "close"])
  await kept.arrayBuffer()
  await eventually(
    () =>
      get("/readyz").then(
        () => false,
        () => true,
      ),
    "the server to listen no more",
  )
  // timed: a slow machine is later still.
  expect(performance.now() - since).toBeGreaterThanOrEqual(DELAY_MS)
  await stopped
})
