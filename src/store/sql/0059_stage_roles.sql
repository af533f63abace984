-- The role in which a participant was on stage last, as the public view names it; null: never. It stays when they leave the stage.
alter table present_participants add column stage_role text;
alter table attendances add column stage_role text;

update present_participants set stage_role = present->>'role' where present->>'role' in ('workspace_admin', 'host', 'speaker');
update attendances set stage_role = role where role in ('workspace_admin', 'host', 'speaker');

create index present_participants_stage on present_participants (event_id) where stage_role is not null;
create index attendances_stage on attendances (event_id) where stage_role is not null;
