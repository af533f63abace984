-- Proofs of domains are looked up again each day: when the next look-up is, and how many in a row found no record.
alter table connection_domains
  add column look_at timestamptz(3) not null default now() + random() * interval '1 day',
  add column absences int not null default 0;
create index connection_domains_due on connection_domains (look_at) where proved_at is not null;
