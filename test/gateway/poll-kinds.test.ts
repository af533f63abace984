/** Rankings, quizzes, and polls whose answers the voters write, over real sockets. */
import { describe, expect, test } from "vitest"
import { pointsOf } from "../../src/actors/domain/activities/questions/quiz.ts"
import type { Poll } from "../../src/model/live/live-records.ts"
import type { Client, Frame } from "./client.ts"
import { lastReady, refused } from "./crowd.ts"
import { NO_LIMITS, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse({ budgets: NO_LIMITS })

const AGENDA = [{ modality: "meeting", featureSet: ["polls"] }] as const

interface Hall {
  readonly stage: Stage
  readonly host: Client
  readonly ann: Client
  readonly bob: Client
}

const assemble = async (): Promise<Hall> => {
  const stage = await house.stage(AGENDA)
  const host = await house.join(stage, "host", "host")
  return { stage, host, ann: await house.join(stage, "ann"), bob: await house.join(stage, "bob") }
}

const opened = async (host: Client, poll: object, how: object = {}): Promise<Frame> => {
  const { id } = (await host.command("poll.create", { question: "Which?", options: [], ...poll })).d.poll
  return (await host.command("poll.open", { id, ...how })).d.poll
}
const choose = (client: Client, id: string, ...optionIds: ReadonlyArray<string>) =>
  client.command("poll.vote", { id, optionIds })
const write = (client: Client, id: string, ...texts: ReadonlyArray<string>) =>
  client.command("poll.vote", { id, optionIds: [], texts })

/** Tallies are a second apart. */
const nextTally = (client: Client, fits: (frame: Frame) => boolean, what: string) => {
  house.actors.clock.jump(1000)
  return client.next(fits, what)
}

/** The next tally with these counts. */
const tally = (client: Client, id: string, counts: ReadonlyArray<number>) =>
  nextTally(
    client,
    ({ t, d }) => t === "poll.tally" && d.id === id && d.counts.join() === counts.join(),
    `tally ${counts}`,
  )

/** The next tally with these answers, each after its votes. Answers with as many votes have no order among them. */
const answers = (client: Client, id: string, ...wanted: ReadonlyArray<string>) =>
  nextTally(
    client,
    ({ t, d }) => {
      if (t !== "poll.tally" || d.id !== id) return false
      const counts = d.counts as ReadonlyArray<number>
      const seen = counts.map((votes, at) => `${votes} ${d.options[at].text}`)
      return (
        counts.join() === counts.toSorted((a, b) => b - a).join() && seen.toSorted().join() === wanted.toSorted().join()
      )
    },
    `answers ${wanted}`,
  )

/** The board of a quiz that has been closed: name, rank and points of each place. */
const boardAt = async (
  client: Client,
  id: string,
): Promise<ReadonlyArray<readonly [string | null, number, number]>> => {
  const { d } = await nextTally(
    client,
    ({ t, d: tally }) => t === "poll.tally" && tally.id === id && tally.board !== undefined,
    "a tally with a board",
  )
  return d.board.map(({ name, rank, points }: Frame) => [name, rank, points])
}

const tallies = (client: Client) => client.received.filter(({ t }) => t === "poll.tally")

const textsIn = (poll: Frame): ReadonlyArray<string> => poll.options.map(({ text }: { text: string }) => text)

describe("a ranking", () => {
  const LUNCH = { kind: "ranking", options: ["Pizza", "Soup", "Salad"] }

  test("gives the first option the most points, keeps the voter's order, and follows a change", async () => {
    const { stage, host, ann, bob } = await assemble()
    const { id } = await opened(host, LUNCH)
    expect(await choose(ann, id, "3", "1", "2")).toMatchObject({ ok: true, d: { optionIds: ["3", "1", "2"] } })
    await tally(host, id, [2, 1, 3])
    // Part of an order leaves the others without points.
    await choose(bob, id, "2")
    await tally(host, id, [2, 4, 3])
    await choose(ann, id, "1", "3", "2")
    await tally(host, id, [3, 4, 2])
    expect(lastReady(await house.join(stage, "ann")).pollVotes).toEqual({ [id]: ["1", "3", "2"] })
    await choose(ann, id)
    await tally(host, id, [0, 3, 0])
  })

  test("takes an option once, and only its own", async () => {
    const { host, ann } = await assemble()
    const { id } = await opened(host, LUNCH)
    expect(await choose(ann, id, "1", "1")).toMatchObject(refused("bad_request"))
    expect(await choose(ann, id, "1", "9")).toMatchObject(refused("not_found"))
  })
})

describe("written answers", () => {
  test("become options in the voters' own words; the same word in another form is the same", async () => {
    const { stage, host, ann, bob } = await assemble()
    const { id } = await opened(host, { kind: "wordcloud" })
    await write(ann, id, "Berlin", "  tea ")
    await write(bob, id, "BERLIN", "berlin", "Café")
    await answers(ann, id, "2 Berlin", "1 Café", "1 tea")
    const { polls } = lastReady(await house.join(stage, "cleo"))
    expect(new Set(textsIn(polls[0]))).toEqual(new Set(["Berlin", "tea", "Café"]))
    expect(polls[0]).toMatchObject({ counts: [2, 1, 1], voters: 2 })
    await write(bob, id, "tea")
    await answers(ann, id, "2 tea", "1 Berlin")
    await choose(ann, id)
    await answers(ann, id, "1 tea")
  })

  test("are bounded in number and length, have no words that hosts refuse, and no option ids", async () => {
    const { host, ann } = await assemble()
    const { id } = await opened(host, { kind: "text", blocked: ["damn", "bad apple"] })
    expect(await write(ann, id, "a".repeat(141))).toMatchObject(refused("bad_request"))
    expect(await write(ann, id, "one", "two")).toMatchObject(refused("bad_request"))
    for (const text of ["DAMN it", "such a bad, apple!", "ｄａｍｎ"]) {
      expect(await write(ann, id, text)).toMatchObject(refused("conflict"))
    }
    // Only whole words count.
    expect(await write(ann, id, "Damned bad applesauce <b>")).toMatchObject({ ok: true })
    await answers(host, id, "1 Damned bad applesauce <b>")
    expect(await choose(ann, id, "1")).toMatchObject(refused("bad_request"))
    const cloud = await opened(host, { kind: "wordcloud" })
    expect(await write(ann, cloud.id, "a".repeat(41))).toMatchObject(refused("bad_request"))
    expect(await write(ann, cloud.id, "a", "b", "c", "d")).toMatchObject(refused("bad_request"))
  })

  test("that a host hides are shown to hosts alone, also when they are written again", async () => {
    const { stage, host, ann, bob } = await assemble()
    const { id } = await opened(host, { kind: "text" })
    await write(ann, id, "rude")
    await write(bob, id, "kind")
    await answers(bob, id, "1 rude", "1 kind")
    const staff = lastReady(await house.join(stage, "second", "host")).staffPolls[0]
    const rude = staff.options.find(({ text }: { text: string }) => text === "rude")
    expect(await ann.command("poll.hide", { id, optionId: rude.id })).toMatchObject(refused("forbidden"))
    expect(await host.command("poll.hide", { id, optionId: "none" })).toMatchObject(refused("not_found"))
    const hidden = (await host.command("poll.hide", { id, optionId: rude.id })).d.poll
    expect(hidden.options.find((one: { id: string }) => one.id === rude.id)).toMatchObject({ hidden: true })
    await answers(bob, id, "1 kind")
    await choose(ann, id)
    await write(ann, id, "RUDE")
    await host.command("poll.close", { id })
    // Dispatches are stored, and have no answers that a host might hide later.
    expect((await bob.dispatch("poll.closed")).d.poll).toMatchObject({ options: [], status: "closed" })
    expect(textsIn(lastReady(await house.join(stage, "cleo")).polls[0])).toEqual(["kind"])
    await host.command("poll.hide", { id, optionId: rude.id, on: false })
    expect(new Set(textsIn(lastReady(await house.join(stage, "dora")).polls[0]))).toEqual(new Set(["rude", "kind"]))
  })

  test("that are hidden take no place of those that staff see", async () => {
    const { stage, host } = await assemble()
    const { id } = await opened(host, { kind: "wordcloud" })
    // Of 102 answers a hundred are listed, and a hidden one must not be one of these.
    for (let n = 0; n < 34; n++) {
      await write(await house.join(stage, `voter ${n}`), id, `a ${n}`, `b ${n}`, `c ${n}`)
    }
    const listed = (await host.command("poll.close", { id })).d.poll.options
    await host.command("poll.hide", { id, optionId: listed[0].id })
    const seen = lastReady(await house.join(stage, "second", "host")).staffPolls[0]
    expect(seen.options.filter(({ hidden }: { hidden?: boolean }) => hidden !== true)).toHaveLength(100)
    expect(seen.options.at(-1)).toMatchObject({ id: listed[0].id, hidden: true })
  })

  test("are not shown before the results are, and go with the poll", async () => {
    const { stage, host, ann, bob } = await assemble()
    const { id } = await opened(host, { kind: "text", results: "afterVote" })
    await write(ann, id, "first")
    expect(lastReady(await house.join(stage, "cleo")).polls[0]).toMatchObject({ options: [] })
    await write(bob, id, "second")
    await answers(bob, id, "1 first", "1 second")
    await host.command("poll.delete", { id })
    const left = await house.actors.sql`
      select kind from live_records where event_id = ${stage.eventId} and kind like 'poll%'`
    expect(left).toEqual([])
  })
})

describe("a quiz", () => {
  const POLL: Poll = {
    id: "quiz",
    question: "Which?",
    kind: "quiz",
    options: [
      { id: "1", text: "Zurich" },
      { id: "2", text: "Bern" },
    ],
    anonymous: false,
    allowChange: false,
    results: "afterVote",
    status: "open",
    published: false,
    counts: [0, 0],
    voters: 0,
    correct: ["2"],
    createdAt: "2026-01-01T00:00:00.000Z",
    openedAt: null,
    closedAt: null,
    endsAt: null,
    extendedMs: 0,
    rev: 1,
  }
  const CAPITAL = { kind: "quiz", options: ["Bern", "Zurich"], correct: [1] }

  test("hides the right option until it is closed, and gives points once", async () => {
    const { stage, host, ann, bob } = await assemble()
    const poll = await opened(host, CAPITAL)
    expect(poll).toMatchObject({ correct: ["1"], most: 1, allowChange: false })
    const shown = (await ann.dispatch("poll.opened")).d.poll
    expect(shown).toMatchObject({ most: 1 })
    expect(shown).not.toHaveProperty("correct")
    expect(await choose(ann, poll.id, "1", "2")).toMatchObject(refused("bad_request"))
    await choose(ann, poll.id, "1")
    await choose(bob, poll.id, "2")
    expect(await choose(bob, poll.id, "1")).toMatchObject(refused("conflict"))
    expect(lastReady(await house.join(stage, "cleo")).polls[0]).not.toHaveProperty("correct")
    await host.command("poll.close", { id: poll.id })
    const closed = (await bob.dispatch("poll.closed")).d.poll
    expect(closed).toMatchObject({ correct: ["1"] })
    // Names are said to those who are there, and stored nowhere.
    expect(closed).not.toHaveProperty("board")
    expect(await boardAt(bob, poll.id)).toEqual([["Name of ann", 1, 1000]])
    // Who votes when the right option is known gets no points.
    await host.command("poll.open", { id: poll.id })
    await choose(await house.join(stage, "late"), poll.id, "1")
    await host.command("poll.close", { id: poll.id })
    const { polls } = lastReady(await house.join(stage, "dora"))
    expect(polls[0].board).toMatchObject([{ name: "Name of ann", points: 1000 }])
  })

  test("adds up over closed quizzes, and shares ranks", async () => {
    const { host, ann, bob } = await assemble()
    const first = await opened(host, { ...CAPITAL, correct: [1, 2] })
    expect(first.most).toBe(2)
    for (const one of [ann, bob]) await choose(one, first.id, "2", "1")
    await host.command("poll.close", { id: first.id })
    expect((await boardAt(ann, first.id)).toSorted()).toEqual([
      ["Name of ann", 1, 1000],
      ["Name of bob", 1, 1000],
    ])
    // Points of a quiz that is still open would tell its right option.
    const open = await opened(host, CAPITAL)
    await choose(bob, open.id, "1")
    const second = await opened(host, CAPITAL)
    await choose(ann, second.id, "1")
    await host.command("poll.close", { id: second.id })
    expect(await boardAt(bob, second.id)).toEqual([
      ["Name of ann", 1, 2000],
      ["Name of bob", 2, 1000],
    ])
  })

  test("that is anonymous tells nobody who has its points, there and on later boards", async () => {
    const { host, ann, bob } = await assemble()
    const secret = await opened(host, { ...CAPITAL, anonymous: true })
    for (const one of [ann, bob]) await choose(one, secret.id, one === ann ? "1" : "2")
    await host.command("poll.close", { id: secret.id })
    expect(await boardAt(bob, secret.id)).toEqual([[null, 1, 1000]])
    expect(JSON.stringify(tallies(bob).map(({ d }) => d.board))).not.toContain("ann")
    const named = await opened(host, CAPITAL)
    await choose(bob, named.id, "1")
    await host.command("poll.close", { id: named.id })
    expect(await boardAt(ann, named.id)).toEqual([["Name of bob", 1, 1000]])
  })

  test("of a minute is worth less the later the answer comes", () => {
    const openedAt = "2026-01-01T00:00:00.000Z"
    const timed: Poll = { ...POLL, openedAt, endsAt: "2026-01-01T00:01:00.000Z" }
    const points = (optionId: string) =>
      [0, 15_000, 30_000, 60_000].map((after) => pointsOf(timed, [optionId], Date.parse(openedAt) + after))
    expect([points("2"), points("1")]).toEqual([
      [1000, 875, 750, 500],
      [0, 0, 0, 0],
    ])
  })

  test("fields that do not go together are refused", async () => {
    const { host } = await assemble()
    for (const [poll, field] of [
      [{ options: ["a", "b"] }, "correct"],
      [{ options: ["a", "b"], correct: [3] }, "correct"],
      [{ options: ["a"], correct: [1] }, "options"],
      [{ kind: "single", options: ["a", "b"], correct: [1] }, "correct"],
      [{ kind: "single", options: ["a"] }, "options"],
      [{ kind: "single", options: ["a", "b"], blocked: ["c"] }, "blocked"],
      [{ kind: "text", options: ["a", "b"] }, "options"],
    ] as const) {
      const answer = await host.command("poll.create", { question: "Which?", kind: "quiz", ...poll })
      expect([poll, answer]).toMatchObject([
        poll,
        { ok: false, e: { code: "bad_request", message: expect.stringContaining(field) } },
      ])
    }
  })
})
