-- Whether the last departure was by the command `leave`: who comes back after it begins another stay, however soon.
alter table attendances add column left_for_good boolean not null default false;
