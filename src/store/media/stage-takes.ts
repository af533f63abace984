/** Takes of a broadcast made by the media server, and the segment numbers shown to viewers. */
import type { Queryable } from "../database.ts"

/** Position of a take in its broadcast. */
export interface TakePlace {
  /** Take index, starting at 0. */
  readonly take: number
  /** Number of its first segment in the broadcast. */
  readonly first: number
}

/** One continuous part of a broadcast made by the media server. */
export interface StageTake {
  /** Id of the recording. */
  readonly id: string
  readonly storageKey: string
  /** Whether the take is complete. */
  readonly hasEnded: boolean
  /** Whether the next take began long ago, or the broadcast ended long ago, while the end of this take is unknown. */
  readonly isOverdue: boolean
  /** Null when none of its segments was shown. */
  readonly place: TakePlace | null
}

/** Segment numbers shown to viewers of a broadcast. */
export interface StageNumbers {
  /** Number of the oldest segment in the last playlist. */
  readonly oldest: number
  /** Number of the next segment. */
  readonly next: number
  /** Number of takes with a segment that was shown. */
  readonly takes: number
}

/** Time after the beginning of the next take at which a take counts as ended, because a dead recorder does not report its end. */
const ENDS_WITHIN = "30 seconds"
/** Time after the end of the broadcast at which its last take counts as ended: nobody waits for what follows, and its files may be long. */
const LAST_ENDS_WITHIN = "2 minutes"

/** Takes that have begun and did not fail, in order. */
export const stageTakesOf = async (sql: Queryable, broadcastId: string): Promise<ReadonlyArray<StageTake>> =>
  sql<StageTake[]>`
    select id, storage_key,
           egress_ended as has_ended,
           egress_room is null and exists (
             select 1 from recordings later
              where later.broadcast_id = ${broadcastId} and later.source = 'livekit' and later.id > take.id
                and later.egress_id is not null and later.created_at < now() - ${ENDS_WITHIN}::interval)
           or exists (
             select 1 from broadcasts b
              where b.id = ${broadcastId} and b.status = 'ended'
                and b.updated_at < now() - ${LAST_ENDS_WITHIN}::interval) as is_overdue,
           case when stage_take is not null then jsonb_build_object('take', stage_take, 'first', stage_first) end as place
      from recordings take
     where broadcast_id = ${broadcastId} and source = 'livekit' and egress_id is not null and status <> 'failed' order by id`

export const stageNumbersOf = async (sql: Queryable, broadcastId: string): Promise<StageNumbers> => {
  const [row] = await sql<StageNumbers[]>`
    select stage_oldest as oldest, stage_next as next, stage_takes as takes from broadcasts where id = ${broadcastId}`
  return row ?? { oldest: 0, next: 0, takes: 0 }
}

/** Stores numbers that are about to be shown. `places` holds those of newly placed takes, by recording. */
export const keepStageNumbers = async (
  sql: Queryable,
  broadcastId: string,
  { oldest, next, takes }: StageNumbers,
  places: ReadonlyMap<string, TakePlace>,
): Promise<void> => {
  const placed = Array.from(places, ([id, { take, first }]) => ({ id, take, first }))
  await sql`
    with shown as (
      update broadcasts set stage_oldest = greatest(stage_oldest, ${oldest}::bigint),
             stage_next = greatest(stage_next, ${next}::bigint), stage_takes = greatest(stage_takes, ${takes}::bigint)
       where id = ${broadcastId}
    )
    update recordings r set stage_take = p.take, stage_first = p.first
      from jsonb_to_recordset(${sql.json(placed)}) as p (id uuid, take bigint, first bigint)
     where r.id = p.id and r.stage_take is null`
}
