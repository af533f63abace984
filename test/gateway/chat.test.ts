/** Chat over real sockets: its places, writers and readers, its moderation, and that no message is lost or doubled. */
import { describe, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import type { Client, Frame } from "./client.ts"
import { lastReady, refused } from "./crowd.ts"
import { type House, openMortalHouse, type Stage, sharedHouse } from "./house.ts"

// Slow mode is what these tests are about, not the budget of everyone.
const chat = { perSecond: 1000, burst: 1000 }
const commands = { perSecond: 1000, burst: 1000 }
const some = { perSecond: 10, burst: 10 }
const budgets = { commands, chat, questions: some, votes: some, reactions: some, roster: some }

const house = sharedHouse({ budgets })

const CALL = [
  { modality: "meeting", featureSet: ["chat"] },
  { modality: "broadcast", featureSet: [] },
] as const
const SHOW = [{ modality: "broadcast", featureSet: ["chat"] }] as const
const ROOMS = [{ modality: "breakout", featureSet: ["chat"] }] as const

const say = (client: Client, text: string, more: object = {}) =>
  client.command("chat.send", { to: "event", text, ...more })
const sent = async (client: Client, text: string, more: object = {}): Promise<Frame> => {
  const reply = await say(client, text, more)
  expect(reply).toMatchObject({ ok: true })
  return reply.d.message
}
const texts = (messages: ReadonlyArray<Frame>) => messages.map(({ text }) => text)
/** A client that has joined now, and its ready. */
const newcomer = async (stage: Stage, who: string, role?: Parameters<House["join"]>[2]) =>
  lastReady(await house.join(stage, who, role))

describe("a message", () => {
  test("reaches everyone under its author's name and role, trimmed, and newcomers find it", async () => {
    const stage = await house.stage(CALL)
    const [ann, bob] = [await house.join(stage, "ann"), await house.join(stage, "bob")]
    expect(lastReady(ann)).toMatchObject({ chat: { last: [], slowMs: 0 }, roomChat: [] })
    const message = await sent(ann, "  Hello \n")
    expect(message).toMatchObject({
      to: "event",
      participantId: "ann",
      name: "Name of ann",
      role: "participant",
      text: "Hello",
      replyTo: null,
      rev: 1,
    })
    expect((await bob.dispatch("chat.message")).d).toEqual({ message })
    const reply = await sent(bob, "Hi", { replyTo: message.id })
    expect((await newcomer(stage, "cleo")).chat.last).toEqual([message, reply])
  })

  test("that is blank, too long, or in reply to no id is a bad request", async () => {
    const ann = await house.join(await house.stage(CALL), "ann")
    for (const d of [{ text: " \n" }, { text: "x".repeat(2001) }, { text: "x", replyTo: "first" }])
      expect([d, await ann.command("chat.send", { to: "event", ...d })]).toMatchObject([d, refused("bad_request")])
  })

  test("replies to messages of its own place only", async () => {
    const stage = await house.stage(CALL)
    const [host, ann] = [await house.join(stage, "host", "host"), await house.join(stage, "ann")]
    const secret = await sent(host, "between us", { to: "staff" })
    expect(await say(ann, "what?", { replyTo: secret.id })).toMatchObject(refused("not_found"))
    expect(await say(ann, "what?", { replyTo: newId() })).toMatchObject(refused("not_found"))
    expect(await say(host, "indeed", { to: "staff", replyTo: secret.id })).toMatchObject({ ok: true })
  })
})

describe("permission to write", () => {
  test("depends on the phase, and a refusal says where to look", async () => {
    const ann = await house.join(await house.stage(CALL), "ann")
    expect(await say(ann, "to a room", { to: "room" })).toMatchObject({
      ok: false,
      e: {
        code: "wrong_phase",
        message: "The active phase has no chat to room now: me.chatTo has the places that you may write to.",
      },
    })
  })

  test("of an audience: those who are somebody, and on stage also among themselves", async () => {
    const stage = await house.stage(SHOW)
    const host = await house.join(stage, "host", "host")
    const speaker = await house.join(stage, "sam", "speaker")
    const viewer = await house.join(stage, "vera", "viewer")
    await host.next(({ t, d }) => t === "presence.diff" && d.join.some((p: Frame) => p.participantId === "vera"))
    expect(await say(viewer, "hi")).toMatchObject({ ok: true, d: { message: { role: "viewer" } } })
    const fromStage = await sent(speaker, "ready?", { to: "staff" })
    expect(await host.next(({ d }) => d?.message?.id === fromStage.id)).toMatchObject({ st: "staff" })
    const fromHost = await sent(host, "go", { to: "staff" })
    expect(await speaker.next(({ d }) => d?.message?.id === fromHost.id)).toMatchObject({ st: "me" })
    await host.command("chat.delete", { id: fromHost.id })
    expect((await speaker.dispatch("chat.deleted")).d).toEqual({ ids: [fromHost.id] })
    await sent(host, "the end")
    await viewer.next(({ d }) => d?.message?.text === "the end")
    expect(viewer.received.filter(({ d }) => d?.message?.to === "staff")).toEqual([])
    expect(texts((await newcomer(stage, "other host", "host")).staffChat)).toEqual(["ready?"])
    expect(await newcomer(stage, "late", "viewer")).not.toHaveProperty("staffChat")
  })

  test("of the staff follows a speaker's role: given, taken back, and while they are away", async () => {
    const stage = await house.stage(SHOW)
    const host = await house.join(stage, "host", "host")
    const sam = await house.join(stage, "sam", "speaker")
    const vera = await house.join(stage, "vera", "viewer")
    await host.next(({ t, d }) => t === "presence.diff" && d.join.some((p: Frame) => p.participantId === "vera"))
    const setRole = (id: string, role: string) => host.command("role.set", { id, role })
    expect(await setRole("vera", "speaker")).toMatchObject({ ok: true })
    expect(await setRole("sam", "viewer")).toMatchObject({ ok: true })
    const first = await sent(host, "vera alone", { to: "staff" })
    expect(await vera.next(({ d }) => d?.message?.id === first.id)).toMatchObject({ st: "me" })
    expect(await setRole("vera", "viewer")).toMatchObject({ ok: true })
    expect(await setRole("sam", "speaker")).toMatchObject({ ok: true })
    const second = await sent(host, "sam alone", { to: "staff" })
    expect(await sam.next(({ d }) => d?.message?.id === second.id)).toMatchObject({ st: "me" })
    await sent(host, "everybody")
    for (const client of [sam, vera]) await client.next(({ d }) => d?.message?.text === "everybody")
    const heard = ({ received }: Client) =>
      texts(received.filter(({ t }) => t === "chat.message").map(({ d }) => d.message))
    expect([heard(sam), heard(vera)]).toEqual([
      ["sam alone", "everybody"],
      ["vera alone", "everybody"],
    ])
    await sam.cut()
    expect(await sent(host, "with sam away", { to: "staff" })).toMatchObject({ to: "staff" })
  })

  test("of a room: those who sit in it, in its stream alone", async () => {
    const stage = await house.stage(ROOMS, "scheduled")
    const [red, blue] = [newId(), newId()]
    const { sql } = house.actors
    const seats = { ann: red, bob: red, cleo: blue, dora: red }
    for (const [who, roomId] of Object.entries(seats)) {
      await sql`insert into live_records (event_id, kind, id, body)
                values (${stage.eventId}, 'seat', ${who}, ${sql.json({ roomId, away: who === "dora" })})`
    }
    await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
    const [host, ann, bob, cleo, dora] = await Promise.all([
      house.join(stage, "host", "host"),
      ...Object.keys(seats).map((who) => house.join(stage, who)),
    ])
    const message = await sent(ann as Client, "anybody?", { to: "room" })
    expect(message).toMatchObject({ to: "room", roomId: red })
    expect(await bob?.dispatch("chat.message")).toMatchObject({ st: `room:${red}`, d: { message } })
    expect((await newcomer(stage, "bob")).roomChat).toEqual([message])
    expect((await newcomer(stage, "cleo")).roomChat).toEqual([])
    expect(await say(cleo as Client, "me too", { to: "room", replyTo: message.id })).toMatchObject(refused("not_found"))
    expect(await say(dora as Client, "let me back in", { to: "room" })).toMatchObject(refused("conflict"))
    expect(await say(host as Client, "all well?", { to: "room" })).toMatchObject(refused("conflict"))
    expect(await say(ann as Client, "everybody?")).toMatchObject(refused("forbidden"))
    await sent(host as Client, "two minutes left")
    await cleo?.dispatch("chat.message")
    expect(texts(cleo?.received.filter(({ t }) => t === "chat.message").map(({ d }) => d.message) ?? [])).toEqual([
      "two minutes left",
    ])
    // Memory lets go of rooms with their phase; the store keeps what was said there.
    await house.actors.execute(stage.eventId, {
      type: "phase.append",
      d: { phaseId: newId(), modality: "meeting", config: {}, featureSet: [] },
    })
    await host?.command("phase.next")
    expect((await newcomer(stage, "bob")).roomChat).toEqual([])
    expect(await sql`select 1 from chat_messages where event_id = ${stage.eventId}`).toHaveLength(2)
  })
})

describe("moderation", () => {
  test("everyone deletes their own, staff any, nobody else's", async () => {
    const stage = await house.stage(CALL)
    const [host, ann, bob] = [
      await house.join(stage, "host", "host"),
      await house.join(stage, "ann"),
      await house.join(stage, "bob"),
    ]
    const [one, two] = [await sent(ann, "one"), await sent(ann, "two")]
    expect(await bob.command("chat.delete", { id: one.id })).toMatchObject(refused("forbidden"))
    expect(await ann.command("chat.delete", { id: one.id })).toMatchObject({ ok: true, d: { id: one.id } })
    expect((await bob.dispatch("chat.deleted")).d).toEqual({ ids: [one.id] })
    await host.command("chat.delete", { id: two.id })
    expect(await host.command("chat.delete", { id: two.id })).toMatchObject(refused("not_found"))
    expect((await newcomer(stage, "cleo")).chat.last).toEqual([])
    expect(await house.actors.sql`select 1 from chat_messages where event_id = ${stage.eventId}`).toHaveLength(0)
  })

  test("that is not as it was looked at is not deleted", async () => {
    const stage = await house.stage(CALL)
    const ann = await house.join(stage, "ann")
    const message = await sent(ann, "Here?")
    const { id, rev } = message
    expect((await ann.command("chat.delete", { id }, { rev: rev + 1 })).e).toMatchObject({
      code: "conflict",
      current: { message },
    })
    expect(await ann.command("chat.delete", { id }, { rev })).toMatchObject({ ok: true })
  })

  test("reaches messages that memory has let go of, and only fifty are remembered", async () => {
    const stage = await house.stage(CALL)
    const [ann, bob] = [await house.join(stage, "ann"), await house.join(stage, "bob")]
    const first = await sent(ann, "n0")
    for (let n = 1; n <= 50; n++) await sent(ann, `n${n}`)
    const wanted = Array.from({ length: 50 }, (_, n) => `n${n + 1}`)
    expect(texts((await newcomer(stage, "cleo")).chat.last)).toEqual(wanted)
    expect(await bob.command("chat.delete", { id: first.id })).toMatchObject(refused("forbidden"))
    expect(await say(bob, "as you said", { replyTo: first.id })).toMatchObject({ ok: true })
    expect(await ann.command("chat.delete", { id: first.id })).toMatchObject({ ok: true })
    expect((await bob.dispatch("chat.deleted")).d).toEqual({ ids: [first.id] })
    expect(await ann.command("chat.delete", { id: first.id })).toMatchObject(refused("not_found"))
    const [kept] = await house.actors
      .sql`select count(*)::int as n from chat_messages where event_id = ${stage.eventId}`
    expect(kept?.["n"]).toBe(51)
    expect((await newcomer(stage, "dora")).chat.last).toHaveLength(50)
  })

  test("in slow mode everyone but staff has to wait, and is told how long", async () => {
    const stage = await house.stage(CALL)
    const [host, ann] = [await house.join(stage, "host", "host"), await house.join(stage, "ann")]
    await sent(ann, "before")
    expect(await host.command("chat.slow", { perMs: 3_600_000 })).toMatchObject({ d: { slowMs: 3_600_000 } })
    expect((await ann.dispatch("chat.settings")).d).toEqual({ slowMs: 3_600_000 })
    const early = await say(ann, "again")
    expect(early).toMatchObject({ ok: false, e: { code: "rate_limited", temporary: true } })
    expect(early.e.retryAfterMs).toBeGreaterThan(3_000_000)
    expect(early.e.retryAfterMs).toBeLessThanOrEqual(3_600_000)
    await sent(host, "one")
    await sent(host, "two")
    expect((await newcomer(stage, "bob")).chat.slowMs).toBe(3_600_000)
    await host.command("chat.slow", { perMs: 0 })
    await sent(ann, "at last")
  })
})

test("messages and settings survive a kill", async () => {
  const { house, kill } = await openMortalHouse({ budgets })
  const stage = await house.stage(CALL)
  const [host, ann] = [await house.join(stage, "host", "host"), await house.join(stage, "ann")]
  const first = await sent(ann, "one")
  const second = await sent(ann, "two", { replyTo: first.id })
  const gone = await sent(ann, "three")
  await ann.command("chat.delete", { id: gone.id })
  const secret = await sent(host, "between us", { to: "staff" })
  await host.command("chat.slow", { perMs: 5000 })
  const survivor = await kill()
  const { snapshot } = await survivor.read(stage.eventId)
  expect(snapshot.everyone["chat"]).toEqual({ last: [first, second], slowMs: 5000 })
  expect(snapshot.staff["staffChat"]).toEqual([secret])
})
