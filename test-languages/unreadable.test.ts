/** Adapters and servers that send what is not JSON: the kit goes on, and says what it received. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { WebSocketServer } from "ws"
import { checkClient } from "../packages/conformance/src/check-client.ts"
import { checkServer } from "../packages/conformance/src/check-server.ts"

const ADAPTER = `
console.log("a line before the start")
require("node:readline").createInterface(process.stdin).on("line", (line) => {
  const { cmd } = JSON.parse(line)
  if (cmd === "start") console.log(JSON.stringify({ started: { name: "mute" } }))
  if (cmd === "connect") console.log("connecting…")
})`

test("an adapter that prints other lines breaks the promise", async () => {
  const command = [process.execPath, "-e", ADAPTER]
  const { outcomes } = await checkClient({ command, jobs: 1, patienceMs: 2_000, only: ["lobby"] })
  expect(outcomes).toMatchObject([{ id: "lobby", state: "failed" }])
})

test("a server that sends no JSON breaks the promise, and it is shown", async () => {
  const http = createServer((request, response) => {
    const { port } = http.address() as AddressInfo
    const body = { id: "e", token: "t", sessionToken: "s", url: `ws://127.0.0.1:${port}`, asked: request.url }
    response.end(JSON.stringify(body))
  }).listen(0, "127.0.0.1")
  await once(http, "listening")
  const sockets = new WebSocketServer({ server: http })
  sockets.on("connection", (socket) => {
    for (const text of ["no JSON", "5", "null", "[[]]"]) socket.send(text)
  })
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { outcomes } = await checkServer({ url, key: "k", patienceMs: 1_000, only: ["heartbeats"] })
  expect(outcomes).toMatchObject([
    { id: "heartbeats", state: "failed", detail: expect.stringMatching(/hello did not come[\s\S]*← no JSON/) },
  ])
})
