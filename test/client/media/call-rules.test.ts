/** The pure rules of a call at the client. */
import { expect, test } from "vitest"
import {
  afterRefusal,
  linkChanges,
  pictureEncoding,
  presentSeat,
} from "../../../packages/client/src/media/call-rules.ts"
import type { EventState } from "../../../packages/client/src/state/event-state.ts"

const mesh = (roomId: string) => ({ provider: "mesh", roomId }) as const

const peer = (connectionId: string) => ({
  connectionId,
  participantId: `p-${connectionId}`,
  name: connectionId,
  have: { audio: true, video: true },
})

const stateIn = (roomId: string | null, rooms: object = {}) =>
  ({
    me: { roomId },
    media: mesh("main"),
    rooms: { assignment: null, round: null, ...rooms },
  }) as unknown as EventState

test("the seat is that of the room one is in: the main one, the assigned one, that of the round", () => {
  expect(presentSeat(stateIn(null))).toEqual(mesh("main"))
  expect(presentSeat(stateIn("red", { assignment: { roomId: "red", media: mesh("red") } }))).toEqual(mesh("red"))
  expect(presentSeat(stateIn("r1", { round: { roomId: "r1", media: mesh("r1") } }))).toEqual(mesh("r1"))
})

test("before the dispatch of the room has come, and in a room without a call, there is no seat", () => {
  expect(presentSeat(stateIn("red"))).toBeNull()
  expect(presentSeat(stateIn("red", { assignment: { roomId: "blue", media: mesh("blue") } }))).toBeNull()
  expect(presentSeat(stateIn("red", { assignment: { roomId: "red" } }))).toBeNull()
})

test("a list closes the links to those who are gone and opens links to newcomers, and none to oneself", () => {
  const list = { connectionId: "me", peers: [peer("me"), peer("b"), peer("c")] }
  const { close, open } = linkChanges(["a", "b"], list, "me")
  expect([close, open.map(({ connectionId }) => connectionId)]).toEqual([["a"], ["c"]])
  expect(linkChanges(["b", "c"], list, "me")).toEqual({ close: [], open: [] })
})

test("under another id of one's own every link is made anew, because the peers have closed theirs", () => {
  const { close, open } = linkChanges(["a", "b"], { connectionId: "me2", peers: [peer("b"), peer("me2")] }, "me")
  expect([close, open.map(({ connectionId }) => connectionId)]).toEqual([["a", "b"], ["b"]])
})

const LIMIT = { width: 320, height: 180, frameRate: 15, maxKbps: 150 }

test.each([
  [{ width: 640, height: 360 }, 2],
  [{ width: 1280, height: 720 }, 4],
  [{ width: 160, height: 90 }, 1],
  [{ width: 320, height: 320 }, 320 / 180],
  [{}, 1],
])("a picture of %o is scaled down by %d, and never up", (captured, scale) => {
  expect(pictureEncoding(LIMIT, captured)).toEqual({
    active: true,
    maxBitrate: 150_000,
    maxFramerate: 15,
    scaleResolutionDownBy: scale,
  })
})

test("without a place for pictures none is sent", () => {
  expect(pictureEncoding(null, { width: 640, height: 360 })).toEqual({ active: false })
})

test.each([
  ["conflict", "full"],
  ["not_found", "retry"],
  ["unavailable", "retry"],
  ["rate_limited", "retry"],
  ["forbidden", "wait"],
  ["wrong_phase", "wait"],
])("after %s: %s", (code, next) => {
  expect(afterRefusal(code)).toBe(next)
})
