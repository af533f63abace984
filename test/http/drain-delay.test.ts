/** A server that is asked to stop while a load balancer still sends to it. */
import { Worker } from "node:worker_threads"
import { expect, test } from "vitest"
import { PATIENCE_MS } from "../support/patience.ts"
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

/** Connects from a thread of its own, sends a request over each connection, and tells the first lines of the answers. */
const CALLERS = `
const { once } = require("node:events")
const { connect } = require("node:net")
const { parentPort, workerData } = require("node:worker_threads")
const { port, many, connected } = workerData
const ask = async () => {
  const socket = connect(port, "127.0.0.1")
  let answer = ""
  socket.on("data", (chunk) => { answer += chunk })
  socket.on("error", (cause) => { answer ||= cause.code })
  const closed = once(socket, "close").catch(() => {})
  await once(socket, "connect")
  socket.write("GET /v1/openapi.json HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n")
  return { answered: closed.then(() => answer.split("\\r\\n")[0]) }
}
Promise.all(Array.from({ length: many }, ask)).then(async (answers) => {
  Atomics.store(connected, 0, 1)
  Atomics.notify(connected, 0)
  parentPort.postMessage(await Promise.all(answers.map(({ answered }) => answered)))
})
`

test("requests whose connections a busy server has not taken when its port closes are answered", async () => {
  const server = await startTestServer({ DRAIN_DELAY_MS: String(DELAY_MS) })
  const isStopping = async () =>
    (await (await fetch(`${server.url}/readyz`)).text()).includes("The server is stopping.")
  const many = 20
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const stopped = server.stop()
  await eventually(isStopping, "the stop to begin")
  const answers = new Promise((resolve) => {
    // The server's timer comes next, before this thread takes connections.
    // timed: a callback of the phase of timers.
    setTimeout(() => {
      const workerData = { port: Number(new URL(server.url).port), many, connected }
      new Worker(CALLERS, { eval: true, workerData }).once("message", resolve)
      // timed: a thread that never connects fails the test.
      Atomics.wait(connected, 0, 0, PATIENCE_MS)
      const due = performance.now() + DELAY_MS
      // timed: until the server's timer is due.
      while (performance.now() < due);
    }, 0)
  })
  expect(await answers).toEqual(Array(many).fill("HTTP/1.1 200 OK"))
  await stopped
})
