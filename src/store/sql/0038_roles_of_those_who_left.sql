-- A role that a live event gives reaches the list only while its user may enter the workspace. The removal of a member, which takes
-- the user's row and then its roles, comes before or after as a whole: the lock waits for it, and a statement of its own reads what it left.
create or replace function write_memberships(of_event uuid, given jsonb) returns void language plpgsql as $$
begin
  perform 1 from users u join jsonb_to_recordset(given) as m(user_id uuid) on u.id = m.user_id order by u.id for share of u;
  insert into memberships (id, event_id, user_id, role)
  select new_id(), of_event, u.id, m.role
    from jsonb_to_recordset(given) as m(user_id uuid, role text) join users u on u.id = m.user_id
   where u.account_id is null
      or exists (select 1 from workspace_members w where w.workspace_id = u.workspace_id and w.account_id = u.account_id)
      or exists (select 1 from memberships other where other.user_id = u.id)
  on conflict (event_id, user_id) do update set role = excluded.role;
end $$;
