/**
 * Removes the data of deleted workspaces, in bounded steps. Every step may be repeated: a process that ends in the middle leaves the rest
 * to the next sweep, of any process.
 */
import { Cause, Context, Effect, Layer } from "effect"
import { type AgendaCommand, ownCommand } from "../actors/commands.ts"
import { LiveEvents } from "../actors/live-events.ts"
import { currentTimers } from "../clock/timers.ts"
import type { Unavailable } from "../model/errors.ts"
import { toMillis } from "../model/timestamp.ts"
import { Database } from "../store/database.ts"
import {
  type DeletedWorkspace,
  deleteEventRow,
  deleteWorkspaceRow,
  deletionOfDeliveries,
  deletionOfRecordings,
  deletionsOf,
  deletionsOfRecordedParts,
  deletionsWithin,
  type EventLeft,
  listDeletedWorkspaces,
  RECORDINGS_AT_ONCE,
  someEventsOf,
} from "../store/deleted-workspaces.ts"
import { inBatches, patiently, sweepEvery } from "../store/sweeps.ts"
import { Telemetry } from "../telemetry/telemetry.ts"

/** Maximum number of events read at once. */
const EVENTS = 20
/** Time for which the last webhook events are still sent; deliveries that wait for another attempt after it are cancelled. */
const DELIVERIES_FOR_MS = 60_000

interface Needs {
  readonly database: Database["Service"]
  readonly live: Pick<LiveEvents["Service"], "execute">
  /** Time in Unix milliseconds. */
  readonly now: () => number
}

/** Treats an event that does not exist, or has already ended, as success. */
const steer = ({ live }: Needs, eventId: string, command: AgendaCommand): Effect.Effect<void, Unavailable> =>
  live
    .execute(eventId, ownCommand(command))
    .pipe(Effect.catchTags({ NotFound: () => Effect.void, Refused: () => Effect.void }), Effect.asVoid)

/** A live event ends first. Its growing data are deleted before the event itself, whose deletion closes its sockets. */
const removeEvent = (needs: Needs, { id, status }: EventLeft): Effect.Effect<void, Unavailable> =>
  Effect.gen(function* () {
    const { database } = needs
    if (status === "live") yield* steer(needs, id, { type: "event.end", d: {} })
    yield* Effect.forEach(deletionsWithin(id), (deletion) => inBatches(database, deletion), { discard: true })
    yield* steer(needs, id, { type: "event.delete", d: {} })
    yield* patiently(database, (sql) => deleteEventRow(sql, id))
  })

const sweepWorkspace = (needs: Needs, { id, deletedAt }: DeletedWorkspace): Effect.Effect<void, Unavailable> =>
  Effect.gen(function* () {
    const { database, now } = needs
    // Deleted first, because signed addresses of media are valid as long as the rows exist.
    yield* Effect.forEach(deletionsOfRecordedParts(id), (deletion) => inBatches(database, deletion), { discard: true })
    yield* inBatches(database, deletionOfRecordings(id), RECORDINGS_AT_ONCE)
    while (true) {
      const events = yield* patiently(database, (sql) => someEventsOf(sql, id, EVENTS))
      if (events.length === 0) break
      yield* Effect.forEach(events, (event) => removeEvent(needs, event), { discard: true })
    }
    yield* Effect.forEach(deletionsOf(id), (deletion) => inBatches(database, deletion), { discard: true })
    if (now() < toMillis(deletedAt) + DELIVERIES_FOR_MS) return
    yield* inBatches(database, deletionOfDeliveries(id))
    yield* patiently(database, (sql) => deleteWorkspaceRow(sql, id))
  })

/** Sweeps each remaining deleted workspace. A failure delays none of the others, and is raised at the end. */
export const sweepDeletedWorkspaces = (needs: Needs): Effect.Effect<void, Unavailable> =>
  Effect.gen(function* () {
    const workspaces = yield* patiently(needs.database, (sql) => listDeletedWorkspaces(sql))
    const swept = yield* Effect.forEach(workspaces, (workspace) => Effect.exit(sweepWorkspace(needs, workspace)))
    yield* Effect.forEach(swept, (exit) => exit, { discard: true })
  })

export class DeletedWorkspaces extends Context.Service<
  DeletedWorkspaces,
  {
    /** Begins with the marked workspaces at once, beside the caller. The next sweep retries failures. */
    readonly sweepSoon: Effect.Effect<void>
  }
>()("gathercue/DeletedWorkspaces") {
  static readonly layer: Layer.Layer<DeletedWorkspaces, never, Database | LiveEvents | Telemetry> = Layer.effect(
    DeletedWorkspaces,
    Effect.gen(function* () {
      const database = yield* Database
      const live = yield* LiveEvents
      const timers = yield* currentTimers
      const { log } = yield* Telemetry
      const sweep = sweepDeletedWorkspaces({ database, live, now: timers.now })
      const scope = yield* Effect.scope
      yield* Effect.forkScoped(sweepEvery("1 minute", log, sweep))
      const logged = Effect.catchCause(sweep, (cause) =>
        Effect.sync(() => log.warn({ err: Cause.squash(cause) }, "the removal of a workspace goes on later")),
      )
      return { sweepSoon: Effect.asVoid(Effect.forkIn(logged, scope)) }
    }),
  )
}
