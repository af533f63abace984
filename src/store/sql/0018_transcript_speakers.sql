-- Words and seconds of each speaker, most words first, as the recap shows them. They are counted when a transcript is written: a recap
-- is read by many, and a long transcript has fifty thousand segments.
alter table transcripts add column speakers jsonb not null default '[]';

update transcripts t set speakers = counted.speakers
  from (
    select transcript_id, jsonb_agg(jsonb_build_object('name', speaker, 'words', words, 'seconds', seconds) order by words desc, speaker) as speakers
      from (
        select transcript_id, speaker, sum(cardinality(regexp_split_to_array(trim(text), '\s+')))::integer as words,
               round(sum(greatest(t1 - t0, 0)) / 1000.0)::integer as seconds,
               row_number() over (partition by transcript_id
                                  order by sum(cardinality(regexp_split_to_array(trim(text), '\s+'))) desc, speaker) as place
          from transcript_segments where speaker <> '' group by transcript_id, speaker) s
     where place <= 100 group by transcript_id) counted
 where counted.transcript_id = t.id;
