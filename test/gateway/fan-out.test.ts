import { expect, test } from "vitest"
import { FanOut, type Receivers } from "../../src/gateway/broadcast/fan-out.ts"
import { Connection } from "../../src/gateway/connection/connection.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const open = async () => {
  const { timers, pass } = await openVirtualTime()
  const sent: string[] = []
  let released = (): void => undefined
  const receivers: Receivers = {
    publish: (topic, text) => sent.push(`${topic} ${text}`),
    sendTo: (participantId, dispatches) =>
      sent.push(`to ${participantId} ${dispatches.map(({ frame }) => frame).join(",")}`),
    sendToAll: (stream, frames) => sent.push(`each of ${stream} ${frames.join(",")}`),
    sendEphemeralTo: (participantId, dispatches) => sent.push(`mentioned to ${participantId} ${dispatches.join(",")}`),
    release: () => released(),
    inspect: () => sent.push("inspected"),
    flushed: () => undefined,
    tickMs: 50,
  }
  const fanOut = new FanOut(timers, "e", receivers)
  const say = (frame: string) => {
    fanOut.ordered("event", { frame })
    fanOut.schedule()
  }
  const onRelease = (body: () => void): void => {
    released = body
  }
  return { sent, fanOut, say, pass, onRelease }
}

test("the first dispatch after idle goes at once, later ones together at the tick", async () => {
  const { sent, say, pass } = await open()
  say("1")
  expect(sent).toEqual(["e/event 1"])
  say("2")
  say("3")
  expect(sent).toEqual(["e/event 1"])
  await pass(50)
  expect(sent).toEqual(["e/event 1", "e/event [2,3]"])
  await pass(100)
  say("4")
  expect(sent.at(-1)).toBe("e/event 4")
})

test("of ephemeral messages only the newest of a key is sent, after slow sockets were checked", async () => {
  const { sent, fanOut, say, pass } = await open()
  say("1")
  fanOut.ephemeral({ stream: "event", key: "count", frame: "10" })
  fanOut.ephemeral({ stream: "event", key: "other", frame: "7" })
  fanOut.ephemeral({ stream: "event", key: "count", frame: "11" })
  say("2")
  await pass(50)
  expect(sent).toEqual(["e/event 1", "inspected", "e/event 2", "e/event~ [11,7]"])
})

test("ephemeral messages of one participant are sent to them, the newest of a key, after slow sockets were checked", async () => {
  const { sent, fanOut, say, pass } = await open()
  say("1")
  fanOut.ephemeral({ stream: "me:ann", key: "vote", frame: "on" })
  fanOut.ephemeral({ stream: "me:bob", key: "vote", frame: "on" })
  fanOut.ephemeral({ stream: "me:ann", key: "vote", frame: "off" })
  say("2")
  await pass(50)
  // Before what was decided of it after they did.
  expect(sent).toEqual(["e/event 1", "inspected", "mentioned to ann off", "mentioned to bob on", "e/event 2"])
})

test("a tick with very much to say is sent in several frames, none of them cut inside a dispatch", async () => {
  const { sent, fanOut } = await open()
  const dispatches = Array.from({ length: 10 }, (_, n) => JSON.stringify({ n, padding: "x".repeat(20_000) }))
  for (const frame of dispatches) fanOut.ordered("event", { frame })
  fanOut.schedule()
  const frames = sent.map((line) => JSON.parse(line.slice("e/event ".length)) as unknown[])
  expect(frames.length).toBe(3)
  expect(frames.flat().map((dispatch) => (dispatch as { n: number }).n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test("a stopped fan-out sends nothing more", async () => {
  const { sent, fanOut, say, pass } = await open()
  say("1")
  say("2")
  fanOut.stop()
  await pass(100)
  expect(sent).toEqual(["e/event 1"])
})

test("own dispatches go before shared ones, and what connections hold back goes between them", async () => {
  const { sent, fanOut, onRelease } = await open()
  onRelease(() => sent.push("released"))
  fanOut.ordered("event", { frame: "1" })
  fanOut.ordered("me:ann", { frame: "2" })
  fanOut.ordered("event", { frame: "3" })
  fanOut.ordered("me:bob", { frame: "4" })
  fanOut.schedule()
  expect(sent).toEqual(["to ann 2", "to bob 4", "released", "e/event [1,3]"])
})

const openConnection = () => {
  const sent: string[] = []
  const socket = {
    send: (text: string) => void sent.push(text),
    end: () => undefined,
    terminate: () => undefined,
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    buffered: () => 0,
  }
  const owner = { left: () => undefined, makeReady: () => undefined, personal: (_: Connection, text: string) => text }
  return { sent, connection: new Connection(socket, { number: 1, address: "127.0.0.1", openedAt: 0 }, owner) }
}

test("held objects are part of the next frame, or a frame of their own at the release", () => {
  const { sent, connection } = openConnection()
  connection.hold('{"n":1}')
  connection.hold('{"n":2}')
  connection.send('[{"n":3},{"n":4}]')
  connection.hold('{"n":5}')
  connection.send('{"n":6}')
  connection.hold('{"n":7}')
  connection.release()
  connection.release()
  expect(sent.flatMap((frame) => [JSON.parse(frame) as unknown])).toEqual([
    [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }],
    [{ n: 5 }, { n: 6 }],
    [{ n: 7 }],
  ])
})

test("a closed connection sends nothing that it held", () => {
  const { sent, connection } = openConnection()
  connection.hold('{"n":1}')
  connection.apply({ type: "lost" })
  connection.release()
  expect(sent).toEqual([])
})

test("what differs from holder to holder goes to each connection by itself, among what goes to all", async () => {
  const { sent, fanOut } = await open()
  const held = '{"url":"play.broadcast.b.workspace.1.x"}'
  fanOut.ordered("event", { frame: "1" })
  fanOut.ordered("event", { frame: held })
  fanOut.ordered("staff", { frame: "2" })
  fanOut.schedule()
  expect(sent).toEqual([`each of event 1,${held}`, "e/staff 2"])
})
