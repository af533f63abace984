/**
 * A live event in memory: claimed, recovered, and changed only by a fenced commit. Invariant: nothing is adopted or published
 * before it is committed. An actor that is fenced out, or does not know whether its commit happened, discards the loaded event
 * and recovers it from the store.
 */
import { Data, Effect } from "effect"
import { newId } from "../../model/ids.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Database } from "../../store/database.ts"
import {
  type AnsweredBefore,
  type CommitUnknown,
  commitLiveEvent,
  type LiveCommit,
  type OverCapacity,
  type Recovered,
  recoverLiveEvent,
} from "../../store/live-events.ts"
import type { OutboxSignal } from "../../store/outbox.ts"
import type { RecordUnreadable } from "../../store/record-versions.ts"
import type { Telemetry } from "../../telemetry.ts"
import { EventNotFound, NotOwner, StoreUnavailable } from "../commands.ts"
import { RecordStore } from "../domain/record-store.ts"
import { type LiveState, NO_EFFECTS, phaseTraits } from "../domain/state.ts"
import type { EphemeralPublication, Feed, FeedMessage } from "../feed.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import type { Present } from "../presence/presence.ts"
import type { Ownership } from "../runtime/ownership.ts"
import type { Batch } from "./batch.ts"
import { type Answers, COMMAND_MEMORY_MS, CommandLog } from "./command-log.ts"
import { recallHeads } from "./rehydrate.ts"
import { Heads } from "./stream-heads.ts"

/** The store is reachable but refused the batch: one of its commands may be the cause. */
export class CommitRefused extends Data.TaggedError("CommitRefused")<Record<never, never>> {}

export interface ActorServices {
  readonly database: Database["Service"]
  readonly feed: Feed["Service"]
  readonly outbox: OutboxSignal["Service"]
  readonly telemetry: Telemetry["Service"]
  readonly ownership: Ownership["Service"]
}

/** The state of an event while this process owns it. */
export interface LoadedEvent {
  readonly fencingToken: number
  readonly version: number
  readonly epoch: string
  readonly state: LiveState
  /** A batch advances the heads and the records before its commit: an actor whose commit fails discards all of them. */
  readonly heads: Heads
  readonly records: RecordStore
  readonly answers: CommandLog
  /** The participants that were present when the last activation stopped in order. */
  readonly roster: ReadonlyArray<Present>
}

const recordStoreOf = (stored: Recovered["records"]): RecordStore => {
  const records = new RecordStore()
  for (const { kind, id, record } of stored) records.write(kind, id, record)
  return records
}

const loadedOf = (recovered: Recovered, idle: Answers): LoadedEvent => ({
  fencingToken: recovered.epoch,
  version: recovered.version,
  epoch: recovered.history,
  heads: new Heads(recovered.heads, recovered.hasOtherStreams),
  records: recordStoreOf(recovered.records),
  answers: new CommandLog(recovered.commands, idle),
  roster: recovered.roster as ReadonlyArray<Present>,
  state: {
    event: recovered.event,
    phases: recovered.phases,
    removed: recovered.removed,
    deleted: false,
    effects: NO_EFFECTS,
  },
})

const recover = (
  services: ActorServices,
  eventId: string,
): Effect.Effect<Recovered, NotOwner | EventNotFound | StoreUnavailable> =>
  Effect.gen(function* () {
    // A stale view of ownership must never raise the epoch: that would fence out the rightful owner.
    if (!(yield* services.ownership.holds)) return yield* new NotOwner()
    const { database, ownership } = services
    const claim = {
      eventId,
      node: ownership.node,
      history: newId(),
      commandsSince: toTimestamp(Date.now() - COMMAND_MEMORY_MS),
    }
    const { log } = services.telemetry
    const recovered = yield* database
      .runLive<Recovered | undefined, RecordUnreadable>((sql) => recoverLiveEvent(sql, claim))
      .pipe(
        // A newer release has written to the event: this one neither serves it nor overwrites anything.
        Effect.tapErrorTag("RecordUnreadable", (err) =>
          Effect.sync(() => log.error({ eventId, err }, "a live event cannot be read by this release")),
        ),
        Effect.mapError(() => new StoreUnavailable()),
      )
    if (recovered === undefined) return yield* new EventNotFound()
    services.telemetry.metrics.activations.add()
    return recovered
  })

