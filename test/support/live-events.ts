/** The actors' room on a real database, without HTTP or a gateway: what actor tests drive. */
import { Effect, type Exit, identity, Layer, ManagedRuntime, Redacted, Schedule } from "effect"
import type { Sharding } from "effect/cluster"
import { inject, onTestFinished } from "vitest"
import type { Answer, Command, Envelope } from "../../src/actors/commands.ts"
import { Feed, type FeedMessage } from "../../src/actors/feed.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { Ownership } from "../../src/actors/ownership/ownership.ts"
import { type LiveEventsOptions, liveEventsLayer, oneProcess } from "../../src/actors/placement.ts"
import type { LiveReading } from "../../src/actors/protocol.ts"
import { nodeLayers } from "../../src/cluster/node-layers.ts"
import { GrantChanges } from "../../src/identity/grant-changes.ts"
import { NEW_EVENT } from "../../src/model/event.ts"
import { newId } from "../../src/model/ids.ts"
import { answerDeadlines } from "../../src/model/limits/answer-deadlines.ts"
import type { PhaseInput } from "../../src/model/phase.ts"
import { NodeSession } from "../../src/store/cluster/node-session.ts"
import { Database, type Queryable } from "../../src/store/database.ts"
import { insertEvent } from "../../src/store/events/events.ts"
import { MediaSignal } from "../../src/store/media/media-signal.ts"
import { OutboxSignal } from "../../src/store/webhooks/outbox.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase } from "./database.ts"
import { freePort } from "./free-port.ts"
import { type JumpingClock, openJumpingClock } from "./jumping-clock.ts"
import { DATABASE_DEADLINE_MS } from "./patience.ts"
import { openStore, type TestSql } from "./store.ts"

/** Of an activity's command the event is not there; only tests of steering look at it. */
type SteeredAnswer = Answer & { readonly event: NonNullable<Answer["event"]> }

export interface ActorHouse {
  readonly url: string
  readonly sql: TestSql
  /** How everything stands, and how it stands for these participants. */
  readonly read: (eventId: string, participants?: ReadonlyArray<string>) => Promise<LiveReading>
  readonly execute: (eventId: string, command: Command, given?: Partial<Envelope>) => Promise<SteeredAnswer>
  readonly run: <A, E>(
    effect: Effect.Effect<A, E, LiveEvents | Feed | Database | GrantChanges | Sharding.Sharding>,
  ) => Promise<A>
  readonly exit: <A, E>(effect: Effect.Effect<A, E, LiveEvents | Feed | Database>) => Promise<Exit.Exit<A, E>>
  /** The clock of the live events, which a test can put forward. */
  readonly clock: JumpingClock["timers"] & Pick<JumpingClock, "jump">
  readonly watch: (eventId: string) => Promise<FeedMessage[]>
  readonly stop: () => Promise<void>
}

let commands = 0
const IDLE_MS = 60_000
/** Long: no test of several nodes waits for the loss of one, and a busy machine may keep a process waiting for seconds. */
const LOST_MS = 30_000

/** Events move between nodes that begin; a caller asks again under the same id. */
const whileUnavailable = {
  while: (failure: { readonly _tag: string }) => failure._tag === "Unavailable",
  schedule: Schedule.spaced("200 millis"),
  times: 100,
}

export const envelope = (command: Command, given: Partial<Envelope> = {}): Envelope => ({
  commandId: `c${commands++}`,
  scope: "test",
  bodyHash: JSON.stringify(command),
  by: null,
  freshId: newId(),
  command,
  ...given,
})

