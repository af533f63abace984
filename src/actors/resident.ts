/**
 * A live event in memory: claimed, recovered, and changed only by a fenced commit.
 * Invariant: nothing is adopted or published that is not committed; whoever is fenced out, or does not know whether its
 * commit happened, forgets everything and recovers from the store before it goes on.
 */
import { Data, Effect } from "effect"
import { newId } from "../model/ids.ts"
import { toTimestamp } from "../model/timestamp.ts"
import type { Database } from "../store/database.ts"
import {
  type AnsweredBefore,
  type CommitUnknown,
  commitLiveEvent,
  type LiveCommit,
  type OverCapacity,
  type Recovered,
  recoverLiveEvent,
} from "../store/live-events.ts"
import type { OutboxBell } from "../store/outbox.ts"
import type { RecordUnreadable } from "../store/record-versions.ts"
import type { Telemetry } from "../telemetry.ts"
import type { Batch } from "./batch.ts"
import { type Answers, COMMAND_MEMORY_MS, CommandLog } from "./command-log.ts"
import { EventGone, Moved, StoreAway } from "./commands.ts"
import type { EphemeralPublication, Feed, FeedMessage } from "./feed.ts"
import { Floor } from "./floor.ts"
import { Heads } from "./heads.ts"
import { lobbyPolicy } from "./lobby-policy.ts"
import type { Ownership } from "./ownership.ts"
import type { Present } from "./presence.ts"
import { recallHeads } from "./recall.ts"
import { type LiveState, NO_EFFECTS, phaseTraits } from "./state.ts"

/** The store is there, but would not take the batch: one of its commands may be at fault. */
export class CommitRefused extends Data.TaggedError("CommitRefused")<Record<never, never>> {}

export interface Surroundings {
  readonly database: Database["Service"]
  readonly feed: Feed["Service"]
  readonly bell: OutboxBell["Service"]
  readonly telemetry: Telemetry["Service"]
  readonly ownership: Ownership["Service"]
}

/** What is known while this process owns the event. */
export interface Resident {
  readonly epoch: number
  readonly version: number
  readonly history: string
  readonly state: LiveState
  /** Moved on by a batch before its commit, like the floor: an actor that fails to commit forgets all. */
  readonly heads: Heads
  readonly floor: Floor
  readonly answers: CommandLog
  /** Who was present when the last activation was stopped in order. */
  readonly roster: ReadonlyArray<Present>
}

const floorOf = (records: Recovered["records"]): Floor => {
  const floor = new Floor()
  for (const { kind, id, record } of records) floor.write(kind, id, record)
  return floor
}

const residentOf = (recovered: Recovered, idle: Answers): Resident => ({
  epoch: recovered.epoch,
  version: recovered.version,
  history: recovered.history,
  heads: new Heads(recovered.heads, recovered.hasOtherStreams),
  floor: floorOf(recovered.records),
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

const recover = (around: Surroundings, eventId: string): Effect.Effect<Recovered, Moved | EventGone | StoreAway> =>
  Effect.gen(function* () {
    // Never raise the epoch on the word of a stale view: that would fence out the rightful owner.
    if (!(yield* around.ownership.holds)) return yield* new Moved()
    const { database, ownership } = around
    const claim = {
      eventId,
      node: ownership.node,
      history: newId(),
      commandsSince: toTimestamp(Date.now() - COMMAND_MEMORY_MS),
    }
    const { log } = around.telemetry
    const recovered = yield* database
      .runLive<Recovered | undefined, RecordUnreadable>((sql) => recoverLiveEvent(sql, claim))
      .pipe(
        // A newer release has written to the event: it is not served here, and nothing of it is overwritten.
        Effect.tapErrorTag("RecordUnreadable", (err) =>
          Effect.sync(() => log.error({ eventId, err }, "a live event cannot be read by this release")),
        ),
        Effect.mapError(() => new StoreAway()),
      )
    if (recovered === undefined) return yield* new EventGone()
    around.telemetry.metrics.activations.add()
    return recovered
  })

/**
 * Claims the event and reads it. `idle`: the answers without effect that the actor gave, which outlast a
 * recovery. `Moved` when this process may not own it, `EventGone` when it does not exist.
 */
export const activate = (
  around: Surroundings,
  eventId: string,
  idle: Answers,
): Effect.Effect<Resident, Moved | EventGone | StoreAway> =>
  Effect.map(recover(around, eventId), (recovered) => residentOf(recovered, idle))

/** A commit failed and only the store knows whether it happened: its version tells, and whose commit made it. */
const settleUnknown = (
  around: Surroundings,
  resident: Resident,
  commit: LiveCommit,
  { cause, lost }: CommitUnknown,
): Effect.Effect<Resident, Moved | StoreAway | CommitRefused> =>
  Effect.gen(function* () {
    const { eventId, version } = commit
    around.telemetry.log.warn({ eventId, err: cause }, "a live event's commit failed")
    const recovered = yield* Effect.mapError(recover(around, eventId), () => new StoreAway())
    const happened = recovered.version === version && recovered.versionEpoch === resident.epoch
    if (happened) return residentOf(recovered, resident.answers.idle)
    return yield* lost ? new Moved() : new CommitRefused()
  })

/**
 * Commits a batch and adopts it: its frames are published and the outbox bell is rung. When the commit's outcome is not
 * known, the store is asked. `Moved`: it did not happen, or another activation owns the event. `StoreAway`: the store
 * cannot be asked. After any failure the caller must forget what it knew.
 */
export const commitBatch = (
  around: Surroundings,
  batch: Batch,
): Effect.Effect<Resident, Moved | StoreAway | CommitRefused | AnsweredBefore | OverCapacity> => {
  const { resident } = batch
  const publish = (after: Resident, deliveries: number): Resident => {
    const { from, publications, ephemeral, ejections, standings } = batch
    around.feed.publish(message(after, "commit", { from, publications, ephemeral, ejections, standings }))
    if (deliveries > 0) around.bell.ring()
    return after
  }
  const write = (commit: LiveCommit) =>
    commitLiveEvent(around.database.liveSql, commit).pipe(
      Effect.map((deliveries) => publish({ ...resident, version: commit.version, state: batch.state }, deliveries)),
      Effect.catchTags({
        Fenced: () => {
          around.telemetry.metrics.fenced.add()
          return Effect.fail(new Moved())
        },
        CommitUnknown: (unknown) =>
          Effect.map(settleUnknown(around, resident, commit, unknown), (after) =>
            publish(after, commit.occurrences.length),
          ),
      }),
    )
  return recallHeads(around.database, resident, batch.streams).pipe(Effect.flatMap(() => write(batch.seal())))
}

const message = (of: Resident, kind: FeedMessage["kind"], said: Partial<FeedMessage>): FeedMessage => ({
  kind,
  eventId: of.state.event.id,
  history: of.history,
  from: of.version,
  version: of.version,
  status: of.state.event.status,
  visibility: of.state.event.visibility,
  phase: phaseTraits(of.state),
  lobby: lobbyPolicy(of.state, of.floor),
  publications: [],
  ephemeral: [],
  ejections: [],
  standings: [],
  ...said,
})

/** Tells watchers where the event stands, so that one who missed the last words of a lost commit notices. */
export const publishStanding = (around: Surroundings, resident: Resident): void =>
  around.feed.publish(message(resident, "note", {}))

/** Sends what may be lost: no commit, no place in a stream, nothing to replay. */
export const publishEphemeral = (
  around: Surroundings,
  resident: Resident,
  ephemeral: ReadonlyArray<EphemeralPublication>,
): void => around.feed.publish(message(resident, "note", { ephemeral }))
