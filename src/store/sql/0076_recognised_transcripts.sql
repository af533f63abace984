-- `recognise`: a recording without a transcript is sent to a recogniser, piece by piece; `captured` has what was heard so far.
alter table media_jobs drop constraint media_jobs_kind_check;
alter table media_jobs add constraint media_jobs_kind_check check (kind in
  ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise', 'move', 'capture', 'derive', 'retranscribe', 'recognise'));
-- `{status, detail}` while a recogniser makes the transcript, and when it could not.
alter table recordings add column transcription jsonb;
