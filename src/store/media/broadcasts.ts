/**
 * Broadcasts pushed to this server: the address of the encoder, and the rows of what it sends. A recording's row exists from the first
 * fragment on; the broadcast's own row (`live_records`) decides whether it is live.
 */
import type { Visibility } from "../../model/event.ts"
import type { EncoderState } from "../../model/live/live-values.ts"
import type { BroadcastSegment } from "../../model/media/broadcast-segment.ts"
import type { MediaFailure } from "../../model/media/recording.ts"
import type { Queryable } from "../database.ts"

export interface StoredBroadcast {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly phaseId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  readonly playbackUrl: string | null
  readonly visibility: Visibility
  /** Token of the process that opened it last. */
  readonly ownerToken: number
}

export const findBroadcasts = async (
  sql: Queryable,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<StoredBroadcast>> =>
  sql<StoredBroadcast[]>`
    select b.id, b.event_id, e.workspace_id, b.phase_id, b.status, b.playback_url, e.visibility, b.owner_token
      from broadcasts b join events e on e.id = b.event_id where b.id = any (${[...ids]}::uuid[])`

export const findBroadcast = async (sql: Queryable, id: string): Promise<StoredBroadcast | undefined> =>
  (await findBroadcasts(sql, [id]))[0]

/**
 * `recorder_failed` means that the media server starts again by itself, `recorder_given_up` that it no longer does, and `no_room` that it
 * was not asked, because its files could not be stored.
 */
export interface RecorderFailure {
  readonly code: "recorder_failed" | "recorder_given_up" | "no_room"
  readonly detail: string
}

/** Last report of the media server about a broadcast that it makes. */
export interface RecorderReport {
  readonly state: EncoderState
  readonly failure: RecorderFailure | null
}

/** Stores the report of a live broadcast: a report in transit when the broadcast was paused or ended is dropped. */
export const putRecorderReport = async (
  sql: Queryable,
  broadcastId: string,
  { state, failure }: RecorderReport,
): Promise<void> => {
  const recorder = { state, failure: failure === null ? null : { ...failure } }
  await sql`update broadcasts set recorder = ${sql.json(recorder)} where id = ${broadcastId} and status = 'live'`
}

/** Reports of all broadcasts that have not ended. */
export const listRecorderReports = async (
  sql: Queryable,
): Promise<
  ReadonlyArray<
    Pick<StoredBroadcast, "eventId" | "phaseId"> & { readonly broadcastId: string; readonly recorder: RecorderReport }
  >
> =>
  sql`
    select id as broadcast_id, event_id, phase_id, recorder from broadcasts where recorder is not null and status <> 'ended'`

/** Deletes the report of an event whose broadcast the media server no longer makes. */
export const dropRecorderReports = async (sql: Queryable, eventId: string): Promise<void> => {
  await sql`update broadcasts set recorder = null where event_id = ${eventId} and recorder is not null`
}

/** Broadcast of a phase, started or not yet ended. */
export const findPhaseBroadcast = async (sql: Queryable, phaseId: string): Promise<StoredBroadcast | undefined> => {
  const [row] = await sql<StoredBroadcast[]>`
    select b.id, b.event_id, e.workspace_id, b.phase_id, b.status, b.playback_url, e.visibility, b.owner_token
      from broadcasts b join events e on e.id = b.event_id where b.phase_id = ${phaseId}`
  return row
}

/**
 * Makes the caller the owner of a broadcast. From now on the statements of an earlier owner change nothing, so what is read afterwards
 * stays true. Resolves to the owner's token; `undefined` when the broadcast is gone.
 */
export const takeBroadcast = async (sql: Queryable, broadcastId: string): Promise<number | undefined> => {
  const [row] = await sql<{ ownerToken: number }[]>`
    update broadcasts set owner_token = owner_token + 1 where id = ${broadcastId} returning owner_token`
  return row?.ownerToken
}

/**
 * A broadcast and its owner. The owner's statements lock the broadcast's row, so that they come wholly before or after those of another
 * owner. They lock the recording first, as the deletion of an event does.
 */
interface OwnedBroadcast {
  readonly broadcastId: string
  readonly token: number
}

/** Encoder state that the broadcast's owner stores for the other nodes. */
interface StoredEncoderState {
  readonly state: EncoderState
  readonly failure: { readonly code: string; readonly detail: string } | null
}

export const putEncoderNews = async (
  sql: Queryable,
  { broadcastId, token }: OwnedBroadcast,
  { state, failure }: StoredEncoderState,
): Promise<void> => {
  const encoder = { state, failure: failure === null ? null : { code: failure.code, detail: failure.detail } }
  await sql`
    update broadcasts set encoder = ${sql.json(encoder)}, encoder_at = now()
     where id = ${broadcastId} and owner_token = ${token} and status <> 'ended'`
}

/** States of all broadcasts that have not ended. `silentMs` is the silence after which an owner counts as lost, and its encoder with it. */
export const listEncoderNews = async (
  sql: Queryable,
  silentMs: number,
): Promise<
  ReadonlyArray<
    Pick<StoredBroadcast, "eventId" | "phaseId"> & {
      readonly broadcastId: string
      readonly encoder: StoredEncoderState
      readonly isSilent: boolean
    }
  >
> =>
  sql`
    select id as broadcast_id, event_id, phase_id, encoder,
           encoder_at < now() - ${silentMs}::integer * interval '1 millisecond' as is_silent
      from broadcasts where encoder is not null and status <> 'ended'`

interface NewBroadcastRecording {
  readonly id: string
  readonly storageKey: string
  readonly broadcast: StoredBroadcast
  readonly token: number
}

/**
 * Returns false when the broadcast has ended meanwhile, is gone, or has another owner. Its row is locked, so its end comes wholly before or
 * after. This and the insertions below may be repeated when their outcome is unknown.
 */
export const insertBroadcastRecording = async (
  sql: Queryable,
  { id, storageKey, broadcast, token }: NewBroadcastRecording,
): Promise<boolean> => {
  const { count } = await sql`
    insert into recordings (id, event_id, workspace_id, phase_id, kind, source, status, storage_key, broadcast_id)
    select ${id}::uuid, b.event_id, ${broadcast.workspaceId}::uuid, b.phase_id, 'merged', 'broadcast', 'processing', ${storageKey}, b.id
      from broadcasts b where b.id = ${broadcast.id} and b.status <> 'ended' and b.owner_token = ${token} for share of b
    on conflict (id) do update set storage_key = excluded.storage_key`
  return count > 0
}

export interface StoredTake {
  readonly number: number
  readonly identity: string
  readonly init: Uint8Array
  readonly storageKey: string
}

/** Returns false when the recording is gone, or the broadcast has another owner. The file of the first take is the recording's own. */
export const insertTake = async (
  sql: Queryable,
  { broadcastId, token }: OwnedBroadcast,
  recordingId: string,
  take: StoredTake,
): Promise<boolean> => {
  const { number, identity, init, storageKey } = take
  const { count } = await sql`
    with locked as (
      select id from recordings where id = ${recordingId} for no key update
    ), owned as (
      select b.id from broadcasts b, locked where b.id = ${broadcastId} and b.owner_token = ${token} for share of b
    ), named as (
      update recordings r set storage_key = case when ${number}::integer = 1 then ${storageKey}::text else r.storage_key end
        from owned where r.id = ${recordingId} and r.broadcast_id = owned.id returning r.id
    )
    insert into recording_takes (recording_id, number, identity, init, storage_key)
    select id, ${number}::integer, ${identity}::text, ${init}::bytea, ${storageKey}::text from named
    on conflict (recording_id, number) do update set identity = excluded.identity`
  return count > 0
}

/**
 * Stores a segment with the current size of the recording, which counts against the quota. Returns false when the recording is gone or
 * ready, or the broadcast has another owner.
 */
export const insertSegment = async (
  sql: Queryable,
  { broadcastId, token }: OwnedBroadcast,
  recordingId: string,
  segment: BroadcastSegment,
): Promise<boolean> => {
  const { number, take, offset, bytes, startMs, durationMs, isDiscontinuous, at } = segment
  const rows = await sql`
    with locked as (
      select id from recordings where id = ${recordingId} for no key update
    ), owned as (
      select b.id from broadcasts b, locked where b.id = ${broadcastId} and b.owner_token = ${token} for share of b
    ), known as (
      select recording_id as id from recording_segments, owned
       where recording_id = ${recordingId} and number = ${number}::integer and take = ${take}::integer and file_offset = ${offset}::bigint
    ), grown as (
      update recordings set uploaded_bytes = uploaded_bytes + ${bytes}::integer from owned
       where recordings.id = ${recordingId} and status = 'processing' and not exists (select 1 from known) returning recordings.id
    ), added as (
      insert into recording_segments
        (recording_id, number, take, file_offset, bytes, start_ms, duration_ms, is_discontinuous, at)
      select id, ${number}::integer, ${take}::integer, ${offset}::bigint, ${bytes}::integer, ${startMs}::integer, ${durationMs}::integer,
             ${isDiscontinuous}::boolean, to_timestamp(${at}::float8 / 1000) from grown
      returning recording_id as id
    )
    select id from known union all select id from added`
  return rows.length > 0
}

const SEGMENT_COLUMNS = `number, take, file_offset as "offset", bytes, start_ms, duration_ms, is_discontinuous,
  (extract(epoch from at) * 1000)::float8 as at`

/** The last `limit` segments, in order. */
const lastSegments = async (
  sql: Queryable,
  recordingId: string,
  limit: number,
): Promise<ReadonlyArray<BroadcastSegment>> => {
  const rows = await sql<BroadcastSegment[]>`
    select ${sql.unsafe(SEGMENT_COLUMNS)} from recording_segments where recording_id = ${recordingId}
     order by number desc limit ${limit}`
  return [...rows].reverse()
}

/** Stored segments, in order. */
export const storedSegments = async (sql: Queryable, recordingId: string): Promise<ReadonlyArray<BroadcastSegment>> =>
  sql<BroadcastSegment[]>`
    select ${sql.unsafe(SEGMENT_COLUMNS)} from recording_segments where recording_id = ${recordingId} and bytes > 0 order by number`

export const findSegment = async (
  sql: Queryable,
  recordingId: string,
  number: number,
): Promise<BroadcastSegment | undefined> => {
  const [row] = await sql<BroadcastSegment[]>`
    select ${sql.unsafe(SEGMENT_COLUMNS)} from recording_segments
     where recording_id = ${recordingId} and number = ${number} and bytes > 0`
  return row
}

export const takesOf = async (sql: Queryable, recordingId: string): Promise<ReadonlyArray<StoredTake>> =>
  sql<StoredTake[]>`
    select number, identity, init, storage_key from recording_takes where recording_id = ${recordingId} order by number`

/** Files of a broadcast's recording, with the bytes of each that its rows name. */
export const takeSizes = async (
  sql: Queryable,
  recordingId: string,
): Promise<ReadonlyArray<{ readonly storageKey: string; readonly bytes: number }>> =>
  sql<{ storageKey: string; bytes: number }[]>`
    select t.storage_key, coalesce(max(s.file_offset + s.bytes), octet_length(t.init)) as bytes
      from recording_takes t left join recording_segments s on s.recording_id = t.recording_id and s.take = t.number
     where t.recording_id = ${recordingId} group by t.number, t.storage_key, t.init order by t.number`

/** A file of a broadcast's recording, and its time span. */
interface TakeSpan {
  readonly storageKey: string
  readonly startMs: number
  readonly endMs: number
}

/** Spans of the takes with stored segments, in order; empty for a recording that was no broadcast. */
export const takeSpans = async (sql: Queryable, recordingId: string): Promise<ReadonlyArray<TakeSpan>> =>
  sql<TakeSpan[]>`
    select t.storage_key, min(s.start_ms) as start_ms, max(s.start_ms + s.duration_ms) as end_ms
      from recording_takes t join recording_segments s on s.recording_id = t.recording_id and s.take = t.number and s.bytes > 0
     where t.recording_id = ${recordingId} group by t.number, t.storage_key order by t.number`

/** Recording of a broadcast, if anything arrived. */
export const findBroadcastRecording = async (
  sql: Queryable,
  broadcastId: string,
): Promise<{ readonly id: string; readonly storageKey: string; readonly status: string } | undefined> => {
  const [row] = await sql<{ id: string; storageKey: string; status: string }[]>`
    select id, storage_key, status from recordings where broadcast_id = ${broadcastId} and source = 'broadcast'`
  return row
}

/** Stored part of a broadcast, from which it continues. */
export interface BroadcastRows {
  readonly recording: { readonly id: string; readonly storageKey: string } | undefined
  readonly takes: ReadonlyArray<StoredTake>
  /** The last segments. */
  readonly segments: ReadonlyArray<BroadcastSegment>
  /** Number of discontinuities before those segments. */
  readonly discontinuities: number
}

export const readBroadcast = async (sql: Queryable, broadcastId: string, most: number): Promise<BroadcastRows> => {
  const recording = await findBroadcastRecording(sql, broadcastId)
  if (recording === undefined) return { recording, takes: [], segments: [], discontinuities: 0 }
  const [takes, segments] = await Promise.all([takesOf(sql, recording.id), lastSegments(sql, recording.id, most)])
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from recording_segments
     where recording_id = ${recording.id} and number < ${segments[0]?.number ?? 0} and is_discontinuous`
  return { recording, takes, segments, discontinuities: row?.n ?? 0 }
}

/** Records that a part of the recording is missing. It can be watched all the same. */
export const noteCutOff = async (
  sql: Queryable,
  { broadcastId, token }: OwnedBroadcast,
  recordingId: string,
  failure: MediaFailure,
): Promise<void> => {
  await sql`
    with locked as (
      select id from recordings where id = ${recordingId} for no key update
    ), owned as (
      select b.id from broadcasts b, locked where b.id = ${broadcastId} and b.owner_token = ${token} for share of b
    )
    update recordings set failure = ${sql.json(failure)} from owned where recordings.id = ${recordingId} and failure is null`
}
