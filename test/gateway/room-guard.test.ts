/** What the guard of the media server's rooms makes of messages that come while it reads an event. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { FeedMessage } from "../../src/actors/feed.ts"
import { NO_PHASE } from "../../src/actors/state/state.ts"
import { RoomGuard, type RoomGuardServices } from "../../src/gateway/expulsion/room-guard.ts"
import type { Arrival } from "../../src/media/livekit/server-messages.ts"
import { Listeners } from "../../src/model/listeners.ts"
import { eventually } from "../support/wait.ts"

const EVENT = "00000000-0000-7000-8000-00000000000e"
const PHASE = { ...NO_PHASE, id: "phase1", modality: "meeting" }

const reading = (version: number, given: object = {}) => ({
  snapshot: {
    version,
    phase: PHASE,
    event: { status: "live" },
    seats: {},
    removed: [],
    admissions: {},
    roles: {},
    ...given,
  },
})

/** `seen`: what the media server answers to each look at its rooms. */
const guarded = ({ sweepMs = 3_600_000, seen = () => [] as string[] } = {}) => {
  const expelled: string[] = []
  const readings: ((found: ReturnType<typeof reading>) => void)[] = []
  const listeners = new Set<(message: FeedMessage) => void>()
  const server = {
    rooms: Effect.sync(seen),
    people: () => Effect.succeed([{ identity: "ada", metadata: "" }]),
    expel: (_room: string, participantId: string) => Effect.sync(() => void expelled.push(participantId)),
    close: () => Effect.void,
  }
  const services = {
    live: { read: () => Effect.promise(() => new Promise((resolve) => readings.push(resolve))) },
    feed: {
      subscribe: (_eventId: string, listener: (message: FeedMessage) => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    timers: { now: () => 0 },
    arrivals: new Listeners<Arrival>(),
    sweepMs,
    moveMs: 3000,
    media: { basisOf: () => undefined },
    database: { run: (body: (sql: null) => Promise<unknown>) => Effect.promise(() => body(null)) },
    telemetry: { log: { warn: () => {}, error: () => {}, debug: () => {} } },
    fork: Effect.runFork,
  } as unknown as RoomGuardServices
  const guard = new RoomGuard(server, services)
  const say = (from: number, version: number, given: object = {}) => {
    const message = {
      kind: "commit",
      from,
      version,
      status: "live",
      phase: PHASE,
      participantChanges: [],
      ejections: [],
    }
    for (const listener of listeners) listener({ ...message, ...given } as unknown as FeedMessage)
  }
  return { guard, expelled, readings, listeners, say }
}

test("a removal whose message came while the event was read is not missed", async () => {
  const { guard, expelled, readings, say } = guarded()
  guard.follow(EVENT)
  await eventually(() => readings.length === 1, "the event is read")
  say(1, 2, { participantChanges: [{ participantId: "ada", barred: true }] })
  readings[0]?.(reading(1))
  await eventually(() => readings.length === 2, "the event is read again")
  readings[1]?.(reading(2, { removed: ["ada"] }))
  await eventually(() => expelled.includes("ada"), "the participant is out")
  guard.stop()
})

test("a right that ends before the event is read takes the seat when it has been", async () => {
  const { guard, expelled, readings } = guarded()
  guard.follow(EVENT)
  guard.expel(EVENT, "ada")
  await eventually(() => readings.length === 1, "the event is read")
  readings[0]?.(reading(1))
  await eventually(() => expelled.includes("ada"), "the participant is out")
  guard.stop()
})

test("an event that has ended when it is read is followed no longer", async () => {
  const { guard, readings, listeners } = guarded()
  guard.follow(EVENT)
  await eventually(() => readings.length === 1, "the event is read")
  readings[0]?.(reading(1, { event: { status: "ended" } }))
  await eventually(() => listeners.size === 0, "nobody listens")
  guard.stop()
})

test("a look leaves whoever was moved the time to get to the next room", async () => {
  const [red, blue] = ["00000000-0000-7000-8000-0000000000aa", "00000000-0000-7000-8000-0000000000bb"]
  const atLooks: number[] = []
  const { guard, expelled, readings } = guarded({
    sweepMs: 1,
    seen: () => {
      atLooks.push(expelled.length)
      return [`${EVENT}:${red}`]
    },
  })
  for (let n = 0; n < 3; n++) {
    await eventually(() => readings.length > n, "the event is read for a look")
    readings[n]?.(reading(1, { seats: { ada: blue, ben: red } }))
  }
  await eventually(() => atLooks.length >= 3, "three looks")
  expect(atLooks.slice(0, 3)).toEqual([0, 0, 0])
  await eventually(() => expelled.includes("ada"), "the participant is out of the room before")
  guard.stop()
})
