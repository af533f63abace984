/** The actors' room alone in this process, on a real database: no HTTP, no gateway. */
import { Layer, ManagedRuntime, Redacted } from "effect"
import postgres from "postgres"
import type { Envelope } from "../../src/actors/commands.ts"
import { Feed } from "../../src/actors/feed.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { Ownership } from "../../src/actors/ownership/ownership.ts"
import { liveEventsLayer, oneProcess } from "../../src/actors/placement.ts"
import { answerDeadlines } from "../../src/model/limits/answer-deadlines.ts"
import { Database, DEFAULT_DEADLINE_MS, type Queryable } from "../../src/store/database.ts"
import { MediaSignal } from "../../src/store/media/media-signal.ts"
import { OutboxSignal } from "../../src/store/webhooks/outbox.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import type { Defer } from "../benchmark.ts"

export interface ActorHouse {
  readonly sql: Queryable
  /** The driver by itself, for bulk inserts. */
  readonly driver: postgres.Sql
  readonly feed: Feed["Service"]
  readonly execute: (eventId: string, envelope: Envelope) => Promise<unknown>
  /** Reads the event through its actor, which brings it into memory. */
  readonly wake: (eventId: string) => Promise<unknown>
}

export const openHouse = async (url: string, pool: number, defer: Defer): Promise<ActorHouse> => {
  const idleMs = 60_000
  const ownership = Layer.succeed(
    Ownership,
    Ownership.alone("bench", () => true),
  )
  const layer = liveEventsLayer({
    mailbox: 1024,
    pseudonymKey: new Uint8Array(32),
    presenceGraceMs: 0,
    connectionsPerParticipant: 5,
    replaceAfterMs: 0,
    returnWithinMs: 30_000,
    idleMs,
    answers: answerDeadlines(DEFAULT_DEADLINE_MS, null),
    playbackUrlOf: () => null,
    recorder: null,
    hasStageBroadcasts: false,
  }).pipe(
    Layer.provide(oneProcess({ idleMs, simulateNetwork: false })),
    Layer.provideMerge(Feed.layerMemory),
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), connections: pool })),
    Layer.provide([OutboxSignal.layer, MediaSignal.layer, Telemetry.layer("silent"), ownership]),
  )
  const runtime = ManagedRuntime.make(layer)
  defer(() => runtime.dispose())
  const driver = postgres(url, { max: 2 })
  defer(() => driver.end())
  const live = await runtime.runPromise(LiveEvents)
  return {
    sql: (await runtime.runPromise(Database)).sql,
    driver,
    feed: await runtime.runPromise(Feed),
    execute: (eventId, envelope) => runtime.runPromise(live.execute(eventId, envelope)),
    wake: (eventId) => runtime.runPromise(live.read(eventId, [], true)),
  }
}
