/** What a stream writes into the body of its answer, and what waits while its client takes nothing. */
import { Effect, Exit } from "effect"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Socket } from "../../src/gateway/connection/connection.ts"
import { EventStream } from "../../src/gateway/transport/event-stream.ts"
import { EventStreams } from "../../src/gateway/transport/event-streams.ts"
import { OpenBody } from "../../src/http/transport/open-body.ts"
import { streamSessionsHere } from "../../src/identity/stream-sessions.ts"
import { CLOSE } from "../../src/protocol/wire/close-codes.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

/** An engine that takes what it is told to, and buffers the rest. */
const openEngine = () => {
  const engine = {
    takes: true,
    written: [] as string[],
    ended: false,
    writable: (): boolean => true,
    write: (chunk: string): boolean => {
      engine.written.push(chunk)
      return engine.takes
    },
    end: () => {
      engine.ended = true
    },
    close: () => body.aborted(),
    cork: (call: () => void) => call(),
    onWritable: (call: () => boolean) => {
      engine.writable = call
    },
  }
  const body = new OpenBody(engine)
  return { engine, body }
}

test("what the client does not take waits, is counted, and follows in one piece; the end follows it", () => {
  const { engine, body } = openEngine()
  const calls: string[] = []
  body.whenDrained(() => calls.push("drained"))
  body.whenGone(() => calls.push("gone"))
  body.write("a")
  expect([engine.written, body.buffered()]).toEqual([["a"], 0])
  engine.takes = false
  body.write("bü")
  body.write("c")
  body.write("d")
  expect([engine.written, body.buffered()]).toEqual([["a", "bü"], 5])
  engine.takes = true
  engine.writable()
  expect([engine.written, body.buffered(), calls]).toEqual([["a", "bü", "cd"], 0, ["drained"]])
  engine.takes = false
  body.write("e")
  body.end()
  body.write("behind the end")
  expect(engine.ended).toBe(false)
  engine.takes = true
  // Nothing waits, and the engine drains its own buffer only at a write.
  engine.writable()
  expect([engine.written.slice(3), engine.ended, calls]).toEqual([["e", ":\n\n"], true, ["drained", "gone"]])
  body.destroy()
  engine.writable()
  expect([engine.written.length, calls.length]).toEqual([5, 2])
})

test("what waits is dropped at once when the client is gone", () => {
  const { engine, body } = openEngine()
  let gone = 0
  body.whenGone(() => gone++)
  engine.takes = false
  body.write("a")
  body.write("b".repeat(100))
  body.aborted()
  body.aborted()
  body.write("c")
  expect([engine.written, gone]).toEqual([["a"], 1])
  expect(body.buffered()).toBeLessThan(100)
})

const QUIET = { subscribe: () => {}, unsubscribe: () => {}, sent: () => {}, cut: () => {} }

test("a stream begins with padding, and keeps its client's position by the rules of the client", () => {
  const { engine, body } = openEngine()
  const resume = { epoch: "e", cursors: { event: 3, me: 0 } }
  const stream = new EventStream(body, QUIET, { resume, padding: 0, mostBuffered: 1000 })
  expect(engine.written.join("")).toMatch(/^:.{2048}\n\n$/)
  const sent = (...objects: ReadonlyArray<object>): string | undefined => {
    stream.send(JSON.stringify(objects.length === 1 ? objects[0] : objects))
    return /^id: (.*)$/m.exec(engine.written.at(-1) ?? "")?.[1]
  }
  const dispatch = (st: string, s: number, t = "x", d: object = {}) => ({ op: 0, st, s, t, d })
  const at = (cursors: object, epoch = "e") => JSON.stringify({ epoch, cursors })
  expect(sent({ op: 10, d: { heartbeatMs: 1 } })).toBeUndefined()
  expect(sent({ op: 0, t: "ready", d: { resumed: true, epoch: "e", cursors: resume.cursors } })).toBeUndefined()
  expect(sent(dispatch("event", 4), dispatch("event", 5))).toBe(at({ event: 5, me: 0 }))
  // Neither a repeat, nor what follows a gap, nor a stream of others.
  expect([sent(dispatch("event", 5)), sent(dispatch("event", 7)), sent(dispatch("room:1", 1))]).toEqual(
    Array(3).fill(undefined),
  )
  expect(sent(dispatch("event", 6))).toBe(at({ event: 6, me: 0 }))
  expect(sent({ op: 0, t: "subscribed", d: { cursors: { "room:1": 8 }, dropped: ["me"] } })).toBe(
    at({ event: 6, "room:1": 8 }),
  )
  expect(sent({ op: 4, id: "c", ok: true, v: 1, d: {} })).toBeUndefined()
  expect(sent({ op: 0, t: "ready", d: { resumed: false, epoch: "f", cursors: { event: 90 } } })).toBe(
    at({ event: 90 }, "f"),
  )
})

