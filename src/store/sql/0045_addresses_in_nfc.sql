-- Addresses that look the same are the same: they are stored in NFC (Unicode Standard Annex 15). Of rows whose addresses become equal one gets
-- the form, a proved one first; the others keep what they have.
with wanted as (
  select id, normalize(email, NFC) as form,
         row_number() over (partition by normalize(email, NFC) order by verified_at nulls last, id) as place
    from account_emails where email is not nfc normalized
)
update account_emails one set email = w.form from wanted w
 where one.id = w.id and w.place = 1 and not exists (select from account_emails other where other.email = w.form);
with wanted as (
  select id, event_id, normalize(email, NFC) as form,
         row_number() over (partition by event_id, normalize(email, NFC) order by id) as place
    from registrations where email is not nfc normalized
)
update registrations one set email = w.form from wanted w
 where one.id = w.id and w.place = 1
   and not exists (select from registrations other where other.event_id = w.event_id and other.email = w.form);
