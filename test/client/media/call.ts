/** `MediaCall` with the gateway and the browser that a test plays. */
import { expect, vi } from "vitest"
import { Emitter } from "../../../packages/client/src/connection/emitter.ts"
import type { CallGateway } from "../../../packages/client/src/media/call-gateway.ts"
import type { PeerList } from "../../../packages/client/src/media/call-rules.ts"
import { MediaCall } from "../../../packages/client/src/media/media-call.ts"
import type { EventState } from "../../../packages/client/src/state/event-state.ts"
import type { ConnectionStatus } from "../../../packages/client/src/wire.ts"
import { FAKE_WEB_RTC, FakeConnection, trackOf } from "./browser.ts"

type Sent = any // commands of three kinds, looked into by assertions

export const MESH = (roomId: string) => ({ provider: "mesh", roomId }) as const
const LIMITS = {
  maxPeers: 6,
  maxAudioPeers: 8,
  video: { width: 320, height: 180, frameRate: 15, maxKbps: 150 },
  audio: { maxKbps: 40 },
}

export const open = (webRtc = FAKE_WEB_RTC) => {
  const events = new Emitter<Parameters<CallGateway["on"]> extends [unknown, unknown] ? Sent : never>()
  const sent: Sent[] = []
  /** Answers of `rtc.join`, in order; by default it is accepted. */
  const refusals: Array<Error | undefined> = []
  /** The answers of `rtc.join` wait for these, in order. */
  const waits: Array<Promise<void>> = []
  const now: { status: ConnectionStatus; state: EventState | undefined; can: ReadonlyArray<string> } = {
    status: "ready",
    state: undefined,
    can: ["rtc.join"],
  }
  const gateway = {
    get status() {
      return now.status
    },
    get state() {
      return now.state
    },
    on: events.on,
    command: (t: string, d: object) => {
      sent.push({ t, ...d })
      const refusal = t === "rtc.join" ? refusals.shift() : undefined
      if (refusal !== undefined) return Promise.reject(refusal)
      const { resume } = d as { readonly resume?: string }
      const answer = { d: { connectionId: resume ?? "m", resumed: resume !== undefined } }
      return (t === "rtc.join" ? (waits.shift() ?? Promise.resolve()) : Promise.resolve()).then(() => answer)
    },
  } as unknown as CallGateway
  const media = new MediaCall(gateway, webRtc)
  const problems: string[] = []
  media.on("problem", ({ code }) => problems.push(code))
  const settle = () => vi.advanceTimersByTimeAsync(0)
  /** The event's state: in this room, or in the main room whose call this is. */
  const enter = async (seat: object | null, roomId: string | null = null) => {
    const me = { roomId, can: now.can }
    now.state = { me, media: seat, rooms: { assignment: null, round: null } } as unknown as EventState
    events.emit("state", now.state)
    await settle()
  }
  const become = async (status: ConnectionStatus) => {
    now.status = status
    events.emit("status", status)
    await settle()
  }
  const list = async (ids: ReadonlyArray<string>, more: Partial<PeerList> = {}) => {
    const peers = ids.map((id) => ({
      connectionId: id,
      participantId: `p-${id}`,
      name: id,
      have: { audio: true, video: true },
    }))
    events.emit("rtc.peers", {
      roomId: "red",
      connectionId: "m",
      peers,
      limits: LIMITS,
      iceServers: [],
      policy: "all",
      ...more,
    })
    await settle()
  }
  const signal = async (d: object) => {
    events.emit("rtc.signal", d)
    await settle()
  }
  const joins = () => sent.filter(({ t }) => t === "rtc.join")
  const signals = () => sent.filter(({ t }) => t === "rtc.signal")
  /** The next answer of `rtc.join` waits for the call of the function. */
  const holdAnswer = () => {
    let resolve = () => {}
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    waits.push(promise)
    return async () => {
      resolve()
      await settle()
    }
  }
  return { media, problems, sent, joins, signals, refusals, now, holdAnswer, enter, become, list, signal, settle }
}

export const both = () => ({ audio: trackOf("audio"), video: trackOf("video") })

export const connection = (n: number): FakeConnection => FakeConnection.made[n] ?? expect.fail(`no connection ${n}`)

export const inCall = async () => {
  const call = open()
  call.media.start(both())
  await call.enter(MESH("red"))
  await call.list(["m", "a", "z"])
  return call
}
