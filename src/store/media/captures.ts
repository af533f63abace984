/** Recordings made by the media server, from the request until the file exists; some are broadcast meanwhile. */
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { MediaFailure } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { bytesLeft, type MediaQuota } from "./quota.ts"

export interface RoomCapture {
  /** Id of the recording. */
  readonly id: string
  /** The media server's room name; null when the recording is no longer wanted and has to end. */
  readonly egressRoom: string | null
  /** Null until it has begun. */
  readonly egressId: string | null
  readonly storageKey: string
  /** Broadcast made of the room meanwhile; null when the room is only recorded. */
  readonly broadcastId: string | null
}

const COLUMNS = "id, egress_room, egress_id, storage_key, broadcast_id"

/**
 * Rooms of an event that have to be recorded, if this is its newest job. Older jobs are then deleted, because a job that waits for people
 * in a room must not run after the recording was stopped. `undefined` when there is a newer job.
 */
export const wantedCapture = async (
  sql: Queryable,
  eventId: string,
  jobId: number,
): Promise<CapturedRooms | undefined> => {
  const [newest] = await sql<{ id: number; captured: CapturedRooms }[]>`
    select id, captured from media_jobs where event_id = ${eventId} and kind = 'capture' order by id desc limit 1`
  if (newest?.id !== jobId) return undefined
  await sql`delete from media_jobs where event_id = ${eventId} and kind = 'capture' and id < ${jobId}`
  return newest.captured
}

/** Captures of the event that the media server has not ended. */
export const listCaptures = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<RoomCapture>> =>
  sql<RoomCapture[]>`
    select ${sql.unsafe(COLUMNS)} from recordings
     where event_id = ${eventId} and source = 'livekit' and status = 'processing' and not egress_ended order by id`

interface NewCapture {
  readonly id: string
  readonly eventId: string
  readonly phaseId: string | null
  readonly roomId: string | null
  readonly egressRoom: string
  readonly broadcastId: string | null
}

/** Storage quota of a workspace, and the limit of an event's recordings. */
export interface CaptureLimits {
  readonly quota: MediaQuota
  readonly perEvent: number
}

const NO_ROOM: MediaFailure = {
  code: "no_room",
  detail: "The room is not recorded: the workspace or the event has no room for more recordings.",
}
/** Interval after which a refusal is recorded again. */
const SAID_FOR = "1 hour"

const isFull = async (
  sql: Queryable,
  workspaceId: string,
  eventId: string,
  limits: CaptureLimits,
): Promise<boolean> => {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from recordings where event_id = ${eventId}`
  if ((row?.n ?? 0) >= limits.perEvent) return true
  return (await bytesLeft(sql, workspaceId, limits.quota)) <= 0
}

/** Inserts a recording that states why nothing is recorded. */
const insertRefusal = async (sql: Queryable, { id, eventId, phaseId, roomId }: NewCapture, workspaceId: string) => {
  await sql`
    insert into recordings (id, event_id, workspace_id, phase_id, room_id, kind, source, status, failure, egress_ended)
    select ${id}::uuid, ${eventId}::uuid, ${workspaceId}::uuid,
           (select p.id from phases p where p.id = ${phaseId}::uuid and p.event_id = ${eventId}::uuid), ${roomId},
           ${roomId === null ? "merged" : "room"}, 'livekit', 'failed', ${sql.json(NO_ROOM)}, true
     where not exists (
       select 1 from recordings where event_id = ${eventId}::uuid and room_id is not distinct from ${roomId}::text
          and failure->>'code' = ${NO_ROOM.code} and created_at > now() - ${SAID_FOR}::interval)`
}

/** `undefined` when the event is gone, or there is no room for more. `keyOf` derives the storage key from the workspace. */
export const insertCapture = async (
  sql: Queryable,
  capture: NewCapture,
  keyOf: (workspaceId: string) => string,
  limits: CaptureLimits,
): Promise<RoomCapture | undefined> => {
  const { id, eventId, phaseId, roomId, egressRoom, broadcastId } = capture
  const [event] = await sql<{ workspaceId: string }[]>`select workspace_id from events where id = ${eventId}`
  if (event === undefined) return undefined
  if (await isFull(sql, event.workspaceId, eventId, limits)) {
    await insertRefusal(sql, capture, event.workspaceId)
    return undefined
  }
  const [row] = await sql<RoomCapture[]>`
    insert into recordings (id, event_id, workspace_id, phase_id, room_id, kind, source, status, storage_key, egress_room, broadcast_id)
    select ${id}::uuid, ${eventId}::uuid, ${event.workspaceId}::uuid,
           (select p.id from phases p where p.id = ${phaseId}::uuid and p.event_id = ${eventId}::uuid), ${roomId},
           ${roomId === null ? "merged" : "room"}, 'livekit', 'processing', ${keyOf(event.workspaceId)}, ${egressRoom},
           (select b.id from broadcasts b where b.id = ${broadcastId}::uuid and b.event_id = ${eventId}::uuid)
    returning ${sql.unsafe(COLUMNS)}`
  return row
}

/** `gone` means that the recording was deleted, `ended` that the media server's message about its end came first. */
export const captureBegan = async (
  sql: Queryable,
  id: string,
  egressId: string,
): Promise<"gone" | "ended" | "running"> => {
  const [row] = await sql<{ egressEnded: boolean }[]>`
    update recordings set egress_id = ${egressId} where id = ${id} returning egress_ended`
  if (row === undefined) return "gone"
  return row.egressEnded ? "ended" : "running"
}

/** Whether the recording is part of a broadcast in progress. */
export const isBroadcasting = async (sql: Queryable, id: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from recordings r join broadcasts b on b.id = r.broadcast_id
     where r.id = ${id} and r.egress_room is not null and r.status = 'processing' and not r.egress_ended and b.status = 'live'`
  return rows.length > 0
}

