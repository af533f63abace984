-- Addresses of an integrator's users have the form of all others: in lower case and in NFC (Unicode Standard Annex 15).
update users set email = normalize(lower(btrim(email)), NFC)
 where account_id is null and email <> normalize(lower(btrim(email)), NFC);
