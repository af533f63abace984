/** Streams that reach the owner of a broadcast through another node: slowed down where the owner is behind, cut, and given up. */
import { expect, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { ForwardedStream } from "../../src/media/placed/calls/forwarded-stream.ts"
import { toText } from "../../src/media/placed/calls/protocol.ts"
import { openOwner } from "../support/broadcast-owner.ts"
import { openVirtualTime } from "../support/virtual-time.ts"
import { eventually } from "../support/wait.ts"
import { fixture, padded } from "./broadcast/support.ts"

const STREAM = fixture("ffmpeg-stream.mp4")
const MEBIBYTE = 1024 ** 2

const neverCut = (cause: unknown): void => {
  throw new Error("the stream was cut", { cause })
}

test("an owner that is behind makes the encoder of another node wait, and nothing of its stream is lost", async () => {
  let release = (): void => {}
  const isReady = new Promise<void>((resolve) => {
    release = resolve
  })
  const { one, ask, stored } = openOwner(systemTimers, isReady)
  const rooms: number[] = []
  const stream = new ForwardedStream(
    { broadcastId: one.id, resets: 0, from: "", ask },
    { onCut: neverCut, onRoom: () => rooms.push(performance.now()) },
  )
  const sent = padded(STREAM, 4 * MEBIBYTE)
  expect(sent.byteLength).toBeGreaterThan(30 * MEBIBYTE)
  const CHUNK = 64 * 1024
  let at = 0
  const pushWhile = async (): Promise<void> => {
    while (at < sent.byteLength) {
      const mayGoOn = stream.write(sent.subarray(at, at + CHUNK))
      at += CHUNK
      const before = rooms.length
      if (!mayGoOn) await eventually(() => rooms.length > before || one.live.isFull, "room")
      if (one.live.isFull) return
      await new Promise(setImmediate)
    }
  }
  await pushWhile()
  // The owner holds its queue, and the node a mebibyte at most before the encoder has to wait.
  expect(one.live.isFull).toBe(true)
  let more = 0
  while (stream.write(sent.subarray(at, at + CHUNK))) {
    at += CHUNK
    more += CHUNK
  }
  at += CHUNK
  expect(more).toBeLessThanOrEqual(MEBIBYTE)
  const before = rooms.length
  expect(stored).toEqual([])
  release()
  await eventually(() => rooms.length > before, "room")
  while (at < sent.byteLength) {
    const seen = rooms.length
    const mayGoOn = stream.write(sent.subarray(at, at + CHUNK))
    at += CHUNK
    if (!mayGoOn) await eventually(() => rooms.length > seen, "room")
  }
  await stream.finish()
  const direct = openOwner(systemTimers, Promise.resolve())
  const input = direct.one.input.openStream(() => {})
  input.write(sent)
  input.end()
  await direct.one.live.settled()
  expect(stored).toEqual(direct.stored)
})

test("a stream that another encoder takes over is cut at its node at once", async () => {
  const { one, ask } = openOwner(systemTimers, Promise.resolve())
  const causes: unknown[] = []
  const stream = new ForwardedStream(
    { broadcastId: one.id, resets: 0, from: "", ask },
    { onCut: (cause) => causes.push(cause), onRoom: () => {} },
  )
  stream.write(STREAM.subarray(0, 20_000))
  await eventually(() => one.input.hasStream && one.live.lastBytesAt !== undefined, "the stream")
  one.input.openStream(() => {}).end()
  await eventually(() => causes.length > 0, "the cut")
  expect(causes).toMatchObject([{ _tag: "Unavailable" }])
  expect(stream.write(STREAM)).toBe(false)
  await expect(stream.finish()).rejects.toMatchObject({ _tag: "Unavailable" })
})

test("a body whose node is gone is given up, and bytes from the middle of one are refused", async () => {
  const { timers, pass } = await openVirtualTime()
  const { one, bodies } = openOwner(timers, Promise.resolve())
  const request = {
    type: "bytes",
    broadcastId: one.id,
    upload: "upload",
    form: { kind: "stream" },
    offset: 0,
    resets: 0,
    bytes: "",
    isLast: false,
  } as const
  expect(await bodies.take(one, request)).toMatchObject({ type: "taken", isTaken: true })
  expect(await bodies.take(one, { ...request, upload: "file", form: { kind: "file" } })).toMatchObject({
    isTaken: true,
  })
  expect(one.input.hasStream).toBe(true)
  await pass(14_000)
  bodies.sweep()
  expect(one.input.hasStream).toBe(true)
  await pass(2000)
  bodies.sweep()
  expect(one.input.hasStream).toBe(false)
  for (const upload of ["upload", "file"]) {
    expect(await bodies.take(one, { ...request, upload, offset: 5 })).toMatchObject({ type: "refused" })
  }
  // An address that was replaced after the admission.
  one.input.replace()
  expect(await bodies.take(one, { ...request, upload: "late" })).toMatchObject({
    type: "refused",
    error: "Unavailable",
  })
})

test("bytes that come twice, because the call was made again, are taken once", async () => {
  const { one, bodies, stored } = openOwner(systemTimers, Promise.resolve())
  const half = Math.floor(STREAM.byteLength / 2)
  const request = (from: number, to: number) =>
    ({
      type: "bytes",
      broadcastId: one.id,
      upload: "upload",
      form: { kind: "file" },
      offset: from,
      resets: 0,
      bytes: toText(STREAM.subarray(from, to)),
      isLast: to === STREAM.byteLength,
    }) as const
  const [first, last] = [request(0, half), request(half, STREAM.byteLength)]
  const taken = { type: "taken", isTaken: true }
  expect(await Promise.all([bodies.take(one, first), bodies.take(one, first)])).toMatchObject([taken, taken])
  // One while it is being stored, and one afterwards.
  expect(await Promise.all([bodies.take(one, last), bodies.take(one, last)])).toMatchObject([taken, taken])
  expect(await bodies.take(one, last)).toMatchObject(taken)
  const direct = openOwner(systemTimers, Promise.resolve())
  await direct.one.input.putFile(STREAM)
  await Promise.all([one.live.settled(), direct.one.live.settled()])
  expect(stored).toEqual(direct.stored)
})
