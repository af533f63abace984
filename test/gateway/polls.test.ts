/** Polls over real sockets: drafted, opened, voted in, closed; and who gets to see the counts when. */
import { describe, expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { lastReady, refused } from "./crowd.ts"
import { type House, NO_LIMITS, openHouse, openMortalHouse, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse({ budgets: NO_LIMITS })

const AGENDA = [
  { modality: "meeting", featureSet: ["polls"] },
  { modality: "meeting", featureSet: [] },
  { modality: "broadcast", featureSet: ["polls"] },
] as const
const LUNCH = { question: " Lunch? ", kind: "single", options: ["Pizza", "Soup", "Salad"] }

const newcomer = async (stage: Stage, who: string, role?: Parameters<House["join"]>[2]) =>
  lastReady(await house.join(stage, who, role))

/** An event with a host and two participants. */
const assemble = async (at: House = house) => {
  const stage = await at.stage(AGENDA)
  const [host, ann, bob] = [
    await at.join(stage, "host", "host"),
    await at.join(stage, "ann"),
    await at.join(stage, "bob"),
  ]
  return { stage, host, ann, bob }
}
const draft = async (host: Client, more: object = {}): Promise<Frame> =>
  (await host.command("poll.create", { ...LUNCH, ...more })).d.poll
const opened = async (host: Client, more: object = {}, how: object = {}): Promise<Frame> => {
  const { id } = await draft(host, more)
  return (await host.command("poll.open", { id, ...how })).d.poll
}
const cast = (client: Client, id: string, ...optionIds: ReadonlyArray<string>) =>
  client.command("poll.vote", { id, optionIds })
/** The next tally with these counts, from now on or already there. Tallies are a second apart. */
const tally = (client: Client, id: string, counts: ReadonlyArray<number>) => {
  house.actors.clock.jump(1000)
  return client.next(
    ({ t, d }) => t === "poll.tally" && d.id === id && d.counts.join() === counts.join(),
    `tally ${counts}`,
  )
}
const tallies = (client: Client) => client.received.filter(({ t }) => t === "poll.tally")

describe("a draft", () => {
  test("is seen by staff alone until it is opened to everyone", async () => {
    const { stage, host, ann } = await assemble()
    const other = await house.join(stage, "other host", "host")
    const poll = await draft(host)
    expect(poll).toMatchObject({ question: "Lunch?", status: "draft", counts: [0, 0, 0], voters: 0, rev: 1 })
    expect(poll).toMatchObject({ anonymous: false, allowChange: true, results: "live", published: false })
    expect(await other.dispatch("poll.created")).toMatchObject({ st: "staff", d: { poll } })
    expect(await newcomer(stage, "cleo")).toMatchObject({ polls: [], pollVotes: {}, hearsPolls: [] })
    expect((await newcomer(stage, "third host", "host")).staffPolls).toEqual([poll])
    expect(await cast(ann, poll.id, "1")).toMatchObject(refused("conflict"))
    const open = (await host.command("poll.open", { id: poll.id }, { rev: 1 })).d.poll
    expect(open).toMatchObject({ status: "open", rev: 2, endsAt: null })
    expect((await ann.dispatch("poll.opened")).d.poll).toEqual(open)
    expect((await newcomer(stage, "dora")).polls).toEqual([open])
    expect(ann.received.some(({ t }) => t === "poll.created")).toBe(false)
  })

  test("that is deleted is announced to staff alone; one that was opened, to everyone", async () => {
    const { stage, host, ann } = await assemble()
    const [kept, poll] = [await draft(host), await opened(host)]
    await cast(ann, poll.id, "1")
    await host.command("poll.delete", { id: kept.id })
    expect(await host.dispatch("poll.deleted")).toMatchObject({ st: "staff", d: { id: kept.id } })
    await host.command("poll.delete", { id: poll.id })
    expect(await ann.dispatch("poll.deleted")).toMatchObject({ st: "event", d: { id: poll.id } })
    expect(await host.command("poll.delete", { id: poll.id })).toMatchObject(refused("not_found"))
    expect(await newcomer(stage, "ann")).toMatchObject({ polls: [], pollVotes: {} })
    const left = await house.actors.sql`
      select kind from live_records where event_id = ${stage.eventId} and kind like 'poll%'`
    expect(left).toEqual([])
  })
})

test("a vote is for options of a poll that is there, and counts where the poll outlived its phase", async () => {
  const { stage, host, ann } = await assemble()
  const poll = await opened(host)
  expect(await cast(ann, newId(), "1")).toMatchObject(refused("not_found"))
  expect(await cast(ann, poll.id, "4")).toMatchObject(refused("not_found"))
  expect(await cast(ann, poll.id, "1", "2")).toMatchObject(refused("bad_request"))
  await host.command("phase.next")
  await host.command("phase.next")
  // The poll outlived its phase; here its audience are viewers.
  expect(await cast(ann, poll.id, "1")).toMatchObject({ ok: true })
  expect((await newcomer(stage, "host", "host")).staffPolls).toMatchObject([{ counts: [1, 0, 0], voters: 1 }])
})

describe("a vote", () => {
  test("is the whole choice: repeated it is idle, changed it moves, empty it is taken back", async () => {
    const { stage, host, ann, bob } = await assemble()
    const poll = await opened(host)
    expect(await cast(ann, poll.id, "2", "2")).toMatchObject({ ok: true, d: { pollId: poll.id, optionIds: ["2"] } })
    await tally(bob, poll.id, [0, 1, 0])
    // The version is that of the vote only once the joins are committed.
    const joins = () => house.actors.sql`
      select 1 from outbox_messages where event_id = ${stage.eventId} and type = 'participant.joined'`
    await eventually(async () => (await joins()).length === 3, "the last join")
    const { v } = await cast(ann, poll.id, "2")
    expect((await cast(ann, poll.id, "2")).v).toBe(v)
    await cast(bob, poll.id, "3")
    await cast(ann, poll.id, "1")
    expect((await tally(bob, poll.id, [1, 0, 1])).d.voters).toBe(2)
    expect(await newcomer(stage, "ann")).toMatchObject({
      pollVotes: { [poll.id]: ["1"] },
      polls: [{ counts: [1, 0, 1], voters: 2, rev: 2 }],
    })
    await cast(ann, poll.id)
    expect((await tally(bob, poll.id, [0, 0, 1])).d.voters).toBe(1)
    expect((await newcomer(stage, "ann")).pollVotes).toEqual({})
  })

  test("of several options counts each; of a rating one step", async () => {
    const { host, ann, bob } = await assemble()
    const multi = await opened(host, { kind: "multi" })
    await cast(ann, multi.id, "3", "1")
    await cast(bob, multi.id, "3")
    expect((await tally(host, multi.id, [1, 0, 2])).d.voters).toBe(2)
    const rating = await opened(host, { kind: "rating", options: ["1", "2", "3", "4", "5"] })
    expect(await cast(ann, rating.id, "4", "5")).toMatchObject(refused("bad_request"))
    await cast(ann, rating.id, "5")
    await tally(host, rating.id, [0, 0, 0, 0, 1])
  })

  test("stands where the poll allows a change, and nowhere is one taken after the close", async () => {
    const { host, ann, bob } = await assemble()
    const poll = await opened(host, { allowChange: false })
    await cast(ann, poll.id, "1")
    expect(await cast(ann, poll.id, "1")).toMatchObject({ ok: true })
    const late = await cast(ann, poll.id, "2")
    expect(late).toMatchObject({ ok: false, e: { code: "conflict", current: { optionIds: ["1"] } } })
    expect(await cast(ann, poll.id)).toMatchObject(refused("conflict"))
    const closed = (await host.command("poll.close", { id: poll.id })).d.poll
    expect(closed).toMatchObject({ status: "closed", counts: [1, 0, 0] })
    expect((await host.command("poll.close", { id: poll.id })).d.poll).toEqual(closed)
    expect(await cast(bob, poll.id, "1")).toMatchObject(refused("conflict"))
    const again = (await host.command("poll.open", { id: poll.id })).d.poll
    expect(again).toMatchObject({ status: "open", closedAt: null, counts: [1, 0, 0], voters: 1 })
    expect(await cast(bob, poll.id, "3")).toMatchObject({ ok: true })
    await tally(ann, poll.id, [1, 0, 1])
  })
})

describe("counts", () => {
  test("after the vote are for voters, in all their tabs and after a resume; then for everyone", async () => {
    const { stage, host, ann, bob } = await assemble()
    const poll = await opened(host, { results: "afterVote" })
    expect((await ann.dispatch("poll.opened")).d.poll).not.toHaveProperty("counts")
    await cast(ann, poll.id, "1")
    await tally(ann, poll.id, [1, 0, 0])
    await tally(host, poll.id, [1, 0, 0])
    expect(await newcomer(stage, "bob")).toMatchObject({ hearsPolls: [], polls: [{ id: poll.id }] })
    expect((await newcomer(stage, "bob")).polls[0]).not.toHaveProperty("voters")
    const tab = await house.join(stage, "ann")
    expect(lastReady(tab).hearsPolls).toEqual([{ id: poll.id, counts: [1, 0, 0], voters: 1 }])
    const { epoch, cursors } = lastReady(tab)
    await tab.cut()
    const back = house.connect()
    const resumed = await back.identify(await house.token(stage, "ann"), { epoch, cursors })
    expect(resumed.d.resumed).toBe(true)
    const voter = await house.join(stage, "cleo")
    await cast(voter, poll.id, "2")
    await Promise.all([ann, back, voter].map((client) => tally(client, poll.id, [1, 1, 0])))
    // A participant who takes the vote back no longer counts as a voter.
    await cast(ann, poll.id)
    await tally(voter, poll.id, [0, 1, 0])
    const closed = (await host.command("poll.close", { id: poll.id })).d.poll
    for (const client of [ann, bob]) expect((await client.dispatch("poll.closed")).d.poll).toEqual(closed)
    expect(tallies(ann).map(({ d }) => d.counts)).not.toContainEqual([0, 1, 0])
    expect(tallies(bob)).toEqual([])
    expect((await newcomer(stage, "dora")).polls).toEqual([closed])
  })

  test("on publishing are for staff, until a host shows them, and again when they are hidden", async () => {
    const { stage, host, ann, bob } = await assemble()
    const poll = await opened(host, { results: "onPublish" })
    await cast(ann, poll.id, "1")
    await tally(host, poll.id, [1, 0, 0])
    await host.command("poll.close", { id: poll.id })
    expect((await bob.dispatch("poll.closed")).d.poll).not.toHaveProperty("counts")
    expect((await newcomer(stage, "host", "host")).staffPolls).toMatchObject([{ counts: [1, 0, 0] }])
    const shown = (await host.command("poll.publish", { id: poll.id })).d.poll
    expect((await bob.dispatch("poll.published")).d.poll).toEqual(shown)
    expect(shown).toMatchObject({ published: true, counts: [1, 0, 0], voters: 1 })
    await host.command("poll.publish", { id: poll.id, on: true })
    await host.command("poll.publish", { id: poll.id, on: false })
    const hidden = (await bob.dispatch("poll.published")).d.poll
    expect(hidden).toMatchObject({ published: false, rev: shown.rev + 1 })
    expect(hidden).not.toHaveProperty("counts")
    expect([...tallies(ann), ...tallies(bob)]).toEqual([])
    expect(await host.command("poll.publish", { id: (await draft(host)).id })).toMatchObject(refused("conflict"))
  })

  test("of many votes at once are sent in few tallies, the last of them exact", async () => {
    const { stage, host, ann } = await assemble()
    const poll = await opened(host)
    const people = await Promise.all(Array.from({ length: 20 }, (_, n) => house.join(stage, `p${n}`)))
    const rounds = ["1", "2", "3"]
    for (const option of rounds) await Promise.all(people.map((client) => cast(client, poll.id, option)))
    await tally(ann, poll.id, [0, 0, 20])
    expect(tallies(ann).length).toBeLessThan(rounds.length * people.length)
  })
})

describe("a poll with a duration", () => {
  test("closes by itself; its timer is among the others and can be extended", async () => {
    const { stage, host, ann } = await assemble()
    const poll = await opened(host, {}, { durationMs: 3_600_000 })
    const { timer } = (await ann.dispatch("timer.updated")).d
    expect(timer).toMatchObject({ id: poll.id, scope: "poll", state: "running", endsAt: poll.endsAt, extendedMs: 0 })
    expect((await newcomer(stage, "cleo")).timers).toEqual([timer])
    expect(await ann.command("timer.extend", { timerId: poll.id, seconds: 60 })).toMatchObject(refused("forbidden"))
    const stale = await host.command("timer.extend", { timerId: poll.id, seconds: 60 }, { rev: timer.rev - 1 })
    expect(stale).toMatchObject({ e: { code: "conflict", current: { timer } } })
    const extended = await host.command("timer.extend", { timerId: poll.id, seconds: 60 }, { rev: timer.rev })
    expect(extended.d.timer).toMatchObject({ extendedMs: 60_000, rev: timer.rev + 1 })
    expect(Date.parse(extended.d.timer.endsAt) - Date.parse(timer.endsAt)).toBe(60_000)
    expect((await ann.dispatch("poll.updated")).d.poll.endsAt).toBe(extended.d.timer.endsAt)
    expect((await ann.dispatch("timer.updated")).d.timer).toEqual(extended.d.timer)
    expect(await host.command("poll.open", { id: poll.id, durationMs: 5000 })).toMatchObject(refused("conflict"))
    await host.command("poll.close", { id: poll.id })
    expect((await ann.dispatch("timer.updated")).d.timer.state).toBe("cancelled")
    expect(await host.command("timer.extend", { timerId: poll.id, seconds: 60 })).toMatchObject(refused("conflict"))
    const brief = await opened(host, {}, { durationMs: 60_000 })
    house.actors.clock.jump(60_000)
    const closed = await ann.next(({ t, d }) => t === "poll.closed" && d.poll.id === brief.id)
    expect(closed.d.poll.closedAt >= brief.endsAt).toBe(true)
    expect((await ann.dispatch("timer.elapsed")).d).toMatchObject({
      timerId: brief.id,
      timer: { id: brief.id, scope: "poll", state: "elapsed" },
    })
    expect((await newcomer(stage, "dora")).timers).toEqual([])
  })

  test("takes no vote from the moment of its end, also while its close is late", async () => {
    const own = await openHouse()
    onTestFinished(() => own.stop())
    const { stage, host } = await assemble(own)
    const poll = await opened(host, {}, { durationMs: 600_000 })
    const by = { participantId: "ann", userId: null, name: "Ann", kind: "guest", role: "participant" } as const
    const vote = () =>
      own.actors.execute(stage.eventId, { type: "poll.vote", d: { id: poll.id, optionIds: ["1"] } }, { by })
    const { clock } = own.actors
    clock.jump(Date.parse(poll.endsAt) - clock.now() - 30_000, true)
    expect(await vote()).toMatchObject({ result: { optionIds: ["1"] } })
    clock.jump(Date.parse(poll.endsAt) - clock.now(), true)
    await expect(vote()).rejects.toMatchObject({ code: "conflict" })
  })

  test("is known in all tabs of the voter, and to nobody else; ephemeral messages are not stored", async () => {
    const { stage, host, ann, bob } = await assemble()
    const tab = await house.join(stage, "ann")
    const poll = await opened(host, { anonymous: true })
    await cast(ann, poll.id, "2")
    const told = await tab.dispatch("me.pollVoted")
    expect(told).toMatchObject({ d: { pollId: poll.id, optionIds: ["2"] } })
    expect("s" in told).toBe(false)
    expect((await tab.command("poll.vote", { id: poll.id, optionIds: [] }, { id: "back" })).ok).toBe(true)
    await ann.next(({ t, d }) => t === "me.pollVoted" && d.optionIds.length === 0, "the vote taken back")
    await tally(bob, poll.id, [0, 0, 0])
    expect(bob.received.some(({ t }) => t === "me.pollVoted")).toBe(false)
    const stored = house.actors.sql`
      select 1 from publications where event_id = ${stage.eventId} and stream = 'me:ann' limit 1`
    expect(await stored).toHaveLength(0)
  })

  test("takes no vote on an earlier view, and shows nobody hidden counts", async () => {
    const { host, ann } = await assemble()
    const poll = await opened(host, { results: "onPublish" })
    const late = await ann.command("poll.vote", { id: poll.id, optionIds: ["1"] }, { rev: poll.rev - 1 })
    expect(late).toMatchObject({
      ok: false,
      e: { code: "conflict", current: { poll: { id: poll.id, rev: poll.rev } } },
    })
    expect("counts" in late.e.current.poll).toBe(false)
    expect(await ann.command("poll.vote", { id: poll.id, optionIds: ["1"] }, { rev: poll.rev })).toMatchObject({
      ok: true,
    })
  })

  test("of a stale revision nothing is opened, closed, published or deleted", async () => {
    const { host } = await assemble()
    const poll = await opened(host)
    for (const t of ["poll.open", "poll.close", "poll.publish", "poll.delete"]) {
      const late = await host.command(t, { id: poll.id }, { rev: 1 })
      expect(late).toMatchObject({ ok: false, e: { code: "conflict", current: { poll: { id: poll.id, rev: 2 } } } })
    }
  })
})

test("options that look alike are refused, and those of another case or width are not", async () => {
  const { host } = await assemble()
  const create = (...options: ReadonlyArray<string>) =>
    host.command("poll.create", { question: "?", kind: "single", options: [...options, "No"] })
  for (const alike of ["Yes", "Yes ", "Yes\u200b", "\u00a0Yes", "Y\u00ades"]) {
    expect(await create("Yes", alike)).toMatchObject(refused("bad_request"))
  }
  expect(await create("kg", "Kg", "ｋｇ", "㎏")).toMatchObject({ ok: true })
})

test("an event has two hundred polls at most", async () => {
  const { stage, host } = await assemble()
  const d = { question: "?", kind: "single", options: ["a", "b"] } as const
  const create = () => house.actors.execute(stage.eventId, { type: "poll.create", d })
  await Promise.all(Array.from({ length: 200 }, create))
  expect(await host.command("poll.create", d)).toMatchObject(refused("conflict"))
})

test("polls, votes and deadlines survive a kill", async () => {
  const { house, kill } = await openMortalHouse({ budgets: NO_LIMITS })
  const { stage, host, ann, bob } = await assemble(house)
  const [poll, brief] = [await opened(host, { results: "afterVote" }), await opened(host, {}, { durationMs: 600_000 })]
  await cast(ann, poll.id, "1")
  await cast(bob, poll.id, "1")
  await cast(bob, poll.id)
  const survivor = await kill()
  const seen = await survivor.watch(stage.eventId)
  const { snapshot, personal } = await survivor.read(stage.eventId, ["ann", "bob"])
  expect(snapshot.staff["staffPolls"]).toMatchObject([
    { id: poll.id, counts: [1, 0, 0], voters: 1, status: "open" },
    { id: brief.id, endsAt: brief.endsAt },
  ])
  expect(personal["ann"]?.state).toMatchObject({
    pollVotes: { [poll.id]: ["1"] },
    hearsPolls: [{ id: poll.id, voters: 1 }],
  })
  expect(personal["bob"]?.state).toMatchObject({ pollVotes: {}, hearsPolls: [] })
  survivor.clock.jump(600_000)
  const said = () => seen.flatMap(({ publications }) => publications.map(({ frame }) => JSON.parse(frame)))
  await eventually(() => said().some(({ t, d }) => t === "poll.closed" && d.poll.id === brief.id))
})
