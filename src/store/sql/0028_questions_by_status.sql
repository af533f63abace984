-- Moderators ask for the questions that wait: few among very many. Each status has a stretch of the index of its own, as deliveries of
-- webhooks have; a list of all takes the first of each.
create index questions_by_status on questions (event_id, status, (-votes), created_at, id);
drop index questions_by_votes;
