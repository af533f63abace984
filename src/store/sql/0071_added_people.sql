-- People whom a workspace registered have notices of their own: emails to them count in the emails of the day, and may wait for the next
-- one. Those of pending notices, which were for all who registered, get theirs.
alter table event_notices drop constraint event_notices_audience_check;
alter table event_notices add constraint event_notices_audience_check check (audience in ('registered', 'added', 'invited'));
insert into event_notices (workspace_id, event_id, audience, known_title, known_at, known_end_at, known_cancelled, known_sequence, since,
                           changed_at, after_email, until_email, held_until)
select workspace_id, event_id, 'added', known_title, known_at, known_end_at, known_cancelled, known_sequence, since, changed_at, after_email,
       until_email, held_until
  from event_notices where audience = 'registered' and not gone order by number;
update event_notices set held_until = null where audience = 'registered';

-- The number of answers without a registration, which anybody may give. It never falls: they are deleted with their event alone.
alter table event_forms add column unregistered_answers integer not null default 0;
update event_forms f set unregistered_answers =
  (select count(*) from form_answers a where a.event_id = f.event_id and a.form = f.form and a.registration_id is null)
 where form = 'survey';

-- Whether a reader of a deleted event had a place, and so an entry in their calendar.
alter table notice_readers add column has_place boolean not null default true;
