/**
 * Replay in memory, against the plainest model there is: a list of everything that was ever said. A position is either
 * continued exactly, word for word, or not at all; and it is continued whenever the limits say so.
 */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Connection } from "../../src/gateway/connection/connection.ts"
import type { EventSubscriber } from "../../src/gateway/recovery/event-subscriber.ts"
import { ReplayBuffers } from "../../src/gateway/recovery/replay-buffers.ts"
import { whyNoReplay } from "../../src/gateway/recovery/resume-check.ts"
import { type StreamName, streamsOf } from "../../src/gateway/streams/stream-names.ts"
import { roomStream } from "../../src/model/live/streams.ts"

const MAX_AGE_MS = 1000
const MAX_ENTRIES = 8
const STREAMS: ReadonlyArray<StreamName> = ["event", "staff", roomStream("red"), "me:p", "me:q"]

type Act =
  | { readonly act: "say"; readonly stream: StreamName }
  | { readonly act: "wait"; readonly ms: number }
  | { readonly act: "restart" }

const stream = fc.constantFrom(...STREAMS)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant("say" as const), stream }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 700 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("restart" as const) }) },
)

interface Said {
  readonly frame: string
  readonly at: number
}

/** Plays the acts on real buffers and in the model. */
const play = (acts: ReadonlyArray<Act>) => {
  let buffers = new ReplayBuffers(MAX_AGE_MS, MAX_ENTRIES)
  const said = new Map<StreamName, Said[]>(STREAMS.map((name) => [name, []]))
  const of = (name: StreamName): Said[] => said.get(name) ?? []
  /** The dispatches of a stream within the limits of number and age: the newest. */
  const kept = (name: StreamName, now: number): number =>
    Math.min(MAX_ENTRIES, of(name).filter(({ at }) => now - at <= MAX_AGE_MS).length)
  let now = 0
  // Somebody is here as p; q has gone, and is looked up when they come back.
  const isConnected = (participantId: string): boolean => participantId === "p"
  const learn = (): void => {
    for (const name of STREAMS.filter((stream) => !buffers.knows(stream))) {
      expect(buffers.covers(name, of(name).length)).toBe(false)
      buffers.learn({ [name]: of(name).length }, [])
    }
  }
  learn()
  for (const one of acts) {
    if (one.act === "say") {
      const frame = `${one.stream} ${of(one.stream).length + 1}`
      of(one.stream).push({ frame, at: now })
      const publication = {
        stream: one.stream,
        s: of(one.stream).length,
        version: 1,
        at: new Date(now).toISOString(),
        frame,
      }
      expect(buffers.push(publication, now)).toEqual({ frame })
    } else if (one.act === "wait") {
      now += one.ms
      buffers.trim(now, isConnected)
    } else {
      // A new process reads what the store keeps: no more than the limits.
      const stored = STREAMS.flatMap((name) =>
        of(name)
          .map(({ frame, at }, index) => ({
            stream: name,
            s: index + 1,
            version: 1,
            at: new Date(at).toISOString(),
            frame,
          }))
          .slice(of(name).length - kept(name, now)),
      )
      buffers = new ReplayBuffers(MAX_AGE_MS, MAX_ENTRIES)
      buffers.restore(Object.fromEntries(STREAMS.map((name) => [name, of(name).length])), stored)
    }
  }
  buffers.trim(now, isConnected)
  learn()
  return { buffers, of, kept: (name: StreamName) => kept(name, now) }
}

test("every position of every stream is continued word for word exactly while it is within the limits", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const { buffers, of, kept } = play(acts)
      for (const name of STREAMS) {
        const all = of(name).map(({ frame }) => frame)
        expect(buffers.head(name)).toBe(all.length)
        for (let cursor = -1; cursor <= all.length + 1; cursor++) {
          const isWithin = cursor <= all.length && cursor >= all.length - kept(name)
          expect([name, cursor, buffers.covers(name, cursor)]).toEqual([name, cursor, isWithin])
          if (isWithin)
            expect(buffers.between(name, cursor, all.length).map(({ frame }) => frame)).toEqual(all.slice(cursor))
        }
      }
    }),
    { numRuns: 1000 },
  )
})

test("a client goes on from all of its positions or from none, and receives the reason", () => {
  const EPOCH = "epoch"
  const identity = { participantId: "p", name: "P", kind: "user", userId: "p", walkIn: false } as const
  /** How far behind a client is in each of its streams; now and then ahead, or with a stream that is not its own. */
  const behind = fc.oneof(
    { weight: 6, arbitrary: fc.nat(3) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 12 }) },
  )
  const odd = fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom("staff", "room:blue") },
  )
  const SAY: Act = { act: "say", stream: "event" }
  const PAUSE: Act = { act: "wait", ms: 700 }
  const outcomes = new Map<string, number>()
  fc.assert(
    fc.property(
      fc.array(act, { maxLength: 60 }),
      fc.array(behind, { minLength: 4, maxLength: 4 }),
      odd,
      fc.constantFrom("host" as const, "participant" as const),
      fc.constantFrom("red", null),
      fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      (acts, behindBy, extra, role, roomId, isSameEpoch) => {
        const { buffers, of, kept } = play(acts)
        const streams = streamsOf({ ...identity, role }, roomId)
        const connection = { identity: { ...identity, role }, roomId, streams } as unknown as Connection
        const follower = { epoch: EPOCH, buffers } as unknown as EventSubscriber
        const wire = (name: StreamName): string => (name.startsWith("me:") ? "me" : name)
        const given: { [stream: string]: number } = extra === null ? {} : { [extra]: 0 }
        for (const [index, name] of streams.entries()) given[wire(name)] = of(name).length - (behindBy[index] ?? 0)
        const why = whyNoReplay(follower, connection, { epoch: isSameEpoch ? EPOCH : "before", cursors: given })
        outcomes.set(why ?? "replay", (outcomes.get(why ?? "replay") ?? 0) + 1)
        const isWithin = (name: StreamName): boolean => {
          const at = given[wire(name)] ?? -1
          return at <= of(name).length && at >= of(name).length - kept(name) && at >= 0
        }
        const isExact =
          isSameEpoch &&
          streams.every(isWithin) &&
          Object.keys(given).every((name) => streams.some((own) => wire(own) === name))
        expect(why === undefined).toBe(isExact)
        if (why === "expired") expect(streams.every((name) => (given[wire(name)] ?? 0) <= of(name).length)).toBe(true)
      },
    ),
    {
      numRuns: 2000,
      // Each outcome once, so that the last look does not depend on chance.
      examples: [
        [[SAY], [1, 0, 0, 0], null, "participant", null, true],
        [[SAY], [1, 0, 0, 0], null, "participant", null, false],
        [[SAY, PAUSE, PAUSE], [1, 0, 0, 0], null, "participant", null, true],
        [[SAY], [-1, 0, 0, 0], null, "participant", null, true],
        [[SAY], [0, 0, 0, 0], "staff", "participant", null, true],
      ],
    },
  )
  expect([...outcomes.keys()].sort()).toEqual(["epoch", "expired", "gap", "replay", "roleChanged"])
})
