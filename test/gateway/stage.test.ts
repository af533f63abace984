/** Hands, the stage and roles: the requests of the audience, the commands of hosts, and the receivers of each dispatch. */
import { describe, expect, test } from "vitest"
import { applyDispatch, stateOf } from "../../packages/client/src/state/event-state.ts"
import type { Dispatch, Snapshot } from "../../packages/client/src/wire.ts"
import { newId } from "../../src/model/ids.ts"
import { startActors } from "../support/live-events.ts"
import type { Client, Frame } from "./client.ts"
import { depart, refused } from "./crowd.ts"
import { type House, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

const BROADCAST = [{ modality: "broadcast" }] as const

const open = async (phases: Parameters<House["stage"]>[0] = BROADCAST) => {
  const stage = await house.stage(phases)
  const host = await house.join(stage, "host", "host")
  const viewer = await house.join(stage, "viewer", "viewer")
  await seen(host, "viewer")
  return { stage, host, viewer }
}

const seen = (client: Client, who: string, fits: (person: Frame) => boolean = () => true): Promise<Frame> =>
  client.next(
    ({ t, d }) =>
      t === "presence.diff" && [...d.join, ...d.update].some((p: Frame) => p.participantId === who && fits(p)),
    `${who} in the list`,
  )

const readyOf = async (stage: Stage, who: string, role: "host" | "viewer" | "participant" = "host"): Promise<Frame> =>
  (await house.connect().identify(await house.token(stage, who, role))).d

describe("a hand", () => {
  test("goes up once, is seen by staff and counted by all, and comes down", async () => {
    const { stage, host, viewer } = await open()
    const raised = await viewer.command("hand.raise", { note: "About the price" }, { id: "up" })
    expect(raised).toMatchObject({ ok: true, d: { hand: { participantId: "viewer", note: "About the price" } } })
    expect((await host.dispatch("hand.queue")).d).toMatchObject({ add: [raised.d.hand], remove: [] })
    expect((await viewer.dispatch("hand.count")).d).toEqual({ n: 1 })
    expect(await viewer.command("hand.raise", { note: "About the price" }, { id: "up" })).toEqual({
      ...raised,
      dup: true,
    })
    await seen(host, "viewer", ({ hand }) => hand)
    const ready = await readyOf(stage, "other")
    expect(ready).toMatchObject({
      hands: { count: 1 },
      handQueue: { items: [{ participantId: "viewer" }] },
      hand: null,
    })
    expect(await readyOf(stage, "viewer", "viewer")).toMatchObject({ hand: { note: "About the price" } })
    expect(await viewer.command("hand.lower")).toMatchObject({ ok: true, d: { hand: null } })
    expect((await host.dispatch("hand.queue")).d).toMatchObject({ add: [], remove: ["viewer"] })
    expect((await viewer.next(({ t, d }) => t === "hand.count" && d.n === 0, "no hands")).d).toEqual({ n: 0 })
  })

  test("is lowered by a host, one or all, and by leaving for good", async () => {
    const { stage, host, viewer } = await open()
    const others = await Promise.all(["a", "b", "c"].map((who) => house.join(stage, who, "viewer")))
    for (const client of [viewer, ...others]) await client.command("hand.raise")
    expect(await host.command("hand.lowerFor", { id: "a" })).toMatchObject({ ok: true, d: { lowered: ["a"] } })
    await seen(host, "b")
    await depart(house, stage, "b", others[1] as Client)
    await host.next(({ t, d }) => t === "hand.queue" && d.remove.includes("b"), "the hand of who left")
    expect((await host.command("hand.lowerFor", { all: true })).d.lowered.toSorted()).toEqual(["c", "viewer"])
    expect(await viewer.dispatch("hand.lowered")).toMatchObject({ st: "me" })
  })

  test("of many is sent by itself; staff receive the first two hundred, including those who move up", async () => {
    const { stage, host } = await open()
    const raise = (n: number) => {
      const participantId = `p${String(n).padStart(3, "0")}`
      const by = { participantId, name: participantId, userId: null, kind: "guest", role: "viewer" } as const
      return house.actors.execute(stage.eventId, { type: "hand.raise", d: {} }, { by })
    }
    const first = await readyOf(stage, "host")
    for (let n = 0; n < 205; n++) await raise(n)
    await host.command("hand.lowerFor", { id: "p003" })
    await host.command("hand.lowerFor", { id: "p204" })
    const last = await host.next(({ t, d }) => t === "hand.queue" && d.remove.includes("p003"), "the change")
    expect(last.d).toMatchObject({ add: [{ participantId: "p200" }], remove: ["p003"] })
    const told = host.received.filter(({ t }) => t === "hand.queue")
    // The hands beyond are in no dispatch, nor are their changes.
    expect(told).toHaveLength(201)
    expect(told.every(({ d }) => d.add.length + d.remove.length <= 2)).toBe(true)
    const dispatches = told.map(({ t, d, v, st }) => ({ t, d, v, st, ts: 0 })) as ReadonlyArray<Dispatch>
    const state = dispatches.reduce(applyDispatch, stateOf(first as Snapshot))
    const ready = await readyOf(stage, "host")
    expect(ready.hands.count).toBe(203)
    expect(ready.handQueue).toEqual({ items: state.hands.queue, rev: state.hands.queueRev })
    expect(state.hands.queue).toHaveLength(200)
  })

  test("goes up without words while its owner is muted", async () => {
    const { host, viewer } = await open()
    await host.command("participant.mute", { id: "viewer" })
    expect(await viewer.command("hand.raise", { note: "Hear me" })).toMatchObject(refused("muted"))
    expect(await viewer.command("hand.raise")).toMatchObject({ ok: true })
    await host.command("participant.mute", { id: "viewer", on: false })
    expect((await viewer.command("hand.raise", { note: "Hear me" })).d.hand).toMatchObject({ note: "Hear me" })
  })

  test("goes up and down in all tabs of its owner", async () => {
    const { stage, viewer } = await open()
    const tab = await house.join(stage, "viewer", "viewer")
    const { hand } = (await viewer.command("hand.raise", { note: "Here" })).d
    expect(await tab.dispatch("me.hand")).toMatchObject({ st: "me", d: { hand } })
    await viewer.command("hand.lower")
    expect((await tab.dispatch("me.hand")).d).toEqual({ hand: null })
    expect(tab.received.some(({ t }) => t === "hand.lowered")).toBe(false)
  })
})

describe("the stage", () => {
  test("is entered by invitation: a viewer becomes a speaker, and a viewer again afterwards", async () => {
    const { host, viewer } = await open()
    expect(await viewer.command("stage.accept")).toMatchObject(refused("conflict"))
    await viewer.command("hand.raise")
    expect(await host.command("stage.invite", { id: "viewer" })).toMatchObject({
      ok: true,
      d: { participantId: "viewer" },
    })
    expect(await viewer.dispatch("stage.invited")).toMatchObject({ st: "me", s: 2 })
    expect(await viewer.command("stage.accept")).toMatchObject({ ok: true, d: { stage: { state: "on" } } })
    const updated = await viewer.dispatch("me.updated")
    expect(updated.d).toMatchObject({ role: "speaker", reason: "stage" })
    await seen(host, "viewer", ({ role, hand }) => role === "speaker" && !hand)
    await viewer.command("stage.leave")
    expect((await viewer.dispatch("me.updated")).d).toMatchObject({ role: "viewer", reason: "stage" })
    await seen(host, "viewer", ({ role }) => role === "viewer")
  })

  test("is entered and left in all tabs, also where the role stays the same", async () => {
    const stage = await house.stage([{ modality: "meeting" }])
    const host = await house.join(stage, "host", "host")
    const speaker = await house.join(stage, "speaker")
    const tab = await house.join(stage, "speaker")
    await seen(host, "speaker")
    await host.command("stage.invite", { id: "speaker" })
    await speaker.command("stage.accept")
    expect(await tab.dispatch("me.stage")).toMatchObject({ st: "me", d: { stage: { state: "on", expiresAt: null } } })
    await speaker.command("stage.leave")
    expect((await tab.dispatch("me.stage")).d).toEqual({ stage: null })
    expect(tab.received.some(({ t }) => t === "me.updated")).toBe(false)
  })

  test("is left by all when the phase ends", async () => {
    const { host, viewer } = await open([{ modality: "broadcast" }, { modality: "broadcast" }])
    await host.command("stage.invite", { id: "viewer" })
    await viewer.command("stage.accept")
    await viewer.next(({ t, d }) => t === "me.updated" && d.role === "speaker", "on stage")
    await host.command("phase.next")
    await viewer.next(({ t, d }) => t === "me.updated" && d.role === "viewer" && d.reason === "stage", "off stage")
  })
})

describe("a role", () => {
  test("given by a host holds at once, over the token, after a reconnect and after a kill", async () => {
    const { stage, host, viewer } = await open()
    expect(await host.command("role.set", { id: "viewer", role: "host" })).toMatchObject({
      ok: true,
      d: { role: "host" },
    })
    expect((await viewer.dispatch("ready")).d).toMatchObject({ reason: "roleChanged", me: { role: "host" } })
    expect(await viewer.command("announce", { text: "I host" })).toMatchObject({ ok: true })
    await viewer.cut()
    expect(await readyOf(stage, "viewer", "viewer")).toMatchObject({ me: { role: "host" }, handQueue: { items: [] } })
    const again = await startActors(house.databaseUrl)
    try {
      const by = { participantId: "viewer", name: "V", userId: null, kind: "guest", role: "viewer" } as const
      expect(
        (await again.execute(stage.eventId, { type: "announce", d: { text: "still" } }, { by })).version,
      ).toBeGreaterThan(0)
    } finally {
      await again.stop()
    }
  })

  test("given to an anonymous participant lets them write and come onto the stage", async () => {
    const { stage, host } = await open([{ modality: "broadcast", featureSet: ["chat"] }])
    const nobody = await house.join(stage, "anon:1", "viewer", { kind: "anonymous", name: "Anonymous viewer" })
    const write = () => nobody.command("chat.send", { to: "event", text: "Hello" })
    expect(await write()).toMatchObject(refused("forbidden"))
    expect(await host.command("stage.invite", { id: "anon:1" })).toMatchObject(refused("conflict"))
    expect(await host.command("role.set", { id: "anon:1", role: "speaker" })).toMatchObject({ ok: true })
    expect(await write()).toMatchObject({ ok: true })
    expect(await host.command("stage.invite", { id: "anon:1" })).toMatchObject({ ok: true })
  })

  test("of a workspace's user is on the event's list from then on", async () => {
    const { stage, host } = await open()
    const userId = newId()
    await house.actors.sql`
      insert into users (id, workspace_id, external_sub, name) values (${userId}, ${stage.workspaceId}, ${userId}, 'Uma')`
    const uma = await house.join(stage, userId, "viewer", { kind: "user", userId })
    await seen(host, userId)
    await host.command("role.set", { id: userId, role: "speaker" })
    expect((await uma.dispatch("me.updated")).d).toMatchObject({ role: "speaker", reason: "role" })
    expect(await house.actors.sql`select role from memberships where user_id = ${userId}`).toEqual([
      { role: "speaker" },
    ])
  })

  test("the event has no place for, or an administrator's, is refused", async () => {
    const { host } = await open()
    expect(await host.command("role.set", { id: "viewer", role: "participant" })).toMatchObject({
      ok: false,
      e: { code: "role_not_on_event", message: expect.stringContaining("workspace_admin, host, speaker, viewer") },
    })
    expect(await host.command("role.set", { id: "viewer", role: "workspace_admin" })).toMatchObject(
      refused("forbidden"),
    )
  })
})