/** Called before the media server is asked to end the recording: the room's next recording is a separate one. */
export const captureUnwanted = async (sql: Queryable, id: string): Promise<void> => {
  await sql`update recordings set egress_room = null where id = ${id}`
}

/** Deletes a recording that never began. */
export const dropCapture = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from recordings where id = ${id} and egress_id is null and not egress_ended`
}

interface EndedCapture {
  readonly sizeBytes: number
  /** Stored bytes, including the segments of a broadcast. */
  readonly storedBytes: number
  readonly beganAt: Timestamp | null
}

/** A recording named by a message of the media server. */
interface ToldCapture {
  readonly egressId: string
  /** Recording named by the key: the message may arrive before its `egressId` is stored. */
  readonly id: string | null
}

const isTold = (sql: Queryable, { egressId, id }: ToldCapture) =>
  sql`(r.egress_id = ${egressId} or (r.egress_id is null and r.id = ${id} and r.source = 'livekit'))`

/** Keeps commits of the event out, which could stop the recording meanwhile. */
const lockEventOf = async (sql: Queryable, told: ToldCapture): Promise<void> => {
  await sql`
    select 1 from live_events l join recordings r on r.event_id = l.event_id where ${isTold(sql, told)}
       for no key update of l`
}

/**
 * Records that the file is in the bucket, so that its inspection is next. Returns false when that was known, or the recording is gone. Run
 * it in a transaction. A recording that is still wanted starts again with the next people: the media server ends one when its room is empty
 * for a while.
 */
export const captureEnded = async (
  sql: Queryable,
  told: ToldCapture,
  { sizeBytes, storedBytes, beganAt }: EndedCapture,
): Promise<boolean> => {
  await lockEventOf(sql, told)
  const [ended] = await sql<{ id: string; eventId: string; egressRoom: string | null }[]>`
    with ended as (
      update recordings r
         set egress_id = ${told.egressId}, egress_ended = true, began_at = ${beganAt}, size_bytes = ${sizeBytes},
             uploaded_bytes = ${storedBytes}
       where ${isTold(sql, told)} and status = 'processing' and not egress_ended returning id, event_id, egress_room
    ), job as (
      insert into media_jobs (kind, recording_id) select 'inspect', id from ended
    )
    select id, event_id, egress_room from ended`
  if (ended === undefined) return false
  if (ended.egressRoom !== null) await captureAgain(sql, ended, await pauseBeforeNext(sql, ended.id))
  return true
}

/** Pause by the number of the room's recent recordings that ended by themselves. People may leave a room a few times. */
const NEXT_MS = [0, 0, 0, 1000, 4000, 15_000, 60_000]
const LATELY = "10 minutes"

/** A recorder that repeatedly ends at once would use up the event's recordings within seconds. */
const pauseBeforeNext = async (sql: Queryable, id: string): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n
      from recordings r join recordings ended on ended.event_id = r.event_id and ended.egress_room = r.egress_room
     where ended.id = ${id} and r.id <> ended.id and r.egress_ended and r.created_at > now() - ${LATELY}::interval`
  return NEXT_MS[Math.min(row?.n ?? 0, NEXT_MS.length - 1)] ?? 0
}

