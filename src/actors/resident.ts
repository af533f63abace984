/**
 * A live event in memory: claimed, recovered, and changed only by a fenced commit.
 * Invariant: nothing is adopted or published that is not committed; whoever is fenced out, or does not know whether its
 * commit happened, forgets everything and recovers from the store before it goes on.
 */
import { Effect } from "effect"
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
  type StoredCommand,
  type StoredPublication,
} from "../store/live-events.ts"
import type { OutboxBell } from "../store/outbox.ts"
import type { Telemetry } from "../telemetry.ts"
import { COMMAND_MEMORY_MS, CommandLog } from "./command-log.ts"
import { EventGone, Moved, StoreAway } from "./commands.ts"
import type { EphemeralPublication, Feed, FeedMessage } from "./feed.ts"
import type { Ownership } from "./ownership.ts"
import type { Present } from "./presence.ts"
import { type Dispatch, type LiveState, NO_EFFECTS, type Notice, phaseTraits } from "./state.ts"

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
  readonly heads: ReadonlyMap<string, number>
  readonly answers: CommandLog
  /** Who was present when the last activation was stopped in order. */
  readonly roster: ReadonlyArray<Present>
}

/** A step to commit: the state after it, what it says, and the answer to remember. */
export interface Step {
  readonly state: LiveState
  readonly at: number
  readonly dispatches: ReadonlyArray<Dispatch>
  readonly notices: ReadonlyArray<Notice & { readonly id?: string; readonly at?: string }>
  readonly command: StoredCommand | null
}

const residentOf = (recovered: Recovered): Resident => ({
  epoch: recovered.epoch,
  version: recovered.version,
  history: recovered.history,
  heads: new Map(recovered.heads.map(({ stream, s }) => [stream, s])),
  answers: new CommandLog(recovered.commands),
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
    const recovered = yield* around.database
      .run(() =>
        recoverLiveEvent(around.database.sql, {
          eventId,
          node: around.ownership.node,
          history: newId(),
          commandsSince: toTimestamp(Date.now() - COMMAND_MEMORY_MS),
        }),
      )
      .pipe(Effect.mapError(() => new StoreAway()))
    if (recovered === undefined) return yield* new EventGone()
    around.telemetry.metrics.activations.add()
    return recovered
  })

/** Claims the event and reads it. `Moved` when this process may not own it, `EventGone` when it does not exist. */
export const activate = (
  around: Surroundings,
  eventId: string,
): Effect.Effect<Resident, Moved | EventGone | StoreAway> => Effect.map(recover(around, eventId), residentOf)

interface Draft {
  readonly commit: LiveCommit
  /** What is said once the commit has happened. */
  readonly publications: ReadonlyArray<StoredPublication>
  readonly heads: ReadonlyMap<string, number>
}

const draftOf = (resident: Resident, step: Step): Draft => {
  const { event, phases, removed, deleted } = step.state
  const before = resident.state
  const version = resident.version + 1
  const at = toTimestamp(step.at)
  const heads = new Map(resident.heads)
  const publications: StoredPublication[] = step.dispatches.map(({ stream, t, d }) => {
    const s = (heads.get(stream) ?? 0) + 1
    heads.set(stream, s)
    return { stream, s, version, at, frame: JSON.stringify({ op: 0, st: stream, s, v: version, ts: step.at, t, d }) }
  })
  return {
    heads,
    publications,
    commit: {
      eventId: event.id,
      epoch: resident.epoch,
      version,
      at,
      event: event === before.event ? null : event,
      phases: phases.filter((phase) => !before.phases.includes(phase)),
      // A deleted event keeps no history; its last words are still said.
      publications: deleted ? [] : publications,
      occurrences: step.notices.map((notice) => ({
        id: notice.id ?? newId(),
        type: notice.type,
        workspaceId: event.workspaceId,
        eventId: event.id,
        occurredAt: notice.at ?? at,
        extra: notice.extra,
      })),
      command: deleted ? null : step.command,
      // Only ever appended to.
      removed: removed.slice(before.removed.length),
      deleted,
    },
  }
}

/** A commit failed and only the store knows whether it happened: its version tells, and whose commit made it. */
const settleUnknown = (
  around: Surroundings,
  resident: Resident,
  draft: Draft,
  { cause, lost }: CommitUnknown,
): Effect.Effect<Resident, Moved | StoreAway> =>
  Effect.gen(function* () {
    const { eventId, version } = draft.commit
    around.telemetry.log.warn({ eventId, err: cause }, "a live event's commit failed")
    const recovered = yield* Effect.mapError(recover(around, eventId), () => new StoreAway())
    const happened = recovered.version === version && recovered.versionEpoch === resident.epoch
    if (happened) return residentOf(recovered)
    return yield* lost ? new Moved() : new StoreAway()
  })

/**
 * Commits a step and adopts it: the frames are published and the outbox bell is rung. When the commit's outcome is not
 * known, the store is asked. `Moved`: it did not happen, or another activation owns the event. `StoreAway`: the store
 * cannot be asked, or refused the step. Either way the caller must forget what it knew.
 */
export const commitStep = (
  around: Surroundings,
  resident: Resident,
  step: Step,
): Effect.Effect<Resident, Moved | StoreAway | AnsweredBefore | OverCapacity> => {
  const draft = draftOf(resident, step)
  const adopted: Resident = {
    ...resident,
    version: draft.commit.version,
    heads: draft.heads,
    state: { ...step.state, effects: NO_EFFECTS },
  }
  const publish = (after: Resident, deliveries: number): Resident => {
    if (step.command !== null) after.answers.remember(step.command)
    const { ejections } = step.state.effects
    around.feed.publish(message(after, "commit", { publications: draft.publications, ejections }))
    if (deliveries > 0) around.bell.ring()
    return after
  }
  return commitLiveEvent(around.database.sql, draft.commit).pipe(
    Effect.map((deliveries) => publish(adopted, deliveries)),
    Effect.catchTags({
      Fenced: () => {
        around.telemetry.metrics.fenced.add()
        return Effect.fail(new Moved())
      },
      CommitUnknown: (unknown) =>
        Effect.map(settleUnknown(around, resident, draft, unknown), (after) =>
          publish(after, draft.commit.occurrences.length),
        ),
    }),
  )
}

const message = (of: Resident, kind: FeedMessage["kind"], said: Partial<FeedMessage>): FeedMessage => ({
  kind,
  eventId: of.state.event.id,
  history: of.history,
  version: of.version,
  status: of.state.event.status,
  phase: phaseTraits(of.state),
  publications: [],
  ephemeral: [],
  ejections: [],
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