test("what a slow consumer did not take is dropped before the close, and other ends wait for it", () => {
  for (const [code, expected] of [
    [4002, []],
    [1012, ['data: {"op":13}\n\n']],
  ] as const) {
    const { engine, body } = openEngine()
    const stream = new EventStream(body, QUIET, { resume: undefined, padding: 0, mostBuffered: 1_000_000 })
    engine.takes = false
    stream.send('{"op":11}')
    stream.send('{"op":13}')
    stream.end(code, "why")
    engine.takes = true
    engine.writable()
    const close = `event: close\ndata: {"code":${code},"reason":"why"}\n\n`
    expect([engine.written.slice(2).join(""), engine.ended]).toEqual([[...expected, close].join(""), true])
  }
})

test("a stream far above the limit is cut at once", async () => {
  const { engine, body } = openEngine()
  const gone = new Promise<void>((resolve) => body.whenGone(resolve))
  const stream = new EventStream(body, QUIET, { resume: undefined, padding: 0, mostBuffered: 5000 })
  engine.takes = false
  for (let n = 0; n < 100; n++) stream.send(JSON.stringify({ op: 13, d: "x".repeat(1000) }))
  await gone
  expect([engine.written.length, stream.buffered()]).toEqual([2, 0])
})

const CLIENT = { address: "192.0.2.1", isShared: false }

/** Streams whose connections do nothing but record what is applied to them. */
const openStreams = async () => {
  const time = await openVirtualTime()
  const applied: unknown[] = []
  const calls: string[] = []
  const sockets: Socket[] = []
  const connection = { close: () => {}, apply: (event: unknown) => applied.push(event) }
  const sessions = streamSessionsHere([Buffer.alloc(32)])
  const streams = new EventStreams(
    {
      refusal: () => undefined,
      opened: (socket, _client, secret) => {
        sockets.push(socket)
        calls.push(secret ?? "")
        return connection as never
      },
      closed: () => calls.push("closed"),
      received: () => {},
      drained: () => {},
      sent: () => {},
      failed: () => {},
    },
    { sessions, timers: time.timers, orderedLimitBytes: 1000 },
  )
  onTestFinished(() => streams.stop())
  const open = (body: OpenBody): Socket => {
    streams.open({ client: CLIENT, identify: "{}", resume: undefined, padding: 0 }, body)
    return sockets.at(-1) as Socket
  }
  return { streams, open, applied, calls, sessions, time }
}

test("a stream that is cut far above the limit counts as a slow consumer", async () => {
  const { engine, body } = openEngine()
  const { open, applied } = await openStreams()
  const socket = open(body)
  engine.takes = false
  socket.send(JSON.stringify({ op: 13, d: "x".repeat(5000) }))
  // A cut does not disturb the caller, who may be iterating over the streams.
  expect(applied).toEqual([])
  await new Promise(setImmediate)
  expect(applied).toEqual([{ type: "cut", why: CLOSE.slowConsumer }, { type: "lost" }])
})

test("nothing remains of a stream that is gone: no session, no subscription, no comments", async () => {
  const [gone, stays] = [openEngine(), openEngine()]
  const { streams, open, calls, sessions, time } = await openStreams()
  const socket = open(gone.body)
  const [secret = ""] = calls
  const other = open(stays.body)
  for (const topic of ["event", "staff"]) for (const each of [socket, other]) each.subscribe(topic)
  const written = () => [gone, stays].map(({ engine }) => engine.written.length)
  streams.publish("event", '{"op":0}')
  expect(written()).toEqual([2, 2])
  const find = sessions.find(() => () => Effect.die("elsewhere"))
  expect(Exit.isSuccess(Effect.runSyncExit(find(secret)))).toBe(true)
  gone.body.aborted()
  expect(calls.filter((call) => call === "closed")).toEqual(["closed"])
  expect(Exit.isSuccess(Effect.runSyncExit(find(secret)))).toBe(false)
  // The frames of a stream that is kept would be computed, and written into a body that drops them.
  const deliver = vi.spyOn(EventStream.prototype, "deliver")
  const keep = vi.spyOn(EventStream.prototype, "keepAlive")
  onTestFinished(() => void vi.restoreAllMocks())
  for (const topic of ["event", "staff"]) streams.publish(topic, '{"op":0}')
  await time.pass(15_000)
  expect([deliver.mock.calls.length, keep.mock.calls.length]).toEqual([2, 1])
})

test("a quiet stream has a comment every fifteen seconds, unless its client takes nothing", async () => {
  const { engine, body } = openEngine()
  const { open, time } = await openStreams()
  open(body)
  await time.pass(14_000)
  expect(engine.written.length).toBe(1)
  await time.pass(16_500)
  expect(engine.written.slice(1)).toEqual([":\n\n", ":\n\n"])
  engine.takes = false
  await time.pass(60_000)
  expect(engine.written.length).toBe(4)
})