export const startActors = async (
  url: string,
  options: Partial<LiveEventsOptions> & {
    readonly holds?: () => boolean
    readonly node?: string
    /** One of several nodes on a database, by its name. */
    readonly clustered?: { readonly node: string }
    readonly clock?: JumpingClock
    readonly feed?: Layer.Layer<Feed>
    /** Requests go to actors in memory without the mailbox, as in a server; otherwise all messages are serialised. */
    readonly direct?: boolean
  } = {},
): Promise<ActorHouse> => {
  const clock = options.clock ?? openJumpingClock()
  const telemetry = Telemetry.layer("silent")
  const session = options.clustered === undefined ? undefined : await NodeSession.open(url, LOST_MS)
  const placement =
    session === undefined || options.clustered === undefined
      ? Layer.mergeAll(
          oneProcess({ idleMs: options.idleMs ?? IDLE_MS, simulateNetwork: options.direct !== true }),
          Layer.succeed(
            Ownership,
            Ownership.alone(options.node ?? "test", () => options.holds?.() ?? true),
          ),
          options.feed ?? Feed.layerMemory,
          GrantChanges.layer,
        )
      : nodeLayers({
          address: { host: "127.0.0.1", port: await freePort() },
          secret: null,
          otherSecret: null,
          session,
          lostMs: LOST_MS,
          node: options.clustered.node,
          idleMs: IDLE_MS,
          streamKeys: [Buffer.alloc(32)],
          nats: Redacted.make(inject("natsUrl") ?? ""),
        }).pipe(Layer.provide(telemetry))
  const layer = liveEventsLayer({
    mailbox: 1024,
    pseudonymKey: new Uint8Array(32),
    presenceGraceMs: 0,
    connectionsPerParticipant: 5,
    replaceAfterMs: 100,
    returnWithinMs: 30_000,
    idleMs: IDLE_MS,
    answers: answerDeadlines(DATABASE_DEADLINE_MS, LOST_MS),
    playbackUrlOf: () => null,
    recorder: null,
    hasStageBroadcasts: false,
    timers: clock.timers,
    ...options,
  }).pipe(
    Layer.provideMerge(placement),
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), connections: 6, deadlineMs: DATABASE_DEADLINE_MS })),
    Layer.provide([OutboxSignal.layer, MediaSignal.layer, telemetry]),
  )
  const runtime = ManagedRuntime.make(layer)
  await runtime.runPromise(Database)
  const sql = openStore(url)
  return {
    url,
    sql,
    read: (eventId, participants = []) =>
      runtime.runPromise(Effect.flatMap(LiveEvents, (live) => live.read(eventId, participants, true))),
    run: (effect) => runtime.runPromise(effect),
    exit: (effect) => runtime.runPromiseExit(effect),
    execute: (eventId, command, given) => {
      const asked = envelope(command, given)
      return runtime.runPromise(
        Effect.flatMap(LiveEvents, (live) => live.execute(eventId, asked)).pipe(
          options.clustered === undefined ? identity : Effect.retry(whileUnavailable),
        ),
      ) as Promise<SteeredAnswer>
    },
    clock: { ...clock.timers, jump: clock.jump },
    watch: async (eventId) => {
      const seen: FeedMessage[] = []
      const feed = await runtime.runPromise(Feed)
      feed.subscribe(eventId, (message) => seen.push(message))
      return seen
    },
    stop: async () => {
      await runtime.dispose()
      await session?.release()
      await sql.end()
    },
  }
}

/** The actors' room on a database of its own, until the test is over. */
export const ownActors = async (): Promise<ActorHouse> => {
  const database = await createTestDatabase()
  const actors = await startActors(database.url)
  onTestFinished(async () => {
    await actors.stop()
    await database.drop()
  })
  return actors
}

/** A workspace with one event, written straight to the store. */
export const seedEvent = async (
  sql: Queryable,
  phases: ReadonlyArray<PhaseInput>,
  status: "draft" | "scheduled" = "scheduled",
): Promise<{ readonly workspaceId: string; readonly eventId: string; readonly phaseIds: ReadonlyArray<string> }> => {
  const workspaceId = newId()
  const eventId = newId()
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Test', ${workspaceId})`
  const agenda = phases.map((phase) => ({ id: newId(), featureSet: [], config: {}, ...phase }))
  const event = {
    ...NEW_EVENT,
    ...{ id: eventId, workspaceId, type: "webinar", title: "Launch", status, visibility: "public" as const },
    capacity: null,
  }
  await insertEvent(sql, { event, phases: agenda })
  return { workspaceId, eventId, phaseIds: agenda.map(({ id }) => id) }
}
