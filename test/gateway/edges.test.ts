/** Races: into the lobby, out of it, and between two hosts who press at once. */
import { expect, test } from "vitest"
import type { Client, Frame } from "./client.ts"
import { knock, status } from "./crowd.ts"
import { sharedHouse } from "./house.ts"

const house = sharedHouse()

/** Until the live event knows that somebody is here, or waits. */
const known = (host: Client, t: "presence.diff" | "lobby.waiting", who: string): Promise<Frame> =>
  host.next((frame) => frame.t === t && JSON.stringify(frame.d).includes(`"${who}"`), `${t} of ${who}`)

const openRooms = async (host: Client, rooms: number): Promise<Frame> => {
  const { plan } = (await host.command("breakout.plan", { rooms, strategy: "balanced" })).d
  return host.command("breakout.open", { planId: plan.id })
}

const receivedAfter = async (client: Client, what: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const from = client.received.length
  await what()
  // Whatever was to come has come before the answer to this.
  client.send({ op: 1, d: { t0: 0 } })
  await client.next(({ op }) => op === 11, "the heartbeat's answer")
  return client.received.slice(from).flatMap(({ t }) => t ?? [])
}

test("a participant who is sent to the lobby during a sync receives nothing there", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.join(stage, "guest")
  await known(host, "presence.diff", "guest")
  for (let round = 0; round < 5; round++) {
    host.send({ op: 3, id: `out ${round}`, t: "participant.toLobby", d: { id: "guest" } })
    for (const n of [1, 2, 3]) guest.send({ op: 3, id: `sync ${round} ${n}`, t: "sync", d: { cursors: {} } })
    await status(guest, "waiting")
    await known(host, "lobby.waiting", "guest")
    expect(await receivedAfter(guest, () => host.command("announce", { text: "not for the lobby" }))).toEqual([])
    await host.command("lobby.admit", { ids: ["guest"] })
    await guest.dispatch("ready")
    await known(host, "presence.diff", "guest")
  }
})

test("a voter in the lobby receives no tally", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["polls"] }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const [guest, other] = [await house.join(stage, "guest"), await house.join(stage, "other")]
  await known(host, "presence.diff", "guest")
  const poll = { question: "?", kind: "single", options: ["a", "b"], results: "afterVote" }
  const { id } = (await host.command("poll.create", poll)).d.poll
  await host.command("poll.open", { id })
  await guest.command("poll.vote", { id, optionIds: ["1"] })
  await guest.dispatch("poll.tally")
  await host.command("participant.toLobby", { id: "guest" })
  await status(guest, "waiting")
  const vote = async (): Promise<void> => {
    await other.command("poll.vote", { id, optionIds: ["2"] })
    await host.next(({ t, d }) => t === "poll.tally" && d.voters === 2, "the tally of two")
  }
  expect(await receivedAfter(guest, vote)).toEqual([])
})

test("a participant may wait in the lobby for long, with all the heartbeats of that time", async () => {
  const stage = await house.stage([{ modality: "meeting", config: { lobby: "ask" } }])
  const guest = await knock(house, stage, "guest")
  await status(guest, "waiting")
  for (let beat = 1; beat <= 80; beat++) guest.send({ op: 1, d: { t0: beat } })
  await guest.next(({ op, d }) => op === 11 && d.t0 === 80, "the last heartbeat's answer")
})

test("partners of a participant who is sent to the lobby receive that they left", async () => {
  const stage = await house.stage([{ modality: "rotation" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const [guest, partner] = [await house.join(stage, "guest"), await house.join(stage, "partner")]
  await known(host, "presence.diff", "partner")
  await host.command("rotation.start", { roundSeconds: 60, rounds: 3 })
  await host.command("participant.toLobby", { id: "guest" })
  await status(guest, "waiting")
  expect((await partner.dispatch("rotation.partnerLeft")).d).toEqual({ participantId: "guest", n: 1 })
})

test("every queue of hands has a revision of its own", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const people = await Promise.all(["a", "b", "c", "d", "e", "f"].map((who) => house.join(stage, who)))
  await Promise.all(people.map((person) => person.command("hand.raise")))
  const queues = () => host.received.filter(({ t }) => t === "hand.queue")
  await host.next(() => queues().flatMap(({ d }) => d.add).length === 6, "all hands")
  const revs = queues().map(({ d }) => d.rev as number)
  expect(revs.every((rev, at) => at === 0 || rev > (revs[at - 1] ?? 0))).toBe(true)
})

test("participants in the lobby are admitted when a broadcast begins, which has none", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "broadcast" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.join(stage, "guest")
  await known(host, "presence.diff", "guest")
  await host.command("participant.toLobby", { id: "guest" })
  await status(guest, "waiting")
  await host.command("phase.next")
  await status(guest, "admitted")
  expect((await guest.dispatch("ready")).d.phase).toMatchObject({ modality: "broadcast" })
})

test("hosts do not turn out, silence or send away administrators; administrators do hosts", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const admin = await house.join(stage, "admin", "workspace_admin", { kind: "user" })
  await known(host, "presence.diff", "admin")
  for (const t of ["participant.remove", "participant.mute", "participant.toLobby"]) {
    expect(await host.command(t, { id: "admin" })).toMatchObject({ ok: false, e: { code: "forbidden" } })
  }
  const demotion = await host.command("role.set", { id: "admin", role: "viewer" })
  expect(demotion).toMatchObject({ ok: false, e: { code: "forbidden" } })
  expect(await admin.command("participant.mute", { id: "host" })).toMatchObject({ ok: true })
})

