/** Speaking statistics of a transcript. */
import type { Queryable } from "../database.ts"

const MOST_SPEAKERS = 100

/** SQL for the number of words of `text`. */
export const WORDS = "cardinality(regexp_split_to_array(trim(text), '\\s+'))"

/**
 * Counts words once for all readers of the recap. Segments without a speaker do not count. Run in the transaction that writes the segments.
 */
export const countSpeakers = async (sql: Queryable, transcriptId: string): Promise<void> => {
  await sql`
    update transcripts set speakers = coalesce((
      select jsonb_agg(jsonb_build_object('name', name, 'words', words, 'seconds', seconds) order by words desc, name)
        from (
          select speaker as name, sum(${sql.unsafe(WORDS)})::integer as words,
                 round(sum(greatest(t1 - t0, 0)) / 1000.0)::integer as seconds
            from transcript_segments where transcript_id = ${transcriptId} and speaker <> ''
           group by speaker order by words desc, name limit ${MOST_SPEAKERS}) counted), '[]')
     where id = ${transcriptId}`
}
