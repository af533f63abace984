/** Acts of single participants at an event, counted from the stored records. */
import type { Queryable } from "../database.ts"

export interface Engagement {
  readonly questions: number
  readonly questionVotes: number
  /** Polls that the participant voted in; anonymous ones are not counted. */
  readonly pollVotes: number
  readonly messages: number
  /** Rounds of rotations and breakouts. */
  readonly rounds: number
}

export const NO_ENGAGEMENT: Engagement = { questions: 0, questionVotes: 0, pollVotes: 0, messages: 0, rounds: 0 }

/** Participants without any engagement are not in the result. */
export const engagementOf = async (
  sql: Queryable,
  eventId: string,
  participantIds: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, Engagement>> => {
  const ids = [...participantIds]
  const rows = await sql<(Engagement & { readonly id: string })[]>`
    with act as (
      select asker_id as id, 'question' as kind from questions where event_id = ${eventId} and asker_id = any (${ids}::text[])
      union all
      select v.voter, 'questionVote' from questions q join question_votes v on v.question_id = q.id
       where q.event_id = ${eventId} and v.voter = any (${ids}::text[])
      union all
      select p.id, 'pollVote' from live_records r cross join unnest(${ids}::text[]) as p(id)
        join live_records v on v.event_id = r.event_id and v.kind = 'pollVote' and v.id = r.id || ' ' || p.id
       where r.event_id = ${eventId} and r.kind = 'poll' and not (r.body->>'anonymous')::boolean
      union all
      select participant_id, 'message' from chat_messages where event_id = ${eventId} and participant_id = any (${ids}::text[])
      union all
      select person, 'round' from live_records r, jsonb_array_elements(r.body->'groups') as together,
             jsonb_array_elements_text(together) as person
       where r.event_id = ${eventId} and r.kind = 'round' and person = any (${ids}::text[])
    )
    select id, count(*) filter (where kind = 'question')::integer as questions,
           count(*) filter (where kind = 'questionVote')::integer as question_votes,
           count(*) filter (where kind = 'pollVote')::integer as poll_votes,
           count(*) filter (where kind = 'message')::integer as messages,
           count(*) filter (where kind = 'round')::integer as rounds
      from act group by id`
  return new Map(rows.map(({ id, ...engagement }) => [id, engagement]))
}
