-- A hidden question comes back as it was: it keeps how and when it was answered.
alter table questions drop constraint questions_check1;
alter table questions add constraint questions_answered
  check (status = 'hidden' or (status = 'answered') = (answered_at is not null));
