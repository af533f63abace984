/** The takes of a broadcast that the media server makes, and the numbers that viewers were shown. */
import type { Queryable } from "../database.ts"

/** The place of a take in its broadcast. */
export interface TakePlace {
  /** Which one, from 0. */
  readonly take: number
  /** The number of its first segment in the broadcast. */
  readonly first: number
}

/** A stretch of a broadcast that the media server makes. */
export interface StageTake {
  /** Of the recording. */
  readonly id: string
  readonly storageKey: string
  /** Nothing is added to it any more. */
  readonly hasEnded: boolean
  /** The next one began long ago, or the broadcast has ended long ago, and the end of this one is not known. */
  readonly isOverdue: boolean
  /** Null: none of its segments was shown. */
  readonly place: TakePlace | null
}

/** The numbers that viewers of a broadcast were shown. */
export interface StageNumbers {
  /** Of the oldest segment in the last playlist. */
  readonly oldest: number
  /** Of the next segment. */
  readonly next: number
  /** Takes with a segment that was shown. */
  readonly takes: number
}

/** A recorder that died says nothing of its end. So long after the beginning of the next take, nothing more is expected of it. */
const ENDS_WITHIN = "30 seconds"
/** The same, after the end of the broadcast: nobody waits behind the last take, and its files may be long. */
const LAST_ENDS_WITHIN = "2 minutes"

/** Those that have begun and did not fail, in their order. */
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

/** Numbers that are about to be shown. `places`: of takes that had none, by the recording. */
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
