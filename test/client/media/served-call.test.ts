/** `MediaCall` in a call that goes through a media server, with the gateway and the browser that a test plays. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { FakeConnection } from "./browser.ts"
import { both, connection, MESH, open } from "./call.ts"

beforeEach(() => {
  vi.useFakeTimers()
  FakeConnection.made = []
})
afterEach(() => void vi.useRealTimers())

const SERVED = { server: { session: "s1" } }

const inServedCall = async () => {
  const call = open()
  call.media.start(both())
  await call.enter(MESH("red"))
  await call.list(["m", "a", "z"], SERVED)
  return call
}

/** The answer and the places of the connection with this number, which begin at 1. */
const connectedWith = async (call: ReturnType<typeof open>, gen: number) => {
  await call.signal({ from: "red", kind: "answer", data: "answer", gen })
  connection(gen - 1).become("connected")
  await call.settle()
}

test("one connection serves all people, and is offered to the room", async () => {
  const call = await inServedCall()
  expect(FakeConnection.made).toHaveLength(1)
  expect(connection(0).received).toEqual([
    "audio",
    "video",
    ...Array.from({ length: 3 }, () => "audio"),
    ...Array.from({ length: 9 }, () => "video"),
  ])
  expect(call.signals()).toMatchObject([{ to: "red", kind: "offer", gen: 1 }])
  await connectedWith(call, 1)
  expect(connection(0).remote).toEqual([{ type: "answer", sdp: "answer" }])
  expect(call.media.peers.map(({ connectionId, state }) => [connectionId, state])).toEqual([
    ["a", "connected"],
    ["z", "connected"],
  ])
  await call.list(["m", "z"], SERVED)
  expect([FakeConnection.made.length, call.media.peers.map(({ connectionId }) => connectionId)]).toEqual([1, ["z"]])
})

test("another session of the server is another connection, and signals of the previous one are not heard", async () => {
  const call = await inServedCall()
  await connectedWith(call, 1)
  await call.list(["m", "a", "z"], { server: { session: "s2" } })
  expect(FakeConnection.made.map(({ connectionState }) => connectionState)).toEqual(["closed", "new"])
  await call.signal({ from: "red", kind: "answer", data: "late", gen: 1 })
  expect(connection(1).remote).toEqual([])
  await connectedWith(call, 2)
  expect(connection(1).remote).toHaveLength(1)
})

test("a connection that does not come about is made anew, and none after the call ended", async () => {
  const call = await inServedCall()
  await vi.advanceTimersByTimeAsync(60_000)
  const made = FakeConnection.made.length
  expect(made).toBeGreaterThan(2)
  call.media.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(FakeConnection.made).toHaveLength(made)
  expect(FakeConnection.made.every(({ connectionState }) => connectionState === "closed")).toBe(true)
})

test("an interruption that is over within two seconds costs nothing", async () => {
  const call = await inServedCall()
  await connectedWith(call, 1)
  connection(0).become("disconnected")
  await vi.advanceTimersByTimeAsync(1000)
  connection(0).become("connected")
  await vi.advanceTimersByTimeAsync(60_000)
  expect(FakeConnection.made).toHaveLength(1)
})

test("a listener of `peers` or `state` may stop the call, and no connection is left", async () => {
  for (const event of ["peers", "state"] as const) {
    FakeConnection.made = []
    const call = open()
    call.media.start(both())
    await call.enter(MESH("red"))
    call.media.on(event, () => call.media.stop())
    await call.list(["m", "a"], SERVED)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(FakeConnection.made.filter(({ connectionState }) => connectionState !== "closed")).toEqual([])
    expect(call.media.state).toBe("off")
  }
})

test("tiles that the page shows are told when the connection is there, and again after a lost socket", async () => {
  const call = await inServedCall()
  call.media.show([{ connectionId: "z", height: 180.4 }])
  const views = () => call.signals().filter(({ kind }) => kind === "views")
  expect(views()).toEqual([])
  await connectedWith(call, 1)
  expect(views()).toMatchObject([{ to: "red", data: [{ peer: "z", source: "camera", height: 180 }], gen: 1 }])
  for (const height of [90, 91, 92]) call.media.show([{ connectionId: "a", height }])
  await vi.advanceTimersByTimeAsync(100)
  expect(views().slice(1)).toMatchObject([{ data: [{ peer: "a", height: 92 }] }])
  await call.become("connecting")
  await call.become("ready")
  await call.settle()
  expect(views()).toHaveLength(3)
  expect(FakeConnection.made).toHaveLength(1)
})
