-- The removal of a phase clears `phase_id` of these tables, and looks for recordings of the phase first. Without the indexes each removal
-- reads both tables. The file also keeps an older build from putting back functions that write no order and no removal of phases.
create index questions_phase on questions (phase_id) where phase_id is not null;
create index recordings_phase on recordings (phase_id) where phase_id is not null;
