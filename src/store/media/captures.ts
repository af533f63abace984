/** Recordings that the media server makes, from the wish to have one until its file is there. */
import type { CapturedRooms } from "../../model/media/captured-rooms.ts"
import type { MediaFailure } from "../../model/media/recording.ts"
import type { Queryable } from "../database.ts"

export interface Capture {
  /** The recording. */
  readonly id: string
  /** The media server's name of the room. */
  readonly egressRoom: string
  /** Null: it has not begun. */
  readonly egressId: string | null
  readonly storageKey: string
}

const COLUMNS = "id, egress_room, egress_id, storage_key"

/**
 * What has to be recorded of an event, if this is its newest job; older ones are deleted then, because one that waits for people in a
 * room must not be done after the recording was stopped. `undefined`: a newer job says it.
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
export const listCaptures = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<Capture>> =>
  sql<Capture[]>`
    select ${sql.unsafe(COLUMNS)} from recordings
     where event_id = ${eventId} and source = 'livekit' and status = 'processing' and not egress_ended order by id`

export interface NewCapture {
  readonly id: string
  readonly eventId: string
  readonly phaseId: string | null
  readonly roomId: string | null
  readonly egressRoom: string
}

/** `undefined`: the event is gone. `keyOf`: the key of the bytes, by the workspace. */
export const insertCapture = async (
  sql: Queryable,
  { id, eventId, phaseId, roomId, egressRoom }: NewCapture,
  keyOf: (workspaceId: string) => string,
): Promise<Capture | undefined> => {
  const [event] = await sql<{ workspaceId: string }[]>`select workspace_id from events where id = ${eventId}`
  if (event === undefined) return undefined
  const [row] = await sql<Capture[]>`
    insert into recordings (id, event_id, workspace_id, phase_id, room_id, kind, source, status, storage_key, egress_room)
    select ${id}::uuid, ${eventId}::uuid, ${event.workspaceId}::uuid,
           (select p.id from phases p where p.id = ${phaseId}::uuid and p.event_id = ${eventId}::uuid), ${roomId},
           ${roomId === null ? "merged" : "room"}, 'livekit', 'processing', ${keyOf(event.workspaceId)}, ${egressRoom}
    returning ${sql.unsafe(COLUMNS)}`
  return row
}

export const captureBegan = async (sql: Queryable, id: string, egressId: string): Promise<void> => {
  await sql`update recordings set egress_id = ${egressId} where id = ${id}`
}

/** One that never began leaves nothing. */
export const dropCapture = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from recordings where id = ${id} and egress_id is null and not egress_ended`
}

/** The file is in the bucket: its inspection is next. False: that was known, or the recording is gone. */
export const captureEnded = async (sql: Queryable, egressId: string, sizeBytes: number): Promise<boolean> => {
  const { count } = await sql`
    with ended as (
      update recordings set egress_ended = true, size_bytes = ${sizeBytes}, uploaded_bytes = ${sizeBytes}
       where egress_id = ${egressId} and status = 'processing' and not egress_ended returning id
    )
    insert into media_jobs (kind, recording_id) select 'inspect', id from ended`
  return count > 0
}

/** From `processing` to `failed`; its bytes, if there are any, are removed by a job. */
export const captureFailed = async (sql: Queryable, egressId: string, failure: MediaFailure): Promise<boolean> => {
  const { count } = await sql`
    with failed as (
      update recordings set egress_ended = true, status = 'failed', failure = ${sql.json(failure)}
       where egress_id = ${egressId} and status = 'processing' and not egress_ended returning storage_key
    )
    insert into media_jobs (kind, storage_key) select 'remove', storage_key from failed`
  return count > 0
}

/** Captures that the media server may have ended without a message that came here. */
export const unsettledCaptures = async (
  sql: Queryable,
  limit: number,
): Promise<ReadonlyArray<Capture & { readonly egressId: string }>> =>
  sql<(Capture & { egressId: string })[]>`
    select ${sql.unsafe(COLUMNS)} from recordings
     where source = 'livekit' and status = 'processing' and not egress_ended and egress_id is not null
     order by created_at limit ${limit}`
