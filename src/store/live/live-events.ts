/**
 * Claim and recovery of a live event actor's stored state. Invariant: an activation raises the fencing token (the column `epoch`), so that
 * its earlier owner can commit nothing more (`live-commit.ts`).
 */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { Event } from "../../model/event.ts"
import { type Modality, narrowRole } from "../../model/modality.ts"
import type { PhaseState } from "../../model/phase.ts"
import type { EventRole } from "../../model/roles.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Database, Queryable } from "../database.ts"
import { findStoredEvent, listPhaseStates } from "../events/events.ts"
import { query } from "../query.ts"
import type { RecordUnreadable } from "../record-versions.ts"
import type { StoredCommand } from "./live-commit.ts"
import { findSharedHeads, type StreamHead } from "./live-history.ts"
import { readLiveRecords, type StoredRecord } from "./live-records.ts"

interface Claim {
  /** Chart value of the event; null when the last commit stored none. */
  readonly chart: unknown
  readonly fencingToken: number
  readonly version: number
  /** Fencing token whose commit made the version. */
  readonly versionToken: number
  /** Name of the event's stream history: the column `history`. */
  readonly epoch: string
}

export interface Recovered extends Claim {
  readonly event: Event
  readonly phases: ReadonlyArray<PhaseState>
  readonly removed: ReadonlyArray<string>
  /** Participants who were announced as present: values of `PresenceDelta.present`. */
  readonly roster: ReadonlyArray<unknown>
  /** Heads of the shared streams. */
  readonly heads: ReadonlyArray<StreamHead>
  /** Whether a room or a participant has a publication: the heads of those streams are read on demand. */
  readonly hasOtherStreams: boolean
  /** Replies young enough to be requested again. */
  readonly commands: ReadonlyArray<StoredCommand>
  readonly records: ReadonlyArray<StoredRecord>
}

/**
 * Takes over the event: raises the fencing token, so that the earlier owner can no longer write. Resolves to undefined for an absent event.
 */
export const claimLiveEvent = async (
  sql: Queryable,
  claim: { eventId: string; node: string; epoch: string },
): Promise<Claim | undefined> => {
  const [row] = await sql<Claim[]>`
    insert into live_events as l (event_id, epoch, node, history)
    select id, 1, ${claim.node}, ${claim.epoch} from events where id = ${claim.eventId}
    on conflict (event_id) do update set epoch = l.epoch + 1, node = excluded.node
    returning epoch as fencing_token, version, version_epoch as version_token, history as epoch, chart`
  return row
}

export interface StoredVersion {
  readonly eventId: string
  readonly epoch: string
  readonly version: number
  /** Fencing token of the activation that claimed the event last. */
  readonly fencingToken: number
}

/** Versions in no order; absent events and events that were never claimed are left out. */
export const findVersions = async (
  sql: Queryable,
  eventIds: ReadonlyArray<string>,
): Promise<ReadonlyArray<StoredVersion>> =>
  sql<StoredVersion[]>`
    select event_id, history as epoch, version, epoch as fencing_token from live_events where event_id = any(${[...eventIds]}::uuid[])`

/**
 * Claims the event and reads all that an actor needs to continue it. The cost does not grow with the number of publications. The reads need
 * no transaction: after the claim either nobody else writes, or the claim is outdated and its owner commits nothing.
 */
export const recoverLiveEvent = (
  { liveSql, liveReads }: Pick<Database["Service"], "liveSql" | "liveReads">,
  claim: { eventId: string; node: string; epoch: string; commandsSince: Timestamp },
): Effect.Effect<Recovered | undefined, RecordUnreadable | Unavailable> =>
  Effect.gen(function* () {
    const read = yield* query(() => claimAndRead(liveSql, liveReads, claim))
    if (read === undefined) return undefined
    const { event, records, ...others } = read
    const readable = yield* Effect.fromResult(records)
    return event === undefined ? undefined : { ...others, event, records: readable }
  })

type People = Pick<Recovered, "removed" | "roster">

