-- Of two addresses that are equal in NFC a proved one has the form: 0045 left it to whoever had it, also where nobody had proved that one. The other
-- takes the spelling that is free now. Links that were sent for either end.
create temporary table twins on commit drop as
  select distinct on (other.id) one.id, one.email as spelling, other.id as other_id, other.email as form
    from account_emails one join account_emails other on other.email = normalize(one.email, NFC)
   where one.email is not nfc normalized and one.verified_at is not null and other.verified_at is null
   order by other.id, one.verified_at, one.id;
update account_emails e set email = e.id || '@twin.invalid' from twins t where e.id = t.other_id;
update account_emails e set email = t.form from twins t where e.id = t.id;
update account_emails e set email = t.spelling from twins t where e.id = t.other_id;
delete from account_tokens where email_id in (select id from twins union all select other_id from twins);
