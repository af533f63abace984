/** Sweeps keep the history of an event: each dispatch once, without what was taken back, without erased people, and for its days alone. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { ownCommand } from "../../src/actors/commands.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { forgetKept, keptSince } from "../../src/store/live/kept-history.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import { eraseAt } from "../../src/store/personal/erasures.ts"
import { openJumpingClock } from "../support/jumping-clock.ts"
import type { Frame } from "./client.ts"
import { sharedHouse } from "./house.ts"
import { storiesAt } from "./kept-story.ts"

const house = sharedHouse({ clock: openJumpingClock().clock })
const { sweep, prepare, endedEvent, tellStory, openReplay } = storiesAt(house)

test("what was taken back is in no replay, before, between and after the sweeps, and a question that is shown again is", async () => {
  const { actors } = house
  const stage = await prepare()
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  const host = await house.join(stage, "hana", "host")
  const guest = await house.join(stage, "gus", "participant")
  const ask = async (text: string): Promise<string> => (await guest.command("question.ask", { text })).d.question.id
  const [hidden, withdrawn, restored] = [await ask("Hidden?"), await ask("Withdrawn?"), await ask("Restored?")]
  const { message } = (await guest.command("chat.send", { to: "event", text: "Deleted" })).d
  const { message: stays } = (await guest.command("chat.send", { to: "event", text: "Stays" })).d
  await host.command("question.answer", { id: hidden, mode: "text", text: "Hidden answer" })
  while ((await sweep()) > 0);
  await host.command("question.pin", { id: hidden })
  for (const [client, t, id] of [
    [host, "question.hide", hidden],
    [guest, "question.withdraw", withdrawn],
    [host, "question.hide", restored],
    [host, "question.restore", restored],
    [host, "chat.delete", message.id],
  ] as const) {
    expect(await client.command(t, { id }), t).toMatchObject({ ok: true })
  }
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  for (const page of [0, 6, 1000]) {
    if (page > 0) while ((await sweep(page)) === page);
    const client = await openReplay(stage, { from: 3_600_000 })
    expect(await client.closeCode()).toBe(4307)
    const shown = client.received.flatMap(({ d }) => d?.message?.id ?? d?.question?.id ?? [])
    expect(new Set(shown)).toEqual(new Set([restored, stays.id]))
    expect(client.ordered("event").map(({ s }) => s)).toEqual(client.ordered("event").map((_, n) => n + 1))
  }
})

test("a message that was deleted by a clock that was put back is not kept, and many deletions are one statement", async () => {
  const { sql } = house.actors
  const stage = await prepare()
  const say = (version: number, minutesAgo: number, t: string, d: object) => sql`
    insert into publications (event_id, stream, s, version, frame, at)
    values (${stage.eventId}, 'event', ${version}, ${version}, ${JSON.stringify({ op: 0, st: "event", s: version, v: version, ts: 1, t, d })},
            ${toTimestamp(Date.now() - minutesAgo * 60_000)})`
  const ids = ["a", "b", "c"]
  for (const [n, id] of ids.entries()) await say(101 + n, 10, "chat.message", { message: { id } })
  await say(104, 20, "chat.deleted", { ids: ["a"] })
  await say(105, 5, "chat.deleted", { ids: ["b"] })
  await say(106, 4, "chat.deleted", { ids: ["c"] })
  await say(107, 3, "chat.message", { message: { id: "d" } })
  const statements: string[] = []
  const counted = new Proxy(sql, {
    apply: (target, self, given) => {
      statements.push(String(given[0]))
      return Reflect.apply(target, self, given)
    },
  })
  const kept = async () => {
    const rows = await sql<{ version: number }[]>`
      select version from kept_publications where event_id = ${stage.eventId} and version > 100 order by version`
    return rows.map(({ version }) => Number(version))
  }
  const sweepUntil = (minutesAgo: number) =>
    forgetPublications(counted, toTimestamp(Date.now() - minutesAgo * 60_000), 1000)
  await sweepUntil(15)
  expect(await kept()).toEqual([104])
  await sweepUntil(8)
  expect(await kept()).toEqual([102, 103, 104])
  statements.length = 0
  await sweepUntil(2)
  expect(await kept()).toEqual([104, 105, 106, 107])
  expect(statements).toHaveLength(2)
})

test("two sweeps at once keep every dispatch once, as does one that stopped between two pages", async () => {
  const { sql } = house.actors
  const stage = await prepare()
  await sql`
    insert into publications (event_id, stream, s, version, frame, at)
    select ${stage.eventId}, 'event', 1000 + n, 1000 + n, '{"t":"announcement","d":{}}', now() - interval '1 hour'
      from generate_series(1, 500) as g(n)`
  await sql
    .begin(async (within) => {
      await forgetPublications(within, toTimestamp(Date.now()), 50)
      throw new Error("The process ends before the commit.")
    })
    .catch(() => {})
  const all = async () => {
    while ((await sweep(7)) > 0);
  }
  await Promise.all([all(), all(), all()])
  await all()
  const rows = await sql<{ n: number; versions: number }[]>`
    select count(*)::integer as n, count(distinct version)::integer as versions from kept_publications
     where event_id = ${stage.eventId} and version > 1000`
  expect(rows[0]).toEqual({ n: 500, versions: 500 })
})

test("an erased person is in no replay: their messages are gone, and their name is nowhere", async () => {
  const { stage } = await tellStory()
  while ((await sweep()) > 0);
  const frames = async () => {
    const rows = await house.actors.sql<
      { frame: string }[]
    >`select frame from kept_publications where event_id = ${stage.eventId}`
    return rows.map(({ frame }) => frame)
  }
  const naming = async (name: string) => (await frames()).filter((frame) => frame.includes(name)).length
  expect([await naming("Name of gus"), await naming("Name of hana")].every((count) => count > 0)).toBe(true)
  await eraseAt(house.actors.sql, { eventIds: [stage.eventId], participantIds: ["gus", "hana"] })
  expect([await naming("Name of"), await naming("Good morning")]).toEqual([0, 0])
  const client = await openReplay(stage, { from: 3_600_000 })
  expect(await client.closeCode()).toBe(4307)
  const { question } = (await client.received.find(({ t }) => t === "question.created")).d
  expect(question).toMatchObject({ text: "Is there a replay?", authorId: null, authorName: null, anonymous: true })
  expect(client.ordered("event").map(({ s }) => s)).toEqual(client.ordered("event").map((_, n) => n + 1))
  const staged = client.ordered("stage").flatMap(({ d }) => d.join.map(({ name }: Frame) => name))
  expect(new Set(staged)).toEqual(new Set(["Removed person"]))
})

test("a person is in no replay from the beginning of their erasure, while what they said waits for the sweep", async () => {
  const { actors } = house
  const stage = await prepare()
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  const guest = await house.join(stage, "erased-guest", "participant")
  await guest.command("chat.send", { to: "event", text: "Said" })
  await guest.command("question.ask", { text: "Asked?" })
  await actors.execute(stage.eventId, { type: "event.end", d: {} })
  await actors.sql`
    insert into erasures (id, workspace_id, participant_ids, due_at)
    select gen_random_uuid(), workspace_id, '{erased-guest}', now() + interval '1 hour' from events where id = ${stage.eventId}`
  const client = await openReplay(stage, { from: 3_600_000 })
  expect(await client.closeCode()).toBe(4307)
  const { question } = client.received.find(({ t }) => t === "question.created")?.d ?? {}
  expect(question).toMatchObject({ text: "Asked?", authorId: null, authorName: null, anonymous: true })
  expect(client.received.some(({ t }) => t === "chat.message")).toBe(false)
  expect(JSON.stringify(client.received)).not.toContain("Name of erased-guest")
})

test("a history goes when its days are over, or when it is no longer to be kept, and others stay", async () => {
  const { sql } = house.actors
  const { stage } = await tellStory()
  const [turned, stays] = [await endedEvent(), await endedEvent()]
  while ((await sweep()) > 0);
  await house.actors.execute(turned.eventId, { type: "event.patch", d: { history: "brief" } })
  await sql`update events set ended_at = ended_at - interval '91 days' where id = ${stage.eventId}`
  expect(await (await openReplay(stage, { from: 0 })).closeCode()).toBe(4303)
  const left = async () => {
    const rows = await sql<{ eventId: string; n: number }[]>`
      select event_id, count(*)::integer as n from kept_publications group by event_id`
    return new Map(rows.map(({ eventId, n }) => [eventId, n]))
  }
  const before = await left()
  const due = (before.get(stage.eventId) ?? 0) + (before.get(turned.eventId) ?? 0)
  const since = keptSince(Date.now(), 90)
  expect(await forgetKept(sql, since, 5)).toBe(5)
  expect(await forgetKept(sql, since, 1000)).toBe(due - 5)
  expect(await forgetKept(sql, since, 1000)).toBe(0)
  const after = await left()
  expect([after.has(stage.eventId), after.has(turned.eventId)]).toEqual([false, false])
  expect(after.get(stays.eventId)).toBe(before.get(stays.eventId))
  const histories = await sql<{ eventId: string }[]>`select event_id from kept_histories`
  expect(new Set(histories.map(({ eventId }) => eventId))).toEqual(new Set(after.keys()))
  await sql`delete from events where id = ${stays.eventId}`
  expect((await left()).has(stays.eventId)).toBe(false)
})

test("history can be kept from the beginning only", async () => {
  const stage = await prepare("brief")
  const { actors } = house
  await actors.execute(stage.eventId, { type: "event.patch", d: { history: "kept" } })
  await actors.execute(stage.eventId, { type: "event.start", d: {} })
  await actors.execute(stage.eventId, { type: "event.patch", d: { history: "kept" } })
  await actors.execute(stage.eventId, { type: "event.patch", d: { history: "brief" } })
  const late = ownCommand({ type: "event.patch", d: { history: "kept" } })
  const refused = actors.run(Effect.flip(Effect.flatMap(LiveEvents, (live) => live.execute(stage.eventId, late))))
  expect(await refused).toMatchObject({ code: "conflict" })
})
