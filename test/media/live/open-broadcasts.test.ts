/** Broadcasts in the memory of the process: the state of their encoders, and how they leave it while their last segment is stored. */
import { expect, test } from "vitest"
import { OpenBroadcasts } from "../../../src/media/live/open-broadcasts.ts"
import { openLog } from "../../../src/telemetry/telemetry.ts"
import { keptBroadcast } from "../../support/broadcast-owner.ts"
import { openVirtualTime } from "../../support/virtual-time.ts"
import { fixture } from "../broadcast/support.ts"

interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

const deferred = (): Deferred => {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const ID = "0197a000-0000-7000-8000-0000000000b1"

const opened = async (maxKbps = 8000) => {
  const { timers, pass } = await openVirtualTime()
  const broadcasts = new OpenBroadcasts(timers, openLog("silent"))
  const stored = deferred()
  const appended: number[] = []
  const one = keptBroadcast(timers, {
    id: ID,
    maxKbps,
    isReady: stored.promise,
    onStored: ({ number }) => appended.push(number),
  })
  broadcasts.add(ID, one)
  return { broadcasts, one, stored, appended, pass }
}

test("the end of a broadcast that has just left memory waits for its last segment", async () => {
  const { broadcasts, one, stored, appended } = await opened()
  one.input.openStream(() => {}).write(fixture("ffmpeg-stream.mp4"))
  broadcasts.drop(ID, one)
  let hasEnded = false
  const end = broadcasts.end(ID).then(() => {
    hasEnded = true
  })
  await new Promise(setImmediate)
  expect(hasEnded).toBe(false)
  stored.resolve()
  await end
  expect(appended).toEqual([0, 1])
})

test("a broadcast that has left memory takes nothing more: another one may go on with its file", async () => {
  const { broadcasts, one, stored, appended } = await opened()
  stored.resolve()
  broadcasts.drop(ID, one)
  await broadcasts.closed(ID)
  await expect(one.input.putPiece(0, fixture("ffmpeg-stream.mp4"))).rejects.toThrow("cannot be written")
  expect(appended).toEqual([])
})

test("an encoder that was admitted while the broadcast ended is cut", async () => {
  const { broadcasts, one, stored } = await opened()
  one.input.openStream(() => {}).write(fixture("ffmpeg-stream.mp4"))
  const end = broadcasts.end(ID)
  let isCut = false
  one.input.openStream(() => {
    isCut = true
  })
  stored.resolve()
  await end
  expect(isCut).toBe(true)
})

test("files of an encoder are received as long as they come, and lost ten seconds after", async () => {
  const { broadcasts, one, stored, pass } = await opened()
  stored.resolve()
  expect([broadcasts.stateOf(one), broadcasts.encoders]).toEqual(["waiting", 0])
  for (const name of ["init.mp4", "index0.m4s", "index1.m4s"]) {
    await pass(2000)
    await one.input.putFile(fixture(`ffmpeg-files/${name}`))
    expect([broadcasts.stateOf(one), broadcasts.encoders], name).toEqual(["receiving", 1])
  }
  expect(one.live.lastSegmentAt).toBe(1_006_000)
  await pass(9999)
  expect(broadcasts.stateOf(one)).toBe("receiving")
  await pass(1)
  expect([broadcasts.stateOf(one), broadcasts.encoders]).toEqual(["lost", 0])
})

test("pieces that a pause drops keep the encoder's place", async () => {
  const { broadcasts, one, stored, pass } = await opened()
  stored.resolve()
  const stream = fixture("ffmpeg-stream.mp4")
  const cut = [0, 20_000, 40_000, 60_000, stream.byteLength]
  const put = (n: number) => one.input.putPiece(n, stream.subarray(cut[n], cut[n + 1]))
  await put(0)
  one.live.pause()
  for (const n of [1, 2, 3]) {
    await pass(8000)
    await put(n)
  }
  expect([broadcasts.stateOf(one), broadcasts.encoders]).toEqual(["receiving", 1])
})

test("pieces that were sent too fast may come again, and cost nothing until they are taken", async () => {
  const { one, stored, pass } = await opened(16)
  stored.resolve()
  const stream = fixture("ffmpeg-stream.mp4")
  const size = Math.ceil(stream.byteLength / 4)
  const put = (n: number) => one.input.putPiece(n, stream.subarray(n * size, (n + 1) * size))
  let n = 0
  const all = async () => {
    while (n < 4) await put(n).then(() => n++)
  }
  const refusals: number[] = []
  for (let tries = 0; n < 4 && tries < 20; tries++) {
    await all().catch(async (failure: { readonly _tag: string; readonly retryAfterSeconds: number }) => {
      expect(failure._tag).toBe("RateLimited")
      expect(one.live.failure?.code).toBe("too_fast")
      refusals.push(failure.retryAfterSeconds)
      await expect(put(n)).rejects.toMatchObject({ retryAfterSeconds: failure.retryAfterSeconds })
      await pass(failure.retryAfterSeconds * 1000)
    })
  }
  expect(refusals).toEqual([4, 7, 7])
  expect(one.live.lastSegmentAt).toBeDefined()
})

test("a stream that was made to wait may send what it gathered meanwhile, and no more", async () => {
  const { one, stored, pass } = await opened(16)
  stored.resolve()
  const stream = fixture("ffmpeg-stream.mp4")
  const input = one.input.openStream(() => {})
  input.write(stream.subarray(0, 15_000))
  input.pause()
  await pass(15_000)
  input.resume()
  // Ten seconds' worth are allowed at once in any case: 20,000 bytes.
  input.write(stream.subarray(15_000, 64_000))
  expect(one.live.failure).toBeUndefined()
  expect(() => input.write(stream)).toThrow("lower its bit rate")
})