/**
 * Claims the event and reads it. `idle`: the actor's answers without effect, which survive a recovery. `NotOwner` when this
 * process may not own the event, `EventNotFound` when it does not exist.
 */
export const activate = (
  services: ActorServices,
  eventId: string,
  idle: Answers,
): Effect.Effect<LoadedEvent, NotOwner | EventNotFound | StoreUnavailable> =>
  Effect.map(recover(services, eventId), (recovered) => loadedOf(recovered, idle))

/** After a commit with an unknown outcome: the stored version and the epoch that wrote it decide whether it happened. */
const settleUnknown = (
  services: ActorServices,
  loaded: LoadedEvent,
  commit: LiveCommit,
  { cause, lost }: CommitUnknown,
): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable | CommitRefused> =>
  Effect.gen(function* () {
    const { eventId, version } = commit
    services.telemetry.log.warn({ eventId, err: cause }, "a live event's commit failed")
    const recovered = yield* Effect.mapError(recover(services, eventId), () => new StoreUnavailable())
    const happened = recovered.version === version && recovered.versionEpoch === loaded.fencingToken
    if (happened) return loadedOf(recovered, loaded.answers.idle)
    return yield* lost ? new NotOwner() : new CommitRefused()
  })

/**
 * Commits a batch and adopts it: its frames are published and the outbox is notified. When the outcome of the commit is unknown,
 * the store is asked. `NotOwner`: it did not happen, or another activation owns the event. `StoreUnavailable`: the store cannot
 * be asked. After any failure the caller must discard the loaded event.
 */
export const commitBatch = (
  services: ActorServices,
  batch: Batch,
): Effect.Effect<LoadedEvent, NotOwner | StoreUnavailable | CommitRefused | AnsweredBefore | OverCapacity> => {
  const { loaded } = batch
  const publish = (after: LoadedEvent, deliveries: number): LoadedEvent => {
    const { from, publications, ephemeral, ejections, participantChanges: standings } = batch
    services.feed.publish(
      message(after, "commit", { from, publications, ephemeral, ejections, participantChanges: standings }),
    )
    if (deliveries > 0) services.outbox.notify()
    return after
  }
  const write = (commit: LiveCommit) =>
    commitLiveEvent(services.database.liveSql, commit).pipe(
      Effect.map((deliveries) => publish({ ...loaded, version: commit.version, state: batch.state }, deliveries)),
      Effect.catchTags({
        Fenced: () => {
          services.telemetry.metrics.fenced.add()
          return Effect.fail(new NotOwner())
        },
        CommitUnknown: (unknown) =>
          Effect.map(settleUnknown(services, loaded, commit, unknown), (after) =>
            publish(after, commit.occurrences.length),
          ),
      }),
    )
  return recallHeads(services.database, loaded, batch.streams).pipe(Effect.flatMap(() => write(batch.seal())))
}

const message = (of: LoadedEvent, kind: FeedMessage["kind"], said: Partial<FeedMessage>): FeedMessage => ({
  kind,
  eventId: of.state.event.id,
  epoch: of.epoch,
  from: of.version,
  version: of.version,
  status: of.state.event.status,
  visibility: of.state.event.visibility,
  phase: phaseTraits(of.state),
  lobby: lobbyPolicy(of.state, of.records),
  publications: [],
  ephemeral: [],
  ejections: [],
  participantChanges: [],
  ...said,
})

/** Publishes the event's version, so that a subscriber that missed the last messages of a lost commit notices. */
export const publishStanding = (services: ActorServices, loaded: LoadedEvent): void =>
  services.feed.publish(message(loaded, "note", {}))

/** Publishes ephemeral dispatches: no commit, no position in a stream, no replay. */
export const publishEphemeral = (
  services: ActorServices,
  loaded: LoadedEvent,
  ephemeral: ReadonlyArray<EphemeralPublication>,
): void => services.feed.publish(message(loaded, "note", { ephemeral }))
