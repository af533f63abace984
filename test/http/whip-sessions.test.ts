/** An offer whose answer takes a while: what becomes of its broadcast and its address meanwhile. The tests play the media server's process. */
import { describe, expect, test } from "vitest"
import { WhipSession } from "../../src/http/media/broadcasts/whip-session.ts"
import { OpenBroadcasts } from "../../src/media/live/open-broadcasts.ts"
import { ownPort } from "../../src/media/placed/encoder-port.ts"
import { EncoderSessions } from "../../src/media/rooms/encoder-sessions.ts"
import type { SfuTask } from "../../src/sfu/process-protocol.ts"
import { openLog } from "../../src/telemetry/telemetry.ts"
import { fixture } from "../media/broadcast/support.ts"
import { keptBroadcast } from "../support/broadcast-owner.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const ID = "0197a000-0000-7000-8000-0000000000b2"
const STREAM = fixture("ffmpeg-stream.mp4")

/** A broadcast with an encoder, and the offer of another one, which is admitted. */
const openOffer = async () => {
  const { timers } = await openVirtualTime()
  const broadcasts = new OpenBroadcasts(timers, openLog("silent"))
  const stored: Array<number> = []
  const onStored = ({ bytes }: { readonly bytes: number }): void => void stored.push(bytes)
  const one = keptBroadcast(timers, { id: ID, maxKbps: 100_000, isReady: Promise.resolve(), onStored })
  broadcasts.add(ID, one)
  const cuts: Array<string> = []
  one.input.openStream(() => cuts.push("the encoder before"), "before")
  const tasks: Array<SfuTask> = []
  const sessions = new EncoderSessions((task) => tasks.push(task), timers)
  const calls = { address: () => {}, request: () => {} }
  const session = new WhipSession(new Uint8Array(32), () => cuts.push("the session"))
  const begin = (isAborted = false) =>
    session.begin(ownPort(one, null, "offer"), {
      server: { openEncoder: (sdp, listener) => sessions.open(sdp, 8000, listener) },
      sdp: "offer",
      follow: (end) => {
        calls.address = end
        return () => {}
      },
      whenAborted: (call) => {
        calls.request = call
        if (isAborted) call()
      },
    })
  const sessionId = (): string => {
    const [task] = tasks
    return task?.type === "openEncoder" ? task.session : ""
  }
  const answer = () => sessions.hear({ type: "encoderAnswer", session: sessionId(), sdp: "answer" })
  return { broadcasts, one, stored, cuts, tasks, sessions, session, calls, begin, answer, sessionId }
}

type Offer = Awaited<ReturnType<typeof openOffer>>

describe("an offer that is answered after", () => {
  test.each<readonly [string, (offer: Offer) => unknown, ReadonlyArray<string>]>([
    ["the end of its broadcast", ({ broadcasts }) => broadcasts.end(ID), ["the encoder before"]],
    ["its broadcast left the process", ({ broadcasts, one }) => broadcasts.drop(ID, one), ["the encoder before"]],
    ["the end of its address", ({ calls }) => calls.address(), []],
    ["the request was aborted", ({ calls }) => calls.request(), []],
    ["the end of the media server", ({ sessions }) => sessions.endAll(), []],
  ])("%s is refused, sends nothing, and cuts nobody", async (_, meanwhile, cut) => {
    const offer = await openOffer()
    const begun = offer.begin().catch((cause: unknown) => cause)
    expect(offer.tasks.map(({ type }) => type)).toEqual(["openEncoder"])
    await meanwhile(offer)
    expect(offer.cuts.filter((name) => name === "the encoder before")).toEqual(cut)
    offer.answer()
    expect(await begun).toMatchObject({ _tag: "Unavailable" })
    expect(offer.tasks.map(({ type }) => type)).toEqual(["openEncoder", "closeEncoder"])
    expect(offer.cuts.filter((name) => name === "the encoder before")).toEqual(cut)
    expect(offer.cuts).toContain("the session")
    expect(offer.one.input.hasStream).toBe(cut.length === 0)
    await offer.broadcasts.closed(ID)
  })

  test("a while, and after nothing else, cuts the encoder before", async () => {
    const offer = await openOffer()
    const begun = offer.begin()
    expect(offer.cuts).toEqual([])
    offer.answer()
    expect(await begun).toBe("answer")
    expect(offer.cuts).toEqual(["the encoder before"])
    expect(offer.one.input.hasStream).toBe(true)
    offer.session.leave()
    expect(offer.one.input.hasStream).toBe(false)
  })
})

test("an offer whose request was aborted while it was admitted opens no session", async () => {
  const offer = await openOffer()
  await expect(offer.begin(true)).rejects.toMatchObject({ _tag: "Unavailable" })
  expect([offer.tasks, offer.one.input.hasStream]).toEqual([[], true])
})

test("a session that is finished has stored the pieces that came after it was asked to", async () => {
  const offer = await openOffer()
  const begun = offer.begin()
  offer.answer()
  await begun
  const half = Math.floor(STREAM.byteLength / 2)
  const piece = (bytes: Uint8Array, isInit: boolean) =>
    offer.sessions.hear({ type: "encoderPiece", session: offer.sessionId(), isInit, bytes })
  piece(STREAM.subarray(0, half), true)
  const finished = offer.session.finish()
  piece(STREAM.subarray(half), false)
  offer.sessions.hear({ type: "encoderEnded", session: offer.sessionId() })
  await finished
  const direct = await openOffer()
  const input = direct.one.input.openStream(() => {})
  input.write(STREAM)
  input.end()
  await direct.one.live.settled()
  expect(direct.stored.length).toBeGreaterThan(1)
  expect(offer.stored).toEqual(direct.stored)
})