test("a participant who would have to wait in the lobby cannot send commands, unless they are inside already", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["qa"] }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.join(stage, "inside")
  await known(host, "presence.diff", "inside")
  await host.command("lobby.policy", { mode: "ask" })
  const ask = (participantId: string, more: object = {}) => {
    const by = { participantId, name: "Name", userId: null, kind: "guest", role: "participant", ...more } as const
    return house.actors.execute(stage.eventId, { type: "question.ask", d: { text: "Why?" } }, { by })
  }
  await expect(ask("outside")).rejects.toMatchObject({ code: "forbidden" })
  await expect(ask("stranger", { kind: "user", walkIn: true })).rejects.toMatchObject({ code: "forbidden" })
  expect((await ask("member", { kind: "user", walkIn: false })).duplicate).toBe(false)
  expect(await guest.command("question.ask", { text: "Me too?" })).toMatchObject({ ok: true })
})

test("the place in a room of a participant who is removed for good is free, also when they had gone", async () => {
  const stage = await house.stage([{ modality: "breakout" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const [gone] = [await house.join(stage, "gone"), await house.join(stage, "other")]
  await known(host, "presence.diff", "other")
  await openRooms(host, 1)
  await gone.cut()
  await host.next(({ t, d }) => t === "presence.diff" && d.left.includes("gone"), "the one who left")
  await host.command("participant.remove", { id: "gone", block: true })
  const room = await host.next(({ t, d }) => t === "room.updated" && d.room.count === 1, "the free place")
  expect(room.d.room.count).toBe(1)
})

test("the withdrawal of a question before it was shown is sent to those who knew of it", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["qa"], config: { moderated: true } }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const [ann, bob] = [await house.join(stage, "ann"), await house.join(stage, "bob")]
  const { question } = (await ann.command("question.ask", { text: "Why?" })).d
  await ann.command("question.withdraw", { id: question.id })
  for (const client of [host, ann]) {
    expect((await client.dispatch("question.removed")).d).toMatchObject({ id: question.id, hidden: false })
  }
  expect(await receivedAfter(bob, () => host.command("announce", { text: "done" }))).not.toContain("question.removed")
})

test("the author of an anonymous question receives nothing of it in a stream of their own", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["qa"], config: { moderated: true } }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const ann = await house.join(stage, "ann")
  await ann.command("question.ask", { text: "Who?", anonymous: true })
  await host.dispatch("question.created")
  expect(ann.ordered("me")).toEqual([])
})

test("a mute that runs out is over for everybody who sees the list", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.join(stage, "guest")
  await known(host, "presence.diff", "guest")
  const isMuted = (muted: boolean) => (frame: Frame) =>
    frame.t === "presence.diff" &&
    frame.d.update.some((one: Frame) => one.participantId === "guest" && one.muted === muted)
  await host.command("participant.mute", {
    id: "guest",
    until: new Date(house.actors.clock.now() + 60_000).toISOString(),
  })
  await host.next(isMuted(true), "the mute")
  house.actors.clock.jump(60_000)
  await host.next(isMuted(false), "its end")
  expect((await guest.next(({ t, d }) => t === "me.muted" && !d.muted, "the end")).d.until).toBeNull()
})

test("speakers have the staff's chat in their ready, and receive it from there on", async () => {
  const stage = await house.stage([{ modality: "broadcast", featureSet: ["chat"] }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const { message } = (await host.command("chat.send", { to: "staff", text: "Five minutes" })).d
  const speaker = await house.join(stage, "speaker", "speaker", { kind: "user" })
  const viewer = await house.join(stage, "viewer", "viewer")
  const ready = (client: Client) => client.received.find(({ t }) => t === "ready").d
  expect(ready(speaker).staffChat).toEqual([message])
  expect("staffChat" in ready(viewer)).toBe(false)
  await known(host, "presence.diff", "speaker")
  await host.command("chat.send", { to: "staff", text: "Now" })
  expect((await speaker.dispatch("chat.message")).d.message.text).toBe("Now")
})
