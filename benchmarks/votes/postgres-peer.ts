/**
 * The rate of the database alone: the same votes in batches, one statement at a time, by the same driver. Nobody is asked
 * whether they may, nobody is answered or told, and no vote is remembered by its id.
 */
import { randomUUID } from "node:crypto"
import postgres, { type Sql } from "postgres"
import { answerParent } from "../support/child.ts"
import { choiceOf, type Offer, OPTION_COUNT, Tally } from "./pace.ts"

/** As many as one commit of ours holds. */
const BATCH = 256

let sql: Sql
let voters: ReadonlyArray<string> = []
let offered = 0
let last: Int32Array

const write = async (batch: ReadonlyArray<number>): Promise<void> => {
  // A statement cannot change a row twice: of one voter's votes the last counts.
  const rows = [...new Map(batch.map((n) => [n % voters.length, n]))].map(([person, n]) => ({
    voter: voters[person] ?? "",
    choice: choiceOf(n, voters.length),
  }))
  await sql`
    insert into votes (voter, choice)
    select v.voter, v.choice from jsonb_to_recordset(${sql.json(rows)}) as v(voter uuid, choice integer)
    on conflict (voter) do update set choice = excluded.choice`
}

answerParent({
  start: async ({ url, people }: { readonly url: string; readonly people: number }) => {
    sql = postgres(url, { max: 1 })
    voters = Array.from({ length: people }, () => randomUUID())
    last = new Int32Array(people).fill(-1)
    await sql`create table votes (voter uuid primary key, choice integer not null)`
  },
  vote: async (offer: Offer) => {
    const tally = new Tally()
    const from = offered
    offered += offer.perSecond * offer.seconds
    let waiting: number[] = []
    let isWriting = false
    const send = (): void => {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      isWriting = batch.length > 0
      if (!isWriting) return
      const settle = (ok: boolean) => (): void => {
        for (const n of batch) {
          if (ok) last[n % voters.length] = n
          tally.answered(n, ok)
        }
        send()
      }
      write(batch).then(settle(true), settle(false))
    }
    return tally.run(offer, from, (n) => {
      waiting.push(n)
      if (!isWriting) send()
    })
  },
  compare: async () => {
    const rows = await sql`select choice, count(*)::int as n from votes group by choice`
    const kept = Array.from(
      { length: OPTION_COUNT },
      (_, choice) => rows.find((row) => row["choice"] === choice)?.["n"] ?? 0,
    )
    const cast = kept.map((_, choice) => last.filter((n) => n >= 0 && choiceOf(n, voters.length) === choice).length)
    return { cast, kept, received: kept }
  },
})
