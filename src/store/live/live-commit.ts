/**
 * The commit of a live event, and its SQL statements. Invariant: a commit under an old fencing token, or out of version order, changes
 * nothing.
 */
import { Data, Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import type { Occurrence } from "../../model/integrations/occurrences.ts"
import type { Change } from "../../model/live/live-records.ts"
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { PhaseState } from "../../model/phase.ts"
import type { EventRole } from "../../model/roles.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { eventRow, phaseRows } from "../events/events.ts"
import { query } from "../query.ts"
import { sqlState } from "../sqlstate.ts"
import { occurrenceRows } from "../webhooks/outbox.ts"
import type { StoredPublication } from "./live-history.ts"
import { activityRows } from "./live-records.ts"

/** Stored reply of an accepted command. */
export interface StoredCommand {
  readonly scope: string
  readonly commandId: string
  readonly bodyHash: string
  /** JSON value. */
  readonly reply: unknown
  readonly at: Timestamp
}

/** Changes of presence. `present` holds JSON objects with `participantId`, which are read back unchanged. */
export interface PresenceDelta {
  readonly present: ReadonlyArray<{ readonly participantId: string }>
  /** Participant ids. */
  readonly absent: ReadonlyArray<string>
  /** Ended stays, in order of their ends. A stay that was stored before is not counted again. */
  readonly stays: ReadonlyArray<EndedStay>
}

interface EndedStay {
  readonly participantId: string
  readonly userId: string | null
  readonly name: string
  readonly role: EventRole
  readonly kind: ParticipantKind
  readonly joinedAt: Timestamp
  readonly leftAt: Timestamp
  /** A stay continues the previous one if that ended at most this long before it began. */
  readonly sameWithinMs: number
  /** Whether the participant sent `leave`: no later stay continues this one. */
  readonly isForGood: boolean
}

/** Stores presence changes that no commit carries, under the fence. */
export const keepPresence = (
  sql: Queryable,
  eventId: string,
  fencingToken: number,
  delta: PresenceDelta,
): Effect.Effect<void, Fenced | Unavailable> =>
  Effect.asVoid(
    query(
      () => sql`select keep_presence(${eventId}, ${fencingToken}, ${sql.json(delta)})`,
      ({ fenced }) => (fenced ? new Fenced() : undefined),
    ),
  )

/** All rows written by a batch of commands. */
export interface LiveCommit {
  readonly eventId: string
  readonly fencingToken: number
  /** Version that this commit builds on. */
  readonly from: number
  /** Version that it makes. */
  readonly version: number
  readonly at: Timestamp
  /** Chart value; null when it has not changed. */
  readonly chart: unknown
  readonly event: Event | null
  /** Changed or new phases; ended phases are written before the ones that become active. */
  readonly phases: ReadonlyArray<PhaseState>
  /** Ids of removed phases. */
  readonly dropped: ReadonlyArray<string>
  /** New positions of phases that were stored before. */
  readonly moved: ReadonlyArray<Pick<PhaseState, "id" | "position">>
  readonly publications: ReadonlyArray<StoredPublication>
  readonly occurrences: ReadonlyArray<Occurrence>
  readonly commands: ReadonlyArray<StoredCommand>
  readonly changes: ReadonlyArray<Change>
  /** Participants who are barred. */
  readonly removed: ReadonlyArray<string>
  /** Participants who may come back. */
  readonly restored: ReadonlyArray<string>
  /** Participants who may no longer speak: their encoder addresses end. */
  readonly silenced: ReadonlyArray<string>
  /** Null when nobody came or went. */
  readonly presence: PresenceDelta | null
  /** Null when the recorded rooms have not changed. */
  readonly captured: CapturedRooms | null
  readonly deleted: boolean
}

/** Another activation owns the event: this one must stop writing. */
class Fenced extends Data.TaggedError("Fenced")<Record<never, never>> {}
/**
 * The commit failed with an unknown outcome: reload before continuing. `lost` means that the database was unavailable, so the same step may
 * succeed later; otherwise it refused the step itself.
 */
export class CommitUnknown extends Data.TaggedError("CommitUnknown")<{
  readonly cause: unknown
  readonly lost: boolean
}> {}

/** The event's new capacity is below its registrations; nothing was written. */
export class OverCapacity extends Data.TaggedError("OverCapacity")<Record<never, never>> {}

/** A recording belongs to a phase that is to be removed; nothing was written. */
export class PhaseRecorded extends Data.TaggedError("PhaseRecorded")<Record<never, never>> {}

/** The command id was accepted before, longer ago than the actor remembers; nothing was written. */
export class AnsweredBefore extends Data.TaggedError("AnsweredBefore")<Record<never, never>> {}

export type CommitFailure = Fenced | AnsweredBefore | OverCapacity | PhaseRecorded | CommitUnknown

/** Reason why a commit wrote nothing, or why its outcome is unknown. */
export const commitFailure = (cause: unknown): CommitFailure => {
  const state = sqlState(cause)
  if (state.fenced) return new Fenced()
  if (state.overCapacity) return new OverCapacity()
  if (state.phaseRecorded) return new PhaseRecorded()
  if (state.constraint === "live_commands_pkey") return new AnsweredBefore()
  return new CommitUnknown({ cause, lost: state.unavailable })
}

/** A commit with the JSON of its rows, serialised once. */
export interface WrittenCommit extends Pick<LiveCommit, "eventId" | "fencingToken" | "from" | "version" | "at"> {
  readonly written: string
}

export const writtenCommit = (commit: LiveCommit): WrittenCommit => {
  const { eventId, fencingToken, from, version, at } = commit
  return { eventId, fencingToken, from, version, at, written: JSON.stringify(rowsOf(commit)) }
}

/**
 * Runs a commit's transaction as one statement: the function first checks the fence, which fails it as a whole. Resolves to the number of
 * webhook deliveries stored.
 */
export const runCommit = async (sql: Queryable, commit: WrittenCommit): Promise<number> => {
  const { eventId, fencingToken, from, version, at, written } = commit
  const [row] = await sql<{ deliveries: number }[]>`
    select commit_live_event(${eventId}, ${fencingToken}, ${from}, ${version}, ${at}, ${written}::text::jsonb) as deliveries`
  return row?.deliveries ?? 0
}

/**
 * Runs commits of different events in one transaction. Resolves, in order, to the number of webhook deliveries stored by each; `undefined`
 * for a refused commit, which wrote nothing.
 */
export const runCommits = async (
  sql: Queryable,
  commits: ReadonlyArray<WrittenCommit>,
): Promise<ReadonlyArray<number | undefined>> => {
  const texts = commits.map(
    ({ eventId, fencingToken, from, version, at, written }) =>
      `{"event":"${eventId}","token":${fencingToken},"from":${from},"to":${version},"at":"${at}","written":${written}}`,
  )
  const rows = await sql<{ deliveries: number | null }[]>`
    select deliveries from commit_live_events(${`[${texts.join(",")}]`}::text::jsonb)`
  return commits.map((_, index) => rows[index]?.deliveries ?? undefined)
}

/** Argument of `commit_live_event`; an absent part costs nothing. */
const rowsOf = (commit: LiveCommit): object => {
  const { event, phases, publications, commands, changes, removed, restored, occurrences, captured, deleted } = commit
  const { presence, dropped, moved, silenced, chart } = commit
  const settling = phases.filter((phase) => phase.status !== "active")
  const opening = phases.filter((phase) => phase.status === "active")
  return {
    chart,
    ...(event !== null && { event: eventRow(event) }),
    ...(dropped.length > 0 && { dropped }),
    ...(moved.length > 0 && { moved }),
    ...(settling.length > 0 && { settling: phaseRows(settling) }),
    ...(opening.length > 0 && { opening: phaseRows(opening) }),
    ...(publications.length > 0 && {
      publications: publications.map(({ at: _, ...publication }) => publication),
    }),
    ...(changes.length > 0 && { activities: activityRows(changes) }),
    ...(commands.length > 0 && { commands: commands.map(commandRow) }),
    ...(removed.length > 0 && { removed }),
    ...(restored.length > 0 && { restored }),
    ...(silenced.length > 0 && { silenced }),
    ...(occurrences.length > 0 && { occurrences: occurrenceRows(occurrences) }),
    ...(presence !== null && { presence }),
    ...(captured !== null && { captured }),
    ...(deleted && { deleted }),
  }
}

const commandRow = ({ scope, commandId, bodyHash, reply }: StoredCommand): object => ({
  scope,
  command_id: commandId,
  body_hash: bodyHash,
  reply,
})
