/**
 * A tally is the set of its voters: in memory, in the rows, and in what was said last, whatever people do at once, and
 * with the process stopped or killed in between.
 */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Command } from "../../src/actors/commands.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"
import { sharedDatabase } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const database = sharedDatabase()

const POLLS = [
  { kind: "single", allowChange: true, results: "live" },
  { kind: "multi", allowChange: true, results: "afterVote" },
  { kind: "rating", allowChange: false, results: "onPublish" },
  { kind: "ranking", allowChange: true, results: "live" },
] as const
const OPTIONS = ["a", "b", "c"] as const
const PEOPLE = 6
const QUESTION = POLLS.length

/** One thing a person does: votes on the question or in a poll, perhaps sending it twice. */
const act = fc.record({
  on: fc.integer({ min: 0, max: QUESTION }),
  choice: fc.subarray(["1", "2", "3"]),
  twice: fc.boolean(),
})
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never
/** The actions of each person, one after the other; all people at once. */
const acts = fc.array(fc.array(act, { maxLength: 8 }), { minLength: PEOPLE, maxLength: PEOPLE })

/** The effect of a choice in one of the polls, or for the question: a vote or none. */
const chosen = ({ on, choice }: Act): ReadonlyArray<string> => {
  if (on === QUESTION) return choice.slice(0, 1).map(() => "vote")
  const kind = POLLS[on]?.kind
  if (kind === "ranking") return choice.toReversed()
  return kind === "multi" ? choice : choice.slice(0, 1)
}

/** Counts of the options by all choices. In a ranking of three the first place has three points, the second two. */
const tallyOf = (thing: number, choices: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const weight = (choice: ReadonlyArray<string>, id: string): number =>
    POLLS[thing]?.kind === "ranking" ? 3 - choice.indexOf(id) : 1
  return OPTIONS.map((_, index) => String(index + 1)).map((id) =>
    choices.filter((choice) => choice.includes(id)).reduce((sum, choice) => sum + weight(choice, id), 0),
  )
}

/** Everyone's choice by thing and person, as the rules have it. */
class Model {
  readonly choices = Array.from({ length: QUESTION + 1 }, () => new Map<number, ReadonlyArray<string>>())

  take(person: number, done: Act): void {
    const before = this.choices[done.on]?.get(person) ?? []
    if (before.length > 0 && done.on < QUESTION && POLLS[done.on]?.allowChange === false) return
    this.choices[done.on]?.set(person, chosen(done))
  }

  voters(thing: number): ReadonlyArray<string> {
    const choices = [...(this.choices[thing] ?? [])].filter(([, choice]) => choice.length > 0)
    return choices.map(([person]) => `p${person}`).toSorted()
  }

  tally(thing: number): { readonly counts: ReadonlyArray<number>; readonly voters: number } {
    const counts = tallyOf(thing, [...(this.choices[thing]?.values() ?? [])])
    return { counts, voters: this.voters(thing).length }
  }
}

const command = (ids: ReadonlyArray<string>, done: Act): Command => {
  const id = ids[done.on] ?? ""
  const choice = chosen(done)
  return done.on === QUESTION
    ? { type: "question.vote", d: { id, on: choice.length > 0 } }
    : { type: "poll.vote", d: { id, optionIds: choice } }
}

let sent = 0
/** All people at once, each doing one thing after the other. */
const perform = async (
  house: ActorHouse,
  eventId: string,
  ids: ReadonlyArray<string>,
  doings: ReadonlyArray<Act[]>,
) => {
  const one = async (person: number, done: Act): Promise<void> => {
    const participantId = `p${person}`
    const by = { participantId, name: participantId, userId: null, kind: "guest", role: "viewer" } as const
    const given = { by, scope: participantId, commandId: `vote ${sent++}` }
    const once = () => house.execute(eventId, command(ids, done), given).catch((refused) => refused)
    await Promise.all(done.twice ? [once(), once()] : [once()])
  }
  await Promise.all(
    doings.map(async (own, person) => {
      for (const done of own) await one(person, done)
    }),
  )
}

/** The last dispatch about each entity, by id. */
const lastSaid = (seen: Awaited<ReturnType<ActorHouse["watch"]>>) => {
  const last = new Map<string, object>()
  for (const { frame } of seen.flatMap(({ ephemeral }) => ephemeral)) {
    const { t, d } = JSON.parse(frame)
    if (t === "poll.tally") last.set(d.id, { counts: d.counts, voters: d.voters })
    if (t === "question.votes") for (const [id, voters] of d.votes) last.set(id, { voters })
  }
  return last
}

