-- Addresses of one internationalised domain are one, with its letters. `address_forms` lists the addresses that have another form
-- (address-forms.ts). Nobody is lost: of rows that become equal one gets the form, and the others keep their spelling.

-- A proved address gets the form from one that nobody has proved, which takes the spelling that is free then. Links that were sent for either end.
create temporary table proved_forms on commit drop as
  select distinct on (f.form) one.id, one.email as spelling, f.form, other.id as other_id
    from account_emails one join address_forms f on f.spelling = one.email
    left join account_emails other on other.email = f.form
   where other.id is null or (other.verified_at is null and one.verified_at is not null)
   order by f.form, one.verified_at nulls last, one.id;
update account_emails e set email = e.id || '@twin.invalid' from proved_forms t where e.id = t.other_id;
update account_emails e set email = t.form from proved_forms t where e.id = t.id;
update account_emails e set email = t.spelling from proved_forms t where e.id = t.other_id;
delete from account_tokens where email_id in (
  select id from proved_forms where other_id is not null union all select other_id from proved_forms where other_id is not null);
update users u set email = t.form from proved_forms t join account_emails e on e.id = t.id
 where u.account_id = e.account_id and u.email = t.spelling;
update users u set email = t.spelling from proved_forms t join account_emails e on e.id = t.other_id
 where u.account_id = e.account_id and u.email = t.form;

update users u set email = f.form from address_forms f where u.account_id is null and u.email = f.spelling;

with wanted as (
  select r.id, r.event_id, f.form, row_number() over (partition by r.event_id, f.form order by r.created_at, r.id) as place
    from registrations r join address_forms f on f.spelling = r.email
)
update registrations one set email = w.form from wanted w
 where one.id = w.id and w.place = 1
   and not exists (select from registrations other where other.event_id = w.event_id and other.email = w.form);

update invites i set email = f.form from address_forms f where i.email = f.spelling and i.status <> 'pending';
with wanted as (
  select i.id, i.workspace_id, i.event_id, f.form,
         row_number() over (partition by i.workspace_id, i.event_id, f.form order by i.created_at desc, i.id) as place
    from invites i join address_forms f on f.spelling = i.email where i.status = 'pending'
)
update invites one set email = w.form from wanted w
 where one.id = w.id and w.place = 1
   and not exists (select from invites other
                    where other.workspace_id = w.workspace_id and other.event_id is not distinct from w.event_id
                      and other.email = w.form and other.status = 'pending');
