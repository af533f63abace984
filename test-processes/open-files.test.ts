/** A server with few open files: it says so, refuses sockets before they are used up, and takes them again later. */
import { connect, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { call } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

const OPEN_FILES = 600
/** A quarter is spared. */
const ROOM = 450

interface Upgrade {
  readonly socket: Socket
  /** The head of the answer. */
  readonly head: string
}

/** Asks for a socket over a connection of its own, which stays open. */
const upgrade = (port: number): Promise<Upgrade> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(
        "GET /v1/gateway HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      ),
    )
    let head = ""
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      head += chunk
      if (head.includes("\r\n\r\n")) resolve({ socket, head })
    })
  })

test("new sockets are refused before all files are open, and requests are still answered", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const environment = {
    DATABASE_URL: database.url,
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
    PORT: "0",
    LOG_LEVEL: "warn",
  }
  const server = await startServerProcess(environment, OPEN_FILES)
  onTestFinished(async () => void (await server.end("SIGKILL")))
  expect(server.written()).toContain(`The process may open ${OPEN_FILES} files at once`)
  const port = Number(new URL(server.url).port)
  const tries = await Promise.all(Array.from({ length: OPEN_FILES }, () => upgrade(port)))
  const opened = tries.filter(({ head }) => head.startsWith("HTTP/1.1 101 "))
  const refused = tries.filter(({ head }) => head.startsWith("HTTP/1.1 503 "))
  onTestFinished(() => {
    for (const { socket } of tries) socket.destroy()
  })
  expect(opened.length + refused.length).toBe(OPEN_FILES)
  expect(opened.length).toBeLessThanOrEqual(ROOM)
  expect(opened.length).toBeGreaterThan(ROOM / 2)
  for (const { head } of refused) expect(head.toLowerCase()).toContain("retry-after: 5\r\n")
  // Those that were refused are gone, and take no files.
  await eventually(() => refused.every(({ socket }) => socket.readableEnded), "the refused connections to be closed")
  expect((await call(server.url, "GET", "/readyz")).status).toBe(200)
  const { status, body } = await call(server.url, "GET", "/metrics")
  expect(status).toBe(200)
  expect(body).toContain(`process_max_fds ${OPEN_FILES}\n`)
  const open = Number(/^process_open_fds (\d+)$/m.exec(body)?.[1])
  expect(open).toBeGreaterThanOrEqual(opened.length)
  expect(open).toBeLessThan(OPEN_FILES)
  const told = () => server.written().split("New sockets are refused").length - 1
  await eventually(() => told() === 1, "the line about refused sockets")
  for (const { socket } of opened.slice(0, 10)) socket.destroy()
  await eventually(async () => {
    const { socket, head } = await upgrade(port)
    socket.destroy()
    return head.startsWith("HTTP/1.1 101 ")
  }, "a socket to be taken again")
})

test("of several workers the supervisor warns once, for all", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const folder = await temporaryFolder()
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
    PORT: "0",
    LOG_LEVEL: "warn",
    WORKERS: "2",
  }
  const warnings = async (more: { readonly [name: string]: string }): Promise<ReadonlyArray<string>> => {
    const server = await startServerProcess({ ...environment, ...more }, OPEN_FILES)
    try {
      return server
        .written()
        .split("\n")
        .filter((line) => line.includes("may open"))
    } finally {
      await server.end("SIGTERM")
    }
  }
  const [line = "", ...others] = await warnings({})
  expect(others).toEqual([])
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    msg: expect.stringMatching(
      `^The process may open ${OPEN_FILES} files at once, .* SOCKETS_PER_ADDRESS lets one address open 10000; raise the limit to 10500 or more`,
    ),
  })
  expect(await warnings({ SOCKETS_PER_ADDRESS: String(ROOM) })).toEqual([])
})