/** Memory, rows and what was said: all as the model has it. */
const compare = async (
  house: ActorHouse,
  seen: Awaited<ReturnType<ActorHouse["watch"]>>,
  eventId: string,
  ids: ReadonlyArray<string>,
  model: Model,
  /** The earlier dispatches. */
  known: ReadonlyMap<string, object>,
) => {
  const question = ids[QUESTION] ?? ""
  const wanted = POLLS.map((_, index) => ({ id: ids[index], ...model.tally(index) }))
  const people = Array.from({ length: PEOPLE }, (_, person) => `p${person}`)
  const { snapshot, personal } = await house.read(eventId, people)
  expect(snapshot.staff["staffPolls"]).toMatchObject(wanted)
  expect(snapshot.everyone["questions"]).toMatchObject({ top: [{ votes: model.voters(QUESTION).length }] })
  for (const [person, participantId] of people.entries()) {
    const own = ids.flatMap((id, index) => {
      const choice = index < QUESTION ? (model.choices[index]?.get(person) ?? []) : []
      return choice.length > 0 ? [[id, choice]] : []
    })
    expect(personal[participantId]?.state["pollVotes"]).toEqual(Object.fromEntries(own))
  }
  const rows = await house.sql<{ kind: string; id: string; body: object }[]>`
    select kind, id, body from live_records where event_id = ${eventId}`
  const voted = await house.sql<{ voter: string }[]>`
    select voter from question_votes where question_id = ${question} order by voter`
  const [row] = await house.sql<{ votes: number }[]>`select votes from questions where id = ${question}`
  expect(voted.map(({ voter }) => voter)).toEqual(model.voters(QUESTION))
  expect(row?.votes).toBe(voted.length)
  for (const [index, { id, counts, voters }] of wanted.entries()) {
    expect(rows.find((found) => found.kind === "poll" && found.id === id)?.body).toMatchObject({ counts, voters })
    const votes = rows.filter((found) => found.kind === "pollVote" && found.id.startsWith(`${id} `))
    expect(votes.map((vote) => vote.id.slice(`${id} `.length)).toSorted()).toEqual(model.voters(index))
    const stored = votes.map(({ body }) => body as ReadonlyArray<string>)
    expect(tallyOf(index, stored)).toEqual(counts)
  }
  const tallies = [...wanted, { id: question, voters: model.voters(QUESTION).length }]
  await eventually(() => {
    // Tallies are a second apart.
    house.clock.jump(1000)
    const said = lastSaid(seen)
    return tallies.every(({ id, ...now }) => {
      const last = said.get(id ?? "") ?? known.get(id ?? "")
      return JSON.stringify(last) === JSON.stringify(now)
    })
  }, "the last tally said")
  return new Map(tallies.map(({ id, ...now }) => [id ?? "", now]))
}

/** An event with an open question and open polls; ids of the polls, then of the question. */
const prepare = async (house: ActorHouse) => {
  const { eventId } = await seedEvent(house.sql, [{ modality: "broadcast", featureSet: ["qa", "polls"] }])
  await house.execute(eventId, { type: "event.start", d: {} })
  const ids: string[] = []
  for (const poll of POLLS) {
    const { result } = await house.execute(eventId, {
      type: "poll.create",
      d: { question: "Which?", options: OPTIONS, ...poll },
    })
    const { id } = result["poll"] as { readonly id: string }
    await house.execute(eventId, { type: "poll.open", d: { id } })
    ids.push(id)
  }
  const { result } = await house.execute(eventId, { type: "question.ask", d: { text: "Why?" } })
  return { eventId, ids: [...ids, (result["question"] as { readonly id: string }).id] }
}

const nothing = (ids: ReadonlyArray<string>) =>
  new Map(ids.map((id, index) => [id, index === QUESTION ? { voters: 0 } : { counts: [0, 0, 0], voters: 0 }]))

test("a tally is the set of its voters, through anything", async () => {
  await fc.assert(
    fc.asyncProperty(acts, acts, fc.boolean(), async (before, after, isKilled) => {
      let isAlive = true
      const model = new Model()
      const first = await startActors(database.url, { holds: () => isAlive })
      let second: ActorHouse | undefined
      try {
        const { eventId, ids } = await prepare(first)
        const received = await first.watch(eventId)
        await perform(first, eventId, ids, before)
        for (const [person, own] of before.entries()) for (const done of own) model.take(person, done)
        const known = await compare(first, received, eventId, ids, model, nothing(ids))
        isAlive = false
        if (!isKilled) await first.stop()
        second = await startActors(database.url)
        const receivedAfter = await second.watch(eventId)
        await perform(second, eventId, ids, after)
        for (const [person, own] of after.entries()) for (const done of own) model.take(person, done)
        await compare(second, receivedAfter, eventId, ids, model, known)
      } finally {
        await first.stop()
        await second?.stop()
      }
    }),
    { numRuns: 5 },
  )
})
