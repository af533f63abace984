/** I6: tallies are the votes there are, votes are those that were acknowledged, and no event admits more than its capacity. */
import type postgres from "postgres"
import type { Check, Inspection } from "./inspection.ts"

type PollRow = { readonly id: string; readonly counts: ReadonlyArray<number>; readonly voters: number }
type VoteRow = { readonly poll: string; readonly voter: string; readonly choice: ReadonlyArray<string> }

const readPolls = (sql: postgres.Sql) => sql<PollRow[]>`
  select id, body->'counts' as counts, (body->>'voters')::int as voters from live_records where kind = 'poll'`

const readPollVotes = (sql: postgres.Sql) => sql<VoteRow[]>`
  select split_part(id, ' ', 1) as poll, split_part(id, ' ', 2) as voter, body as choice
    from live_records where kind = 'pollVote'`

const checkPolls = async ({ sql, ledger, load }: Inspection): Promise<void> => {
  const votes = await readPollVotes(sql)
  const choices = new Map(votes.map(({ poll, voter, choice }) => [`${poll} ${voter}`, choice.join()]))
  for (const { id, counts, voters } of await readPolls(sql)) {
    const own = votes.filter(({ poll }) => poll === id)
    const counted = counts.map((_, n) => own.filter(({ choice }) => choice.includes(String(n + 1))).length)
    if (counted.join() !== counts.join() || own.length !== voters)
      ledger.violate("I6", "a poll's tally is not its votes")
  }
  for (const { of, id, voter, choice, during } of load.votes.known) {
    if (of === "poll" && (choices.get(`${id} ${voter}`) ?? "") !== choice) {
      ledger.violate("I1", "a poll vote that was acknowledged is not what is stored", during)
    }
  }
}

const checkQuestions = async ({ sql, ledger, load }: Inspection): Promise<void> => {
  const wrong = await sql`
    select 1 from questions q where votes <> (select count(*) from question_votes v where v.question_id = q.id)`
  for (const _ of wrong) ledger.violate("I6", "a question's tally is not its votes")
  const rows = await sql<{ key: string }[]>`select question_id || ' ' || voter as key from question_votes`
  const stored = new Set(rows.map(({ key }) => key))
  for (const { of, id, voter, choice, during } of load.votes.known) {
    if (of === "question" && String(stored.has(`${id} ${voter}`)) !== choice) {
      ledger.violate("I1", "a question vote that was acknowledged is not what is stored", during)
    }
  }
}

const checkRaces = async ({ sql, ledger, load }: Inspection): Promise<void> => {
  for (const { eventId, capacity, admitted, isComplete, during } of load.races) {
    const rows = await sql<{ email: string }[]>`select email from registrations where event_id = ${eventId}`
    const emails = new Set(rows.map(({ email }) => email))
    if (rows.length > capacity) ledger.violate("I6", `${rows.length} people have one of ${capacity} places`, during)
    if (isComplete && rows.length < capacity) ledger.violate("I6", "a place was refused although one was free", during)
    for (const email of admitted) {
      if (!emails.has(email)) ledger.violate("I1", "a registration that was acknowledged is not there", during)
    }
  }
}

export const checkTallies: Check = async (inspection) => {
  await checkPolls(inspection)
  await checkQuestions(inspection)
  await checkRaces(inspection)
  inspection.ledger.count("races for places checked", inspection.load.races.length)
  inspection.ledger.count("votes checked", inspection.load.votes.known.length)
}
