/** Commands that a client repeats after a lost connection: answered as before, done once, and not rate limited. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House
/** No bucket fills while a test runs. */
const slow = { perSecond: 0.001, burst: 3 }
const plenty = { perSecond: 1000, burst: 1000 }

beforeAll(async () => {
  const budgets = { commands: plenty, chat: slow, questions: slow, votes: plenty, reactions: plenty, roster: slow }
  house = await openHouse({ budgets })
})
afterAll(() => house.stop())

const limited = { ok: false, e: { code: "rate_limited", temporary: true } }

const again = async (client: Client, stage: Stage, who: string): Promise<Client> => {
  await client.cut()
  return house.join(stage, who)
}

test("a command that was done is answered again over another connection, though no more of its kind is allowed now", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["chat", "qa"] }])
  const first = await house.join(stage, "ann")
  const said: Frame[] = []
  for (const id of ["1", "2", "3"]) {
    said.push(await first.command("chat.send", { to: "event", text: `say ${id}` }, { id: `chat ${id}` }))
    said.push(await first.command("question.ask", { text: `ask ${id}` }, { id: `ask ${id}` }))
  }
  expect(said.every(({ ok }) => ok)).toBe(true)
  expect(await first.command("chat.send", { to: "event", text: "more" })).toMatchObject(limited)
  const second = await again(first, stage, "ann")
  for (const id of ["1", "2", "3"]) {
    const [chat, ask] = said.splice(0, 2)
    expect(await second.command("chat.send", { to: "event", text: `say ${id}` }, { id: `chat ${id}` })).toEqual({
      ...chat,
      dup: true,
    })
    expect(await second.command("question.ask", { text: `ask ${id}` }, { id: `ask ${id}` })).toEqual({
      ...ask,
      dup: true,
    })
  }
  expect(await second.command("chat.send", { to: "event", text: "more" })).toMatchObject(limited)
})

test("an invalid command costs nothing of the budget of its kind", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["qa"] }])
  const ann = await house.join(stage, "ann")
  for (let n = 0; n < 5; n++) {
    expect(await ann.command("question.ask", { text: "" })).toMatchObject({ ok: false, e: { code: "bad_request" } })
  }
  expect(await ann.command("question.ask", { text: "Why?" })).toMatchObject({ ok: true })
})

test("a command that was without effect is not done after all when it comes again later", async () => {
  const stage = await house.stage()
  const ann = await house.join(stage, "ann")
  const idle = await ann.command("hand.lower", {}, { id: "lower" })
  await ann.command("hand.raise")
  expect(await ann.command("hand.lower", {}, { id: "lower" })).toEqual({ ...idle, dup: true })
  expect(await ann.command("hand.raise", { note: "x" }, { id: "lower" })).toMatchObject({
    ok: false,
    e: { code: "conflict" },
  })
  const { d } = await house.connect().identify(await house.token(stage, "ann"))
  expect(d.hand).not.toBeNull()
})

test("an id that is no longer in memory is found in the store, without a change of the memory", async () => {
  const stage = await house.stage()
  const [ann, bob] = [await house.join(stage, "ann"), await house.join(stage, "bob")]
  const first = await ann.command("hand.raise", {}, { id: "raise" })
  await bob.command("hand.lower", {}, { id: "lower" })
  await bob.command("hand.raise")
  const announce = () => house.actors.execute(stage.eventId, { type: "announce", d: { text: "more" } })
  for (let portion = 0; portion < 11; portion++) await Promise.all(Array.from({ length: 100 }, announce))
  const epoch = async () => {
    const [row] = await house.actors.sql`select epoch from live_events where event_id = ${stage.eventId}`
    return row?.["epoch"]
  }
  const before = await epoch()
  expect(await ann.command("hand.raise", {}, { id: "raise" })).toEqual({ ...first, dup: true })
  expect(await bob.command("hand.lower", {}, { id: "lower" })).toMatchObject({ ok: true, dup: true })
  expect((await house.connect().identify(await house.token(stage, "bob"))).d.hand).not.toBeNull()
  expect(await epoch()).toEqual(before)
})

test("a reaction sent again over another connection counts once", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["reactions"] }])
  const [first, other] = [await house.join(stage, "ann"), await house.join(stage, "bob")]
  await first.command("reaction.send", { kind: "clap" }, { id: "same" })
  const second = await again(first, stage, "ann")
  expect(await second.command("reaction.send", { kind: "clap" }, { id: "same" })).toMatchObject({ ok: true, dup: true })
  expect(await second.command("reaction.send", { kind: "love" }, { id: "same" })).toMatchObject({
    ok: false,
    e: { code: "conflict" },
  })
  await second.command("reaction.send", { kind: "love" })
  await other.next(({ t, d }) => t === "reaction.tally" && d.counts.love === 1, "the tally with the love")
  const claps = other.received.filter(({ t }) => t === "reaction.tally").map(({ d }) => d.counts.clap ?? 0)
  expect(claps.reduce((sum, n) => sum + n, 0)).toBe(1)
})

test("the author of an anonymous question is in no row of the store", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["qa"] }])
  const ann = await house.join(stage, "ann-of-the-test")
  const asked = await ann.command("question.ask", { text: "Who?", anonymous: true }, { id: "anon" })
  expect(await ann.command("question.ask", { text: "Who?", anonymous: true }, { id: "anon" })).toEqual({
    ...asked,
    dup: true,
  })
  const tables = await house.actors.sql`
    select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  for (const { ["tableName"]: table } of tables) {
    const rows = await house.actors.sql`
      select 1 from ${house.actors.sql.unsafe(String(table))} as r where r::text like '%ann-of-the-test%' and r::text like ${`%${asked.d.question.id}%`}`
    expect([table, rows.length]).toEqual([table, 0])
  }
  const [kept] = await house.actors.sql`
    select count(*)::int as n from live_commands where event_id = ${stage.eventId} and scope = 'ann-of-the-test'`
  expect(kept).toEqual({ n: 0 })
})

test("pages of a search of many go on until all were looked at; names are not for the nameless", async () => {
  const stage = await house.stage([{ modality: "broadcast" }])
  const host = await house.join(stage, "host", "host")
  const changes = Array.from({ length: 4500 }, (_, n) => ({
    type: "join" as const,
    participant: {
      participantId: `p${n}`,
      name: n % 1500 === 1499 ? `Findme ${n}` : `Person ${n}`,
      role: "viewer",
      kind: "guest",
      userId: null,
    } as const,
    connections: [n] as const,
  }))
  await house.report(stage, changes)
  await host.next(({ t, d }) => t === "presence.count" && d.total >= 4501, "the count of all")
  const found: string[] = []
  let cursor: string | null | undefined
  let pages = 0
  do {
    const { d } = await host.command("roster.list", { query: "ＦindMe", ...(cursor == null ? {} : { cursor }) })
    found.push(...d.participants.map(({ name }: Frame) => name))
    cursor = d.nextCursor
    pages++
  } while (cursor !== null)
  expect([found, pages]).toEqual([["Findme 1499", "Findme 2999", "Findme 4499"], 3])
  const nobody = await house.join(stage, "anon:1", "viewer", { kind: "anonymous" })
  expect(await nobody.command("roster.list")).toMatchObject({ ok: false, e: { code: "forbidden" } })
})
