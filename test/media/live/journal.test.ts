/** How long the journal of a broadcast waits for a database that is away. */
import { Clock, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect, onTestFinished, test } from "vitest"
import type { SegmentEvent } from "../../../src/media/broadcast/segments.ts"
import { openJournal } from "../../../src/media/live/journal.ts"
import { MediaStorage } from "../../../src/media/storage/storage.ts"
import { Unavailable } from "../../../src/model/errors.ts"
import { Database } from "../../../src/store/database.ts"

const EVENT: SegmentEvent = {
  type: "segment",
  segment: {
    number: 0,
    take: 1,
    offset: 100,
    bytes: 3,
    startMs: 0,
    durationMs: 2000,
    isDiscontinuous: false,
    at: 0,
  },
  parts: [],
  data: [Uint8Array.of(1, 2, 3)],
}

const openHouse = async (mayWait: () => boolean) => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const clock = await Effect.runPromise(Scope.provide(TestClock.make(), scope))
  const state = { isAway: false, statements: 0, written: 0 }
  const database = {
    run: () =>
      Effect.suspend(() => {
        state.statements += 1
        return state.isAway ? new Unavailable({ detail: "away", retryAfterSeconds: 1 }) : Effect.succeed(true)
      }),
  }
  const file = {
    append: async (chunks: ReadonlyArray<Uint8Array>) => {
      state.written += chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
    },
    close: () => Promise.resolve(),
  }
  const storage = { grow: () => Effect.succeed(file), free: Effect.succeed(1_000_000) }
  const journal = openJournal({
    broadcast: {
      id: "broadcast",
      eventId: "event",
      workspaceId: "workspace",
      phaseId: "phase",
      status: "live",
      playbackUrl: null,
      visibility: "public",
      ownerToken: 1,
    },
    run: (effect) =>
      Effect.runPromise(
        effect.pipe(
          Effect.provideService(Database, database as unknown as Database["Service"]),
          Effect.provideService(MediaStorage, storage as unknown as MediaStorage["Service"]),
          Effect.provideService(Clock.Clock, clock),
        ),
      ),
    token: 1,
    isShared: false,
    quota: { ofWorkspace: 0, ofFounder: 0, provedOnly: false },
    recording: { id: "recording", storageKey: "key" },
    take: { storageKey: "key", bytes: 100 },
    mayWait,
  })
  return { journal, state, pass: (ms: number) => Effect.runPromise(clock.adjust(ms)) }
}

test("a segment is written once, and its row is tried for a minute", async () => {
  const { journal, state, pass } = await openHouse(() => true)
  state.isAway = true
  const append = journal.append(EVENT)
  let outcome = "waits"
  append.then(
    () => {
      outcome = "stored"
    },
    () => {
      outcome = "failed"
    },
  )
  await expect.poll(() => state.written).toBe(3)
  await expect.poll(() => state.statements).toBeGreaterThan(0)
  await pass(55_000)
  expect([outcome, state.written]).toEqual(["waits", 3])
  expect(state.statements).toBeGreaterThan(50)
  state.isAway = false
  await pass(1000)
  await append
  expect(state.written).toBe(3)
  state.isAway = true
  const second = journal.append({ ...EVENT, segment: { ...EVENT.segment, number: 1 } })
  second.catch(() => {})
  await expect.poll(() => state.written).toBe(6)
  await pass(70_000)
  await expect(second).rejects.toMatchObject({ _tag: "Unavailable" })
})

test("when the server stops, the journal does not wait any more", async () => {
  let isStopping = false
  const { journal, state, pass } = await openHouse(() => !isStopping)
  state.isAway = true
  const append = journal.append(EVENT)
  append.catch(() => {})
  await expect.poll(() => state.statements).toBeGreaterThan(0)
  isStopping = true
  await pass(1000)
  await expect(append).rejects.toMatchObject({ _tag: "Unavailable" })
  expect(state.statements).toBe(2)
})
