-- `retranscribe`: captions of a room came after its recording had its transcript.
alter table media_jobs
  drop constraint media_jobs_kind_check,
  add constraint media_jobs_kind_check
    check (kind in ('inspect', 'cut', 'remove', 'record', 'transcribe', 'summarise', 'move', 'capture', 'derive', 'retranscribe'));
