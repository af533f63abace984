-- Questions of an event's audience. `votes` is the number of the question's rows in question_votes; only set_vote changes
-- either, so that a list sorted by votes reads one index and the two never part.
create table questions (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  phase_id uuid references phases on delete set null,
  text text not null,
  status text not null check (status in ('pending', 'approved', 'answered', 'hidden')),
  author_user_id uuid references users on delete set null,
  author_name text,
  anonymous boolean not null,
  pinned boolean not null default false,
  answer text,
  votes integer not null default 0 check (votes >= 0),
  created_at timestamptz(3) not null,
  answered_at timestamptz(3),
  -- Who asked anonymously is not known here either.
  check (not anonymous or (author_user_id is null and author_name is null)),
  check ((status = 'answered') = (answered_at is not null))
);
create index questions_by_votes on questions (event_id, (-votes), created_at, id);

-- `voter` is a participant id: a user's, or one with the prefix guest:, reg: or anon:.
create table question_votes (
  question_id uuid not null references questions on delete cascade,
  voter text not null,
  created_at timestamptz(3) not null default now(),
  primary key (question_id, voter)
);

-- Sets or takes back one vote, as often as is asked; returns the tally, or null when the question is gone. The question's
-- row is taken first and in the strength that the count needs: votes queue up here, and a deletion cannot come between.
create function set_vote(of_question uuid, of_voter text, is_on boolean) returns integer language plpgsql as $$
declare tally integer;
begin
  select votes into tally from questions where id = of_question for no key update;
  if not found then return null; end if;
  if is_on then
    insert into question_votes (question_id, voter) values (of_question, of_voter) on conflict do nothing;
  else
    delete from question_votes where question_id = of_question and voter = of_voter;
  end if;
  if found then
    update questions set votes = votes + case when is_on then 1 else -1 end where id = of_question returning votes into tally;
  end if;
  return tally;
end $$;
