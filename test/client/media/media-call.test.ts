/** `MediaCall` against a gateway and a browser that the test plays: which call it is in, and what ends its connections. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { CommandRefused } from "../../../packages/client/src/connection/pending-commands.ts"
import type { CallGateway } from "../../../packages/client/src/media/call-gateway.ts"
import { MediaCall } from "../../../packages/client/src/media/media-call.ts"
import { FakeConnection, trackOf } from "./browser.ts"
import { both, connection, inCall, MESH, open } from "./call.ts"

beforeEach(() => {
  vi.useFakeTimers()
  FakeConnection.made = []
})
afterEach(() => void vi.useRealTimers())

test("it joins the call of its room once it was started, with the tracks it has", async () => {
  const { media, joins, enter, settle } = open()
  await enter(MESH("red"))
  expect([media.state, joins()]).toEqual(["off", []])
  media.start({ audio: trackOf("audio") })
  await settle()
  expect(joins()).toEqual([{ t: "rtc.join", roomId: "red", have: { audio: true, video: false } }])
  expect(media.state).toBe("joining")
})

test("the greater id offers, with its tracks; to the others it waits for an offer", async () => {
  const { media, signals } = await inCall()
  expect(media.state).toBe("joined")
  expect(media.peers.map(({ name, state }) => [name, state])).toEqual([
    ["a", "connecting"],
    ["z", "connecting"],
  ])
  expect(FakeConnection.made).toHaveLength(1)
  expect(connection(0).senders.map(({ track }) => track?.kind)).toEqual(["audio", "video"])
  expect(signals()).toEqual([{ t: "rtc.signal", to: "a", kind: "offer", data: "sdp 0", gen: 0 }])
})

test("an offer is answered with the tracks, which are added after it, and the limits are applied", async () => {
  const { signal, signals } = await inCall()
  await signal({ from: "z", kind: "offer", data: "theirs", gen: 0 })
  expect(connection(1).remote).toEqual([{ type: "offer", sdp: "theirs" }])
  expect(connection(1).senders.map(({ track }) => track?.kind)).toEqual(["audio", "video"])
  expect(signals().at(-1)).toEqual({ t: "rtc.signal", to: "z", kind: "answer", data: "sdp 0", gen: 0 })
  expect(connection(1).senders[1]?.getParameters().encodings).toEqual([
    { active: true, maxBitrate: 150_000, maxFramerate: 15, scaleResolutionDownBy: 2 },
  ])
})

test("signals of strangers, and candidates that are no JSON, harm nobody", async () => {
  const { signal, problems } = await inCall()
  await signal({ from: "stranger", kind: "offer", data: "v", gen: 9 })
  await signal({ from: "a", kind: "candidates", data: ["{", '{"candidate":"c"}'], gen: 0 })
  expect([FakeConnection.made.length, connection(0).candidates, problems]).toEqual([1, [{ candidate: "c" }], []])
})

test("two offers at once: the greater id keeps its own, the other side gives way and attaches its tracks again", async () => {
  const { signal } = await inCall()
  await signal({ from: "a", kind: "offer", data: "theirs", gen: 0 })
  expect(connection(0).remote).toEqual([])
  await signal({ from: "z", kind: "offer", data: "first", gen: 0 })
  const [, waiting] = FakeConnection.made
  waiting?.restartIce()
  await vi.advanceTimersByTimeAsync(0)
  expect(waiting?.signalingState).toBe("have-local-offer")
  await signal({ from: "z", kind: "offer", data: "second", gen: 0 })
  expect([waiting?.signalingState, waiting?.remote.at(-1)?.sdp]).toEqual(["stable", "second"])
  expect(waiting?.senders.map(({ replaced }) => replaced)).toEqual([
    [null, "audio"],
    [null, "video"],
  ])
})

test("a description that the browser refuses is reported, and the connection to that peer alone made anew", async () => {
  const { signal, signals, problems } = await inCall()
  await signal({ from: "z", kind: "offer", data: "garbage", gen: 0 })
  expect([problems, connection(1).connectionState, connection(0).connectionState]).toEqual([["link"], "closed", "new"])
  await vi.advanceTimersByTimeAsync(1000)
  expect(signals().at(-1)).toMatchObject({ to: "z", kind: "offer", gen: 1 })
})

test("who is not listed any more is closed, with every handler removed and every timer stopped", async () => {
  const { media, list } = await inCall()
  await list(["m"])
  const { connectionState, onnegotiationneeded, onconnectionstatechange, onicecandidate, ontrack } = connection(0)
  expect([connectionState, onnegotiationneeded, onconnectionstatechange, onicecandidate, ontrack]).toEqual([
    "closed",
    null,
    null,
    null,
    null,
  ])
  expect([media.peers, vi.getTimerCount()]).toEqual([[], 0])
})

test("a connection that does not come about is made anew after eight seconds and a wait", async () => {
  const { signals } = await inCall()
  await vi.advanceTimersByTimeAsync(8000)
  expect(connection(0).connectionState).toBe("closed")
  await vi.advanceTimersByTimeAsync(1000)
  expect(signals().at(-1)).toMatchObject({ to: "a", kind: "offer", gen: 1 })
})

test("an interrupted connection is restarted with fresh credentials", async () => {
  const { joins } = await inCall()
  connection(0).become("connected")
  connection(0).become("disconnected")
  const before = joins().length
  await vi.advanceTimersByTimeAsync(2000)
  expect([connection(0).restarts, joins().length - before, connection(0).configurations.length]).toEqual([1, 1, 2])
})

test("a lost socket ends nothing; after it the same call is resumed, and an offer without an answer is sent again", async () => {
  const { joins, signals, become, list } = await inCall()
  await become("waiting")
  expect(connection(0).connectionState).toBe("new")
  const before = signals().length
  await become("ready")
  expect(joins().at(-1)).toMatchObject({ roomId: "red", resume: "m" })
  await list(["m", "a", "z"])
  expect(signals().length).toBe(before + 1)
  expect([signals().at(-1)?.data, FakeConnection.made.length]).toEqual(["sdp 0", 1])
})

test("under another id, as after a restart of the server, every connection is made anew", async () => {
  const { list, media } = await inCall()
  await list(["a", "z", "n"], { connectionId: "n" })
  expect(connection(0).connectionState).toBe("closed")
  expect(FakeConnection.made).toHaveLength(2)
  expect(media.peers).toHaveLength(2)
})

test("in another room the call is another one, with the same tracks; in a room without a call there is none", async () => {
  const { media, joins, enter, list } = await inCall()
  await enter(MESH("blue"))
  expect([connection(0).connectionState, media.peers]).toEqual(["closed", []])
  expect(joins().at(-1)).toEqual({ t: "rtc.join", roomId: "blue", have: { audio: true, video: true } })
  // A list of the room that was left comes late.
  await list(["m", "a"])
  expect(media.peers).toEqual([])
  await enter(null)
  expect(media.state).toBe("waiting")
  expect(vi.getTimerCount()).toBe(0)
})

test("a call that is full is reported with the server's words, and tried again when asked", async () => {
  const { media, problems, joins, refusals, enter } = open()
  refusals.push(new CommandRefused({ code: "conflict", message: "at most 6" }))
  media.start(both())
  await enter(MESH("red"))
  expect([media.state, problems]).toEqual(["refused", ["full"]])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(joins()).toHaveLength(1)
  media.retry()
  expect(joins()).toHaveLength(2)
})

test("a room that the server does not see us in yet is tried again, and no more after we left it", async () => {
  const { media, joins, refusals, enter } = open()
  for (let n = 0; n < 9; n++) refusals.push(new CommandRefused({ code: "not_found", message: "not here" }))
  media.start(both())
  await enter(MESH("red"))
  await vi.advanceTimersByTimeAsync(3000)
  expect(joins()).toHaveLength(3)
  await enter(null)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(joins()).toHaveLength(3)
})

test("another tab that joins ends the call here, and it is not taken back unasked", async () => {
  const { media, problems, joins, list, become } = await inCall()
  const before = joins().length
  await list([], { closed: "replaced" })
  expect([media.state, problems, connection(0).connectionState]).toEqual(["refused", ["replaced"], "closed"])
  await become("ready")
  await vi.advanceTimersByTimeAsync(60_000)
  expect(joins()).toHaveLength(before)
})

test("a seat on a media server is the application's, and a platform without WebRTC is reported", async () => {
  const { media, problems, joins, enter } = open()
  media.start(both())
  await enter({ provider: "livekit", url: "wss://media.example", token: "t" })
  expect([problems, joins()]).toEqual([["mediaServer"], []])
  const bare = new MediaCall({ on: () => () => undefined } as unknown as CallGateway)
  const found: string[] = []
  bare.on("problem", ({ code }) => found.push(code))
  bare.start()
  expect([found, bare.state]).toEqual([["unsupported"], "off"])
})

test("the camera goes off without a negotiation, and stays off where the room has no place for its picture", async () => {
  const { media, problems, joins, refusals } = await inCall()
  await media.setCamera(null)
  expect(joins().at(-1)).toMatchObject({ have: { audio: true, video: false }, resume: "m" })
  await vi.advanceTimersByTimeAsync(0)
  expect(connection(0).senders.map(({ track }) => track?.kind)).toEqual(["audio", undefined])
  refusals.push(new CommandRefused({ code: "conflict", message: "full" }))
  await media.setCamera(trackOf("video"))
  await vi.advanceTimersByTimeAsync(0)
  expect([problems, connection(0).senders[1]?.track]).toEqual([["full"], null])
  await media.setCamera(trackOf("video"))
  await vi.advanceTimersByTimeAsync(0)
  expect(connection(0).senders[1]?.track?.kind).toBe("video")
})

test("credentials are asked for again before they end, for as long as the call lasts", async () => {
  const { media, joins, list } = await inCall()
  const iceServers = [{ urls: ["turn:turn.example"], username: "1:p", credential: "c" }]
  await list(["m", "a"], { iceServers })
  const before = joins().length
  await vi.advanceTimersByTimeAsync(50 * 60_000)
  expect(joins().length - before).toBe(1)
  expect(joins().at(-1)).toMatchObject({ resume: "m" })
  await vi.advanceTimersByTimeAsync(50 * 60_000)
  expect(joins().length - before).toBe(2)
  media.stop()
  await vi.advanceTimersByTimeAsync(50 * 60_000)
  expect(joins().length - before).toBe(2)
})

test("muted, the track is silent and stays in the call", async () => {
  const call = open()
  const { audio, video } = both()
  call.media.start({ audio, video })
  call.media.setMuted(true)
  expect(audio.enabled).toBe(false)
  call.media.setMuted(false)
  expect(audio.enabled).toBe(true)
})

test("after stop nothing is left: no connection, no timer, and the server knows", async () => {
  const { media, sent, enter } = await inCall()
  media.stop()
  expect([connection(0).connectionState, media.state, vi.getTimerCount()]).toEqual(["closed", "off", 0])
  expect(sent.at(-1)).toEqual({ t: "rtc.leave" })
  const { length } = sent
  await enter(MESH("blue"))
  expect(sent).toHaveLength(length)
})
