-- Forms of events: the questions of a registration, and those of the survey after the end. A row is written when the form first changes.
create table event_forms (
  event_id uuid not null references events on delete cascade,
  form text not null check (form in ('registration', 'survey')),
  version integer not null,
  questions jsonb not null,
  anonymous boolean not null,
  -- People get an email after the end, with links to the recap and the survey.
  thanks boolean not null,
  updated_at timestamptz(3) not null,
  primary key (event_id, form)
);

-- Wordings of questions that are no longer asked, and that answers were given to.
create table form_wordings (
  event_id uuid not null,
  form text not null,
  question_id text not null,
  version integer not null,
  question jsonb not null,
  primary key (event_id, form, question_id, version),
  foreign key (event_id, form) references event_forms on delete cascade
);

-- The answers of one person to one form. Those to an anonymous survey have no registration, a random id, and the day for the time, so that
-- neither a column nor the order of rows leads to their person.
create table form_answers (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  form text not null,
  registration_id uuid references registrations on delete cascade,
  answers jsonb not null,
  created_at timestamptz(3) not null
);
create index form_answers_page on form_answers (event_id, form, created_at, (id::text));
create unique index form_answers_registration on form_answers (registration_id, form) where registration_id is not null;

-- The progress of the emails after an event: one row for each event that sends them. Emails are posted in steps, in the order of
-- addresses, and a step moves `after_email` in the transaction that posts its emails.
create table event_thanks (
  event_id uuid primary key references events on delete cascade,
  after_email text not null default '',
  done boolean not null default false,
  -- The last step: events take turns.
  touched_at timestamptz(3) not null default now()
);
create index event_thanks_turn on event_thanks (touched_at) where not done;

-- The workspace registered the person, whose address it chose: emails to them are counted as those to others.
alter table registrations add column by_workspace boolean not null default false;

-- An erasure finds the webhook events about answers here.
create index outbox_messages_of_answers on outbox_messages (event_id) where type in ('registration.answered', 'survey.answered');
