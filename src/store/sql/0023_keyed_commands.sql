-- Answers of commands that came under an Idempotency-Key (scope "key:…") are kept for a day, as the key is; others for minutes.
-- One index for each kind, so that a sweep of the one does not walk over the other.
create index live_commands_at_unkeyed on live_commands (at) where scope not like 'key:%';
create index live_commands_at_keyed on live_commands (at) where scope like 'key:%';
drop index live_commands_at;
