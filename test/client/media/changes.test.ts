/** `MediaCall` when its application changes the tracks or stops, while the server or the browser is about something else. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { CommandRefused } from "../../../packages/client/src/connection/pending-commands.ts"
import { FAKE_WEB_RTC, FakeConnection, trackOf } from "./browser.ts"
import { both, connection, inCall, MESH, open } from "./call.ts"

beforeEach(() => {
  vi.useFakeTimers()
  FakeConnection.made = []
})
afterEach(() => void vi.useRealTimers())

test("a camera that goes off sends nothing from then on, also while the server does not answer", async () => {
  const { media, holdAnswer, settle } = await inCall()
  holdAnswer()
  void media.setCamera(null)
  await settle()
  expect(connection(0).senders.map(({ track }) => track?.kind)).toEqual(["audio", undefined])
})

test("a camera that goes off while the server is asked whether it may go on stays off, and the room knows", async () => {
  const { media, joins, holdAnswer, settle } = await inCall()
  await media.setCamera(null)
  const answer = holdAnswer()
  const on = media.setCamera(trackOf("video"))
  await settle()
  const off = media.setCamera(null)
  await answer()
  await Promise.all([on, off])
  await settle()
  expect(connection(0).senders[1]?.track).toBeNull()
  expect(joins().at(-1)).toMatchObject({ have: { audio: true, video: false } })
})

test("a camera and a microphone that go on at once are both told to the room", async () => {
  const { media, joins, enter, list } = open()
  media.start()
  await enter(MESH("red"))
  await list(["m", "a"])
  await Promise.all([media.setCamera(trackOf("video")), media.setMicrophone(trackOf("audio"))])
  expect(joins().at(-1)).toMatchObject({ have: { audio: true, video: true } })
})

test("a camera that goes on while a join has no answer is told to the room after it, or goes off where there is no place", async () => {
  for (const refusal of [undefined, new CommandRefused({ code: "conflict", message: "full" })]) {
    const { media, joins, problems, refusals, holdAnswer, enter, list, settle } = open()
    media.start({ audio: trackOf("audio") })
    const answer = holdAnswer()
    await enter(MESH("red"))
    await media.setCamera(trackOf("video"))
    await list(["m", "a"])
    if (refusal !== undefined) refusals.push(refusal)
    await answer()
    await settle()
    expect(joins()[1]).toMatchObject({ have: { audio: true, video: true }, resume: "m" })
    const isOn = refusal === undefined
    expect([problems, FakeConnection.made.at(-1)?.senders[1]?.track?.kind]).toEqual(
      isOn ? [[], "video"] : [["full"], undefined],
    )
    expect(joins().at(-1)).toMatchObject({ have: { audio: true, video: isOn } })
  }
})

test("a change that the server has no time for is told to the room later", async () => {
  const { media, joins, refusals } = await inCall()
  refusals.push(new CommandRefused({ code: "rate_limited", message: "later", temporary: true }))
  await media.setCamera(null)
  expect(media.state).toBe("joined")
  const before = joins().length
  await vi.advanceTimersByTimeAsync(1000)
  expect(joins().slice(before)).toMatchObject([{ have: { audio: true, video: false }, resume: "m" }])
})

test("a microphone and a camera that a host muted are off until the application turns them on after the mute", async () => {
  const { media, list, joins, settle } = await inCall()
  const told: unknown[] = []
  media.on("muted", (muted) => told.push(muted))
  const sound = () => connection(0).senders[0]?.track?.enabled
  const muted = { connectionId: "m", participantId: "p-m", name: "M", have: { audio: true, video: true } }
  await list(["m", "a"], {
    peers: [
      { ...muted, muted: ["microphone", "camera"] },
      { ...muted, connectionId: "a" },
    ],
  })
  await settle()
  expect([sound(), connection(0).senders[1]?.track, media.muted]).toEqual([false, null, ["microphone", "camera"]])
  expect(joins().at(-1)).toMatchObject({ have: { audio: true, video: false } })
  media.setMuted(false)
  await media.setCamera(trackOf("video"))
  expect([sound(), connection(0).senders[1]?.track]).toEqual([false, null])
  await list(["m", "a"])
  expect([sound(), connection(0).senders[1]?.track, media.muted]).toEqual([false, null, []])
  expect(told).toEqual([["microphone", "camera"], []])
  media.setMuted(false)
  await media.setCamera(trackOf("video"))
  await settle()
  expect([sound(), connection(0).senders[1]?.track?.kind]).toEqual([true, "video"])
})

test("stopped before the join has an answer, it leaves all the same", async () => {
  const { media, sent, holdAnswer, enter } = open()
  media.start(both())
  const answer = holdAnswer()
  await enter(MESH("red"))
  media.stop()
  await answer()
  expect([sent.at(-1), vi.getTimerCount()]).toEqual([{ t: "rtc.leave" }, 0])
})

test.each(["state", "limits", "peers", "problem"] as const)("a listener of `%s` may stop the call", async (name) => {
  const { media, enter, list, signal } = open()
  media.start(both())
  await enter(MESH("red"))
  const stop = () => media.stop()
  if (name !== "problem") media.on(name, stop)
  await list(["m", "a", "b", "z"], { iceServers: [{ urls: ["turn:t"], username: "1:p", credential: "c" }] })
  if (name === "problem") media.on(name, stop)
  await signal({ from: "z", kind: "offer", data: "garbage", gen: 0 })
  expect([media.state, media.peers, vi.getTimerCount()]).toEqual(["off", [], 0])
  expect(FakeConnection.made.every(({ connectionState }) => connectionState === "closed")).toBe(true)
})

test.each(["peers", "state"] as const)(
  "a listener of `%s` may stop the call when its room changes or ends",
  async (name) => {
    for (const isMoved of [true, false]) {
      const { media, joins, enter, list } = await inCall()
      const before = joins().length
      media.on(name, () => media.stop())
      await (isMoved ? enter(MESH("blue")) : list([], { closed: "moved" }))
      expect([media.state, vi.getTimerCount(), joins().length - before]).toEqual(["off", 0, 0])
    }
  },
)

test("a listener may stop the call before it is joined", async () => {
  const { media, sent, enter } = open()
  media.start(both())
  media.on("state", (state) => {
    if (state === "joining") media.stop()
  })
  await enter(MESH("red"))
  expect([media.state, sent]).toEqual(["off", [{ t: "rtc.leave" }]])
})

test("a browser that makes no connection is reported, and asked again later", async () => {
  let isBroken = true
  const webRtc = {
    ...FAKE_WEB_RTC,
    RTCPeerConnection: class extends FakeConnection {
      constructor(configuration: ConstructorParameters<typeof FakeConnection>[0]) {
        if (isBroken) throw new Error("too many connections")
        super(configuration)
      }
    },
  }
  const { media, problems, enter, list } = open(webRtc)
  media.start(both())
  await enter(MESH("red"))
  await list(["m", "a"])
  expect([media.state, problems]).toEqual(["joined", ["link"]])
  isBroken = false
  await vi.advanceTimersByTimeAsync(9000)
  expect(FakeConnection.made).toHaveLength(1)
})

test("what a connection was asked when it was given up never settles, and does not hold up the next one", async () => {
  const webRtc = {
    ...FAKE_WEB_RTC,
    RTCPeerConnection: class extends FakeConnection {
      override setLocalDescription(): Promise<void> {
        const settled = super.setLocalDescription()
        return FakeConnection.made[0] === this ? new Promise(() => undefined) : settled
      }
    },
  }
  const { media, signals, enter, list } = open(webRtc)
  media.start(both())
  await enter(MESH("red"))
  await list(["m", "a"])
  expect([FakeConnection.made.length, signals()]).toEqual([1, []])
  await vi.advanceTimersByTimeAsync(9000)
  expect(signals()).toMatchObject([{ kind: "offer", gen: 1 }])
})

test("a participant without the right to call is out of it, and joins again with the right", async () => {
  const { media, joins, enter, now } = await inCall()
  now.can = []
  await enter(MESH("red"))
  expect([media.state, media.peers]).toEqual(["waiting", []])
  now.can = ["rtc.join"]
  const before = joins().length
  await enter(MESH("red"))
  expect([media.state, joins().length - before]).toEqual(["joining", 1])
})

test("a camera that goes on or off does not take the call back from another tab", async () => {
  const { media, joins, list } = await inCall()
  await list([], { closed: "replaced" })
  const before = joins().length
  await media.setCamera(null)
  await media.setCamera(trackOf("video"))
  expect([media.state, joins().length - before]).toEqual(["refused", 0])
  media.retry()
  expect(joins().length - before).toBe(1)
})

test("a microphone that follows a muted one is muted too", async () => {
  const { media } = await inCall()
  media.setMuted(true)
  const other = trackOf("audio")
  await media.setMicrophone(other)
  expect(other.enabled).toBe(false)
  media.setMuted(false)
  expect(other.enabled).toBe(true)
})
