/** One workspace takes all that it can get, and another has its share all the same. */
import { connect, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { createEvent, type Workspace } from "../support/api.ts"
import { apiOf, startBroadcast } from "../support/broadcasts.ts"
import { push, pushStream } from "../support/encoder.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { noiseOf, wavOf } from "../support/wav.ts"

const server = sharedServer(() => startMediaServer({ MEDIA_UPLOADS: "4", BROADCAST_INGESTS: "4" }))
const greedy = sharedWorkspace(server)
const modest = sharedWorkspace(server)

interface Begun {
  readonly id: string
  readonly uploadUrl: string
}

const begin = async ({ key }: Workspace, count = 1): Promise<ReadonlyArray<Begun>> => {
  const api = apiOf(server.url, key)
  const event = await createEvent(server.url, key)
  await api("POST", `/v1/events/${event.id}/publish`)
  const one = async (): Promise<Begun> => (await api("POST", `/v1/events/${event.id}/recordings`, {})).body
  return Promise.all(Array.from({ length: count }, one))
}

const offsetOf = async ({ uploadUrl }: Begun): Promise<number> =>
  Number((await fetch(uploadUrl, { method: "HEAD" })).headers.get("upload-offset"))

/** The first bytes of an upload that goes on for long. Collects what is answered. */
const drip = (url: string, first: Uint8Array): { readonly socket: Socket; readonly answered: () => string } => {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ""
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1")
  })
  socket.on("error", () => {})
  onTestFinished(() => void socket.destroy())
  socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 50000000\r\n\r\n`)
  socket.write(first)
  return { socket, answered: () => text }
}

test("while one drips into all places for uploads, the uploads of another are taken, and what was cut goes on", async () => {
  const bytes = noiseOf(1_200_000)
  const slow = await begin(greedy, 4)
  const drips = slow.map(({ uploadUrl }) => drip(uploadUrl, bytes.subarray(0, 1_100_000)))
  await eventually(
    async () => (await Promise.all(slow.map(offsetOf))).every((offset) => offset > 0),
    "bytes of all four on the disk",
  )
  // A fifth of the same workspace has to come back.
  const [fifth] = await begin(greedy)
  expect((await fetch(fifth?.uploadUrl ?? "", { method: "PUT", body: wavOf(0.1) })).status).toBe(503)
  const two = await begin(modest, 2)
  const taken = await Promise.all(two.map(({ uploadUrl }) => fetch(uploadUrl, { method: "PUT", body: wavOf(0.1) })))
  expect(taken.map(({ status }) => status)).toEqual([204, 204])
  const cut = drips.findIndex(({ answered }) => answered() !== "")
  expect(drips[cut]?.answered()).toMatch(/^HTTP\/1.1 503 .*retry-after: 5.*cut for another workspace/su)
  const offset = await offsetOf(slow[cut] ?? expect.fail("none was cut"))
  expect(offset).toBeGreaterThan(0)
  const rest = await fetch(slow[cut]?.uploadUrl ?? "", {
    method: "PUT",
    headers: { "content-range": `bytes ${offset}-${bytes.byteLength - 1}/${bytes.byteLength}` },
    body: bytes.subarray(offset),
  })
  expect([rest.status, rest.headers.get("upload-offset")]).toEqual([204, String(bytes.byteLength)])
})

test("one that has all the encoders it may have leaves another theirs, and none is cut", async () => {
  const stream = fixture("ffmpeg-stream.mp4")
  const live = (workspace: Workspace) => startBroadcast(server.url, workspace.key, {})
  const first = [await live(greedy), await live(greedy), await live(greedy)]
  const streams = first.slice(0, 2).map(({ streamUrl }) => pushStream(streamUrl))
  onTestFinished(() => {
    for (const one of streams) one.kill()
  })
  for (const one of streams) await one.write(stream.subarray(0, 20_000))
  for (const one of first.slice(0, 2)) {
    await eventually(async () => (await one.state()).ingest.state === "receiving", "an encoder of the first")
  }
  expect((await push(first[2]?.streamUrl ?? "", stream)).status).toBe(503)
  expect((await first[2]?.state())?.ingest.failure).toMatchObject({ code: "busy" })
  expect((await push((await live(modest)).streamUrl, stream)).status).toBe(204)
  expect(await Promise.all(first.slice(0, 2).map(async (one) => (await one.state()).ingest.state))).toEqual([
    "receiving",
    "receiving",
  ])
})