/**
 * Adds another look at the rooms, with the wanted rooms of the newest job: that job may have looked at this room before its recording
 * ended.
 */
const captureAgain = async (
  sql: Queryable,
  { id, eventId }: { readonly id: string; readonly eventId: string },
  inMs = 0,
) => {
  await sql`
    insert into media_jobs (kind, event_id, captured, due_at)
    select 'capture', e.event_id, coalesce(
             (select captured from media_jobs where event_id = ${eventId} and kind = 'capture' order by id desc limit 1),
             jsonb_build_object(
               'phaseId', e.phase_id,
               'rooms', coalesce(jsonb_agg(r.room_id) filter (where r.broadcast_id is null), '[]'),
               'broadcastId', max(r.broadcast_id::text))),
           now() + ${inMs}::float8 * interval '1 millisecond'
      from recordings e
      join recordings r on r.event_id = e.event_id and r.phase_id = e.phase_id and r.source = 'livekit'
       and r.egress_room is not null and (r.id = e.id or (r.status = 'processing' and not r.egress_ended))
     where e.id = ${id}
     group by e.event_id, e.phase_id`
}

/** A failed take of an ongoing broadcast. */
export interface FailedTake {
  readonly eventId: string
  readonly phaseId: string
  readonly broadcastId: string
  /** Delay until another take begins; null when too many have failed recently. */
  readonly againInMs: number | null
}

/** Pause by the number of other takes that failed recently. After the last one, no other begins by itself. */
const PAUSES_MS = [1000, 4000, 15_000, 60_000, 60_000]

/** Number of recently begun takes that have failed, without the current one, which may have run for hours. */
const otherFailures = async (
  sql: Queryable,
  { broadcastId, id, code }: { readonly broadcastId: string; readonly id: string; readonly code: string },
): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from recordings
     where broadcast_id = ${broadcastId} and source = 'livekit' and status = 'failed' and failure->>'code' = ${code}
       and created_at > now() - ${LATELY}::interval and id <> ${id}`
  return row?.n ?? 0
}

/**
 * Moves from `processing` to `failed`; a job removes its bytes, if there are any. Returns false when that was known, or the recording is
 * gone. Run it in a transaction. For an ongoing broadcast another take is begun; other recordings do not restart by themselves.
 */
export const captureFailed = async (
  sql: Queryable,
  told: ToldCapture,
  failure: MediaFailure,
): Promise<FailedTake | boolean> => {
  await lockEventOf(sql, told)
  const [failed] = await sql<
    {
      id: string
      eventId: string
      phaseId: string | null
      broadcastId: string | null
      egressRoom: string | null
      isLive: boolean
    }[]
  >`
    with failed as (
      update recordings r
         set egress_id = ${told.egressId}, egress_ended = true, status = 'failed', failure = ${sql.json(failure)}
       where ${isTold(sql, told)} and status = 'processing' and not egress_ended
      returning id, event_id, phase_id, broadcast_id, egress_room, storage_key
    ), bytes as (
      insert into media_jobs (kind, storage_key) select 'remove', storage_key from failed
    )
    select id, event_id, phase_id, broadcast_id, egress_room,
           exists (select 1 from broadcasts b where b.id = failed.broadcast_id and b.status = 'live') as is_live
      from failed`
  if (failed === undefined) return false
  const { id, eventId, phaseId, broadcastId, egressRoom, isLive } = failed
  // The job of a pause or an end may still be pending.
  if (!isLive || egressRoom === null || broadcastId === null || phaseId === null) return true
  const againInMs = PAUSES_MS[await otherFailures(sql, { broadcastId, id, code: failure.code })] ?? null
  if (againInMs !== null) await captureAgain(sql, { id, eventId }, againInMs)
  return { eventId, phaseId, broadcastId, againInMs }
}

export interface UnsettledCapture extends RoomCapture {
  readonly egressId: string
  readonly createdAt: Timestamp
}

/** Captures that the media server may have ended without a message that arrived; a random selection of them, if there are many. */
export const unsettledCaptures = async (sql: Queryable, limit: number): Promise<ReadonlyArray<UnsettledCapture>> =>
  sql<UnsettledCapture[]>`
    select ${sql.unsafe(COLUMNS)}, created_at from recordings
     where source = 'livekit' and status = 'processing' and not egress_ended and egress_id is not null
     order by random() limit ${limit}`
