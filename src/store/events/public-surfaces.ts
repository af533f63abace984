/** Public view of an event: names on stage, the broadcast, and the recordings. */
import type { Event } from "../../model/event.ts"
import type { StoredRecording } from "../../model/media/recording.ts"
import { REMOVED_PERSON } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

interface CastRow {
  readonly name: string
  readonly role: EventRole
}

/** Hosts and speakers that the workspace announces, by name; their other data stays inside the workspace. */
export const listSpeakers = (sql: Queryable, eventId: string): Promise<CastRow[]> =>
  sql<CastRow[]>`
    select u.name, m.role from memberships m join users u on u.id = m.user_id
     where m.event_id = ${eventId} and m.role in ('host', 'speaker') and u.name is not null
     order by m.role, m.created_at, m.id`.then((rows) => [...rows])

/** People now on stage by their roles in the active phase, in order of arrival. */
const listOnStage = (sql: Queryable, eventId: string) =>
  sql<CastRow[]>`
    select present->>'name' as name, stage_role as role from present_participants
     where event_id = ${eventId} and stage_role is not null and stage_role_of(event_id, present->>'role') is not null
       and present->>'name' <> ${REMOVED_PERSON}
     order by role, present->>'joinedAt', participant_id`

/** People who were on stage, including those whose departure is yet to be announced. */
const listWereOnStage = (sql: Queryable, eventId: string) =>
  sql<CastRow[]>`
    select name, role from (
      select distinct on (participant_id) participant_id, name, stage_role as role, at from (
        select participant_id, name, stage_role, first_joined_at as at, 1 as age from attendances
         where event_id = ${eventId} and stage_role is not null
        union all
        select participant_id, present->>'name', stage_role, (present->>'joinedAt')::timestamptz, 0 from present_participants
         where event_id = ${eventId} and stage_role is not null
      ) everybody order by participant_id, age
    ) person where name <> ${REMOVED_PERSON} order by role, at, participant_id`

/** People on stage while an event is live, and those who were on stage after its end; empty before it. */
export const listCast = async (sql: Queryable, { id, status }: Pick<Event, "id" | "status">): Promise<CastRow[]> => {
  if (status === "live") return [...(await listOnStage(sql, id))]
  return status === "ended" ? [...(await listWereOnStage(sql, id))] : []
}

interface BroadcastRow {
  readonly broadcastId: string
  readonly phaseId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  readonly playbackUrl: string | null
}

/** The broadcast of the active phase. */
export const findActiveBroadcast = async (sql: Queryable, eventId: string): Promise<BroadcastRow | undefined> => {
  const [row] = await sql<BroadcastRow[]>`
    select b.id as broadcast_id, b.phase_id, b.status, b.playback_url
      from broadcasts b join phases p on p.id = b.phase_id
     where b.event_id = ${eventId} and p.status = 'active' and b.status in ('live', 'paused')`
  return row
}

export interface RecordingRow {
  readonly id: string
  readonly source: StoredRecording["source"]
  readonly kind: string
  readonly title: string | null
  readonly status: "uploading" | "processing" | "ready" | "failed"
  readonly durationMs: number | null
  readonly createdAt: Timestamp
}

/** Excludes breakout rooms: what was said there is not shown to everybody. */
export const findLatestRecording = async (sql: Queryable, eventId: string): Promise<RecordingRow | undefined> => {
  const [row] = await sql<RecordingRow[]>`
    select id, source, kind, title, status, duration_ms, created_at from recordings
     where event_id = ${eventId} and status = 'ready' and kind <> 'room' order by created_at desc, id desc limit 1`
  return row
}

/** When what the recording shows first took place, if that is known. */
export const findBeginning = async (sql: Queryable, recordingId: string): Promise<Timestamp | undefined> => {
  const [row] = await sql<{ at: Timestamp | null }[]>`
    select coalesce(r.began_at, (
             select s.at - s.duration_ms * interval '1 millisecond' from recording_segments s
              where s.recording_id = r.id order by s.number limit 1)) as at
      from recordings r where r.id = ${recordingId}`
  return row?.at ?? undefined
}

interface ClipRow {
  readonly id: string
  readonly title: string | null
  readonly status: "processing" | "ready" | "failed"
  readonly durationMs: number
  readonly createdAt: Timestamp
}

/** Maximum number of clips shown to the public: an event may have forty thousand. */
const MOST_CLIPS = 100

/** The newest clips, oldest first; none of a breakout room. */
export const listReadyClips = (sql: Queryable, eventId: string): Promise<ClipRow[]> =>
  sql<ClipRow[]>`
    select c.id, c.title, c.status, coalesce(c.actual_end_ms - c.actual_start_ms, c.end_ms - c.start_ms) as duration_ms, c.created_at
      from clips c join recordings r on r.id = c.recording_id
     where r.event_id = ${eventId} and c.status = 'ready' and r.kind <> 'room'
     order by c.created_at desc, c.id desc limit ${MOST_CLIPS}`.then((rows) => [...rows].reverse())

interface DerivationRow {
  readonly id: string
  readonly kind: "transcript"
  readonly status: "processing" | "ready" | "failed"
}

export const listDerivations = (sql: Queryable, recordingId: string): Promise<DerivationRow[]> =>
  sql<DerivationRow[]>`
    select id, 'transcript' as kind, status from transcripts where recording_id = ${recordingId}
    union all
    select id, kind, 'ready' from recording_derivations where recording_id = ${recordingId} order by kind, id`.then(
    (rows) => [...rows],
  )

export interface AssetRow {
  readonly id: string
  /** Source of the recording, also for a clip. */
  readonly source: StoredRecording["source"]
  readonly kind: string
  readonly title: string | null
  readonly status: "uploading" | "processing" | "ready" | "failed"
  readonly durationMs: number | null
  readonly eventId: string
}

/** A recording or a clip, by its id. */
export const findAsset = async (sql: Queryable, id: string): Promise<AssetRow | undefined> => {
  const [row] = await sql<AssetRow[]>`
    select id, source, kind, title, status, duration_ms, event_id from recordings where id = ${id}
    union all
    select c.id, r.source, 'clip', c.title, c.status, coalesce(c.actual_end_ms - c.actual_start_ms, c.end_ms - c.start_ms), r.event_id
      from clips c join recordings r on r.id = c.recording_id where c.id = ${id}`
  return row
}
