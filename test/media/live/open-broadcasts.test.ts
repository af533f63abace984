/** Broadcasts that leave the memory of the process while their last segment is stored. */
import { expect, test } from "vitest"
import { START } from "../../../src/media/broadcast/segments.ts"
import { EMPTY_WINDOW } from "../../../src/media/broadcast/window.ts"
import { EncoderInput } from "../../../src/media/live/encoder-input.ts"
import { LiveBroadcast } from "../../../src/media/live/live-broadcast.ts"
import { type OpenBroadcast, OpenBroadcasts } from "../../../src/media/live/open-broadcasts.ts"
import { openLog } from "../../../src/telemetry/telemetry.ts"
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

const opened = async () => {
  const { timers } = await openVirtualTime()
  const broadcasts = new OpenBroadcasts(timers, openLog("silent"))
  const stored = deferred()
  const appended: number[] = []
  const live = new LiveBroadcast({
    journal: {
      beginTake: () => Promise.resolve(),
      append: async ({ segment }) => {
        await stored.promise
        appended.push(segment.number)
      },
      close: () => Promise.resolve(),
      recordingId: () => "recording",
    },
    position: START,
    window: EMPTY_WINDOW,
    inits: new Map(),
    hasEnded: false,
    isPaused: false,
    maxMs: 3_600_000,
    onBroken: (cause) => {
      throw cause
    },
  })
  const one: OpenBroadcast = {
    eventId: "event",
    phaseId: "phase",
    live,
    input: new EncoderInput(live, timers, 8000),
    visibility: "public",
    status: "live",
    lastUsedAt: 0,
  }
  broadcasts.add(ID, one)
  return { broadcasts, one, stored, appended }
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
