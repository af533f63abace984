-- What a live event does while no host is there (model/host-absence.ts).
alter table events add column host_absence jsonb not null default '{"measure": "nothing", "afterSeconds": 60}';
