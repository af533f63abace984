-- An answer is kept by the transaction of the work it answers, so a key has a row exactly when its work is done. No row says
-- any more that a request is being worked on: one whose process died left nothing, and is done anew.
delete from idempotency_keys where status is null;
alter table idempotency_keys drop column held_until, alter column status set not null, alter column answer_sealed set not null;
