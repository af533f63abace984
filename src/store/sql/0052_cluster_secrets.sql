-- One row: keyed hashes of the cluster secrets that the node which started last uses and takes beside. A node whose own ones do not
-- fit is refused while another node lives. Releases before this one have no row to do with it.
create table cluster_secrets (
  id boolean primary key default true check (id),
  used text not null,
  other text
);
-- The key of these hashes is one of the kept ones.
alter table kept_keys
  drop constraint kept_keys_name_check,
  add constraint kept_keys_name_check check (name in ('pseudonyms', 'letter-refusals', 'cluster-secrets'));