const findPeople = async (sql: Queryable, eventId: string): Promise<People> => {
  const [row] = await sql<People[]>`
    select array(select participant_id from live_removals where event_id = ${eventId}) as removed,
           (select coalesce(jsonb_agg(present), '[]') from present_participants where event_id = ${eventId}) as roster`
  if (row === undefined) throw new Error("a select without a row")
  return row
}

const claimAndRead = async (liveSql: Queryable, sql: Queryable, claim: Parameters<typeof recoverLiveEvent>[1]) => {
  // Never sent twice, because the second claim would fence off the first.
  const claimed = await claimLiveEvent(liveSql, claim)
  if (claimed === undefined) return undefined
  const [event, phases, people, heads, commands, records] = await Promise.all([
    findStoredEvent(sql, claim.eventId),
    listPhaseStates(sql, claim.eventId),
    findPeople(sql, claim.eventId),
    findSharedHeads(sql, claim.eventId),
    sql<StoredCommand[]>`
      select scope, command_id, body_hash, reply, at from live_commands
       where event_id = ${claim.eventId} and at >= ${claim.commandsSince} order by at desc limit 1000`,
    readLiveRecords(sql, claim.eventId),
  ])
  return {
    ...claimed,
    event,
    phases,
    ...people,
    ...heads,
    commands: [...commands].reverse(),
    records,
  }
}

/** Whether this is the newest activation of the event. */
export const isNewestActivation = async (sql: Queryable, eventId: string, fencingToken: number): Promise<boolean> => {
  const rows = await sql`select 1 from live_events where event_id = ${eventId} and epoch = ${fencingToken}`
  return rows.length > 0
}

/** Whether this participant is blocked, or refused for their address (`isBlockedByAddress`). */
export const isBlockedAt = async (sql: Queryable, eventId: string, participantId: string): Promise<boolean> => {
  const [row] = await sql<{ isBlocked: boolean }[]>`select is_blocked(${eventId}, ${participantId})`
  return row?.isBlocked === true
}

/** Other people who are refused entry because they share an address with one of these participants. */
export const findBlockedNamesakes = async (
  sql: Queryable,
  eventId: string,
  participants: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select distinct other.id
      from jsonb_array_elements_text(${sql.json(participants)}) as decided(id),
           addresses_of(${eventId}, decided.id) as own(address), people_with(${eventId}, own.address) as other(id)
     where other.id <> decided.id and is_blocked_by_address(${eventId}, other.id)`
  return rows.map(({ id }) => id)
}

/** Participants whom a host has blocked, muted or sent to the waiting room. */
export const findDecided = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select participant_id as id from live_removals where event_id = ${eventId}
    union
    select id from live_records where event_id = ${eventId}
       and (kind = 'mute' or (kind = 'admission' and body->>'state' = 'held'))`
  return rows.map(({ id }) => id)
}

/** Whether this very participant is blocked, muted or sent to the waiting room. */
export const isDecidedOn = async (sql: Queryable, eventId: string, participantId: string): Promise<boolean> => {
  const [row] = await sql<{ isDecided: boolean }[]>`select is_decided_on(${eventId}, ${participantId}) as is_decided`
  return row?.isDecided === true
}

/** Whether somebody with the participant's address is blocked, muted or sent to the waiting room. People who run the event are exempt. */
export const isBlockedByAddress = async (sql: Queryable, eventId: string, participantId: string): Promise<boolean> => {
  const [row] = await sql<{ isBlocked: boolean }[]>`
    select is_blocked_by_address(${eventId}, ${participantId}) as is_blocked`
  return row?.isBlocked === true
}

/** A participant's current role in the active phase: the role given at the live event, or else `role`. */
export const findRoleNow = async (
  sql: Queryable,
  { eventId, participantId, role }: { eventId: string; participantId: string; role: EventRole },
): Promise<EventRole> => {
  const [row] = await sql<{ given: EventRole | null; modality: Modality | null }[]>`
    select (select body->>'role' from live_records
             where event_id = ${eventId} and kind = 'role' and id = ${participantId}) as given,
           (select modality from phases where event_id = ${eventId} and status = 'active') as modality`
  return narrowRole(row?.given ?? role, row?.modality ?? null)
}

/** Finds the stored replies among these commands. */
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
