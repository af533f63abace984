/**
 * The stored state of a live event's actor: claim, recovery, and the one fenced transaction of a batch of commands.
 * Invariants: an activation raises the fencing token (the column `epoch`); a commit under an old fencing token, or out
 * of version order, changes nothing.
 */
import { Data, Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import type { WebhookEvent } from "../../model/integrations/webhook-events.ts"
import type { Change } from "../../model/live/live-records.ts"
import { SHARED_STREAMS } from "../../model/live/streams.ts"
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { PhaseState } from "../../model/phase.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { eventRow, findEvent, listPhaseStates, phaseRows } from "../events/events.ts"
import { query } from "../query.ts"
import { sqlState } from "../sqlstate.ts"
import { occurrenceRows } from "../webhooks/outbox.ts"
import { findHeads, hasOtherStreams, type StoredPublication, type StreamHead } from "./live-history.ts"
import { activityRows, readLiveRecords, type StoredRecord } from "./live-records.ts"
import type { RecordUnreadable } from "./record-versions.ts"

/** The stored answer of an accepted command. */
export interface StoredCommand {
  readonly scope: string
  readonly commandId: string
  readonly bodyHash: string
  /** JSON. */
  readonly reply: unknown
  readonly at: Timestamp
}

export interface Claim {
  readonly fencingToken: number
  readonly version: number
  /** The fencing token whose commit made the version. */
  readonly versionToken: number
  /** The name of the event's history of streams: the column `history`. */
  readonly epoch: string
}

export interface Recovered extends Claim {
  readonly event: Event
  readonly phases: ReadonlyArray<PhaseState>
  readonly removed: ReadonlyArray<string>
  /** The participants who were announced as present: values of `PresenceDelta.present`. */
  readonly roster: ReadonlyArray<unknown>
  /** Of the shared streams. */
  readonly heads: ReadonlyArray<StreamHead>
  /** True when a room or a participant has a publication: the heads of those streams are read when they are needed. */
  readonly hasOtherStreams: boolean
  /** Answers young enough to be requested again. */
  readonly commands: ReadonlyArray<StoredCommand>
  readonly records: ReadonlyArray<StoredRecord>
}

/** Takes over the event: raises the fencing token, so that its earlier owner can no longer write. Absent event: undefined. */
export const claimLiveEvent = async (
  sql: Queryable,
  claim: { eventId: string; node: string; epoch: string },
): Promise<Claim | undefined> => {
  const [row] = await sql<Claim[]>`
    insert into live_events as l (event_id, epoch, node, history)
    select id, 1, ${claim.node}, ${claim.epoch} from events where id = ${claim.eventId}
    on conflict (event_id) do update set epoch = l.epoch + 1, node = excluded.node
    returning epoch as fencing_token, version, version_epoch as version_token, history as epoch`
  return row
}

export interface StoredVersion {
  readonly eventId: string
  readonly epoch: string
  readonly version: number
  /** Of the activation that claimed the event last. */
  readonly fencingToken: number
}

/** In no order; events that are not there, or were never claimed, are left out. */
export const findVersions = async (
  sql: Queryable,
  eventIds: ReadonlyArray<string>,
): Promise<ReadonlyArray<StoredVersion>> =>
  sql<StoredVersion[]>`
    select event_id, history as epoch, version, epoch as fencing_token from live_events where event_id = any(${[...eventIds]}::uuid[])`

/** Claims the event and reads all that an actor needs to continue it. The cost does not grow with the number of publications. */
export const recoverLiveEvent = (
  sql: Queryable,
  claim: { eventId: string; node: string; epoch: string; commandsSince: Timestamp },
): Effect.Effect<Recovered | undefined, RecordUnreadable | Unavailable> =>
  Effect.gen(function* () {
    const read = yield* query(() => claimAndRead(sql, claim))
    if (read === undefined) return undefined
    const { event, records, ...others } = read
    const readable = yield* Effect.fromResult(records)
    return event === undefined ? undefined : { ...others, event, records: readable }
  })

const claimAndRead = async (sql: Queryable, claim: Parameters<typeof recoverLiveEvent>[1]) => {
  const claimed = await claimLiveEvent(sql, claim)
  if (claimed === undefined) return undefined
  const [event, phases, removed, roster, heads, others, commands, records] = await Promise.all([
    findEvent(sql, claim.eventId),
    listPhaseStates(sql, claim.eventId),
    sql<{ participantId: string }[]>`select participant_id from live_removals where event_id = ${claim.eventId}`,
    sql<{ present: unknown }[]>`select present from present_participants where event_id = ${claim.eventId}`,
    findHeads(sql, claim.eventId, SHARED_STREAMS),
    hasOtherStreams(sql, claim.eventId),
    sql<StoredCommand[]>`
      select scope, command_id, body_hash, reply, at from live_commands
       where event_id = ${claim.eventId} and at >= ${claim.commandsSince} order by at desc limit 1000`,
    readLiveRecords(sql, claim.eventId),
  ])
  return {
    ...claimed,
    event,
    phases,
    removed: removed.map((row) => row.participantId),
    roster: roster.map(({ present }) => present),
    heads,
    hasOtherStreams: others,
    commands: [...commands].reverse(),
    records,
  }
}

/** Did a host remove this participant for good? */
export const wasRemoved = async (sql: Queryable, eventId: string, participantId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from live_removals where event_id = ${eventId} and participant_id = ${participantId}`
  return rows.length > 0
}

/** Changes of who is present. `present`: JSON objects with `participantId`, read back as they are. */
export interface PresenceDelta {
  readonly present: ReadonlyArray<{ readonly participantId: string }>
  /** Ids of participants. */
  readonly absent: ReadonlyArray<string>
}

/** Stores changes of presence that no commit carries, under the fence. */
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

/** All rows that a batch of commands writes. */
export interface LiveCommit {
  readonly eventId: string
  readonly fencingToken: number
  /** The version this commit builds on, and the one it makes. */
  readonly from: number
  readonly version: number
  readonly at: Timestamp
  readonly event: Event | null
  /** Changed or new phases; those that end are written before those that become active. */
  readonly phases: ReadonlyArray<PhaseState>
  readonly publications: ReadonlyArray<StoredPublication>
  readonly occurrences: ReadonlyArray<WebhookEvent>
  readonly commands: ReadonlyArray<StoredCommand>
  readonly changes: ReadonlyArray<Change>
  /** Participants who may not come back, and those who may again. */
  readonly removed: ReadonlyArray<string>
  readonly restored: ReadonlyArray<string>
  /** Null: nobody came or went. */
  readonly presence: PresenceDelta | null
  /** Null: what is recorded has not changed. */
  readonly captured: CapturedRooms | null
  readonly deleted: boolean
}

/** Another activation owns the event: this one must stop writing. */
export class Fenced extends Data.TaggedError("Fenced")<Record<never, never>> {}
/**
 * The commit failed with an unknown outcome: reload before going on. `lost`: the database was unavailable, so the
 * same step may succeed later; otherwise it refused the step itself.
 */
export class CommitUnknown extends Data.TaggedError("CommitUnknown")<{
  readonly cause: unknown
  readonly lost: boolean
}> {}

/** The event's new capacity is below its registrations; nothing was written. */
export class OverCapacity extends Data.TaggedError("OverCapacity")<Record<never, never>> {}

/** The command id was accepted before, longer ago than the actor remembers; nothing was written. */
export class AnsweredBefore extends Data.TaggedError("AnsweredBefore")<Record<never, never>> {}

/**
 * The one transaction of a batch, as one statement: the function's first act is the fence, which fails it whole.
 * Succeeds with the number of webhook deliveries stored.
 */
export const commitLiveEvent = (
  sql: Queryable,
  commit: LiveCommit,
): Effect.Effect<number, Fenced | AnsweredBefore | OverCapacity | CommitUnknown> =>
  Effect.callback((resume) => {
    runCommit(sql, commit).then(
      (deliveries) => resume(Effect.succeed(deliveries)),
      (cause: unknown) => {
        const state = sqlState(cause)
        if (state.fenced) return resume(Effect.fail(new Fenced()))
        if (state.overCapacity) return resume(Effect.fail(new OverCapacity()))
        if (state.constraint === "live_commands_pkey") return resume(Effect.fail(new AnsweredBefore()))
        return resume(Effect.fail(new CommitUnknown({ cause, lost: state.unavailable })))
      },
    )
  })

const runCommit = async (sql: Queryable, commit: LiveCommit): Promise<number> => {
  const [row] = await sql<{ deliveries: number }[]>`
    select commit_live_event(${commit.eventId}, ${commit.fencingToken}, ${commit.from}, ${commit.version},
                             ${commit.at}, ${sql.json(writtenBy(commit))}) as deliveries`
  return row?.deliveries ?? 0
}

/** The argument of `commit_live_event`; an absent part costs it nothing. */
const writtenBy = (commit: LiveCommit): object => {
  const { event, phases, publications, commands, changes, removed, restored, occurrences, captured, deleted } = commit
  const { presence } = commit
  const settling = phases.filter((phase) => phase.status !== "active")
  const opening = phases.filter((phase) => phase.status === "active")
  return {
    ...(event !== null && { event: eventRow(event) }),
    ...(settling.length > 0 && { settling: phaseRows(settling) }),
    ...(opening.length > 0 && { opening: phaseRows(opening) }),
    ...(publications.length > 0 && {
      publications: publications.map(({ at: _, ...publication }) => publication),
    }),
    ...(changes.length > 0 && { activities: activityRows(changes) }),
    ...(commands.length > 0 && { commands: commands.map(commandRow) }),
    ...(removed.length > 0 && { removed }),
    ...(restored.length > 0 && { restored }),
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

/** The stored ones among some answers. */
export const findLiveCommands = async (
  sql: Queryable,
  eventId: string,
  keys: ReadonlyArray<Pick<StoredCommand, "scope" | "commandId">>,
): Promise<ReadonlyArray<StoredCommand>> => {
  const rows = await sql<StoredCommand[]>`
    select c.scope, c.command_id, c.body_hash, c.reply, c.at
      from unnest(${keys.map(({ scope }) => scope)}::text[], ${keys.map(({ commandId }) => commandId)}::text[]) as k(scope, id)
      join live_commands c on c.event_id = ${eventId} and c.scope = k.scope and c.command_id = k.id`
  return [...rows]
}
