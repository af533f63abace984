/**
 * A policy of the lobby that changes while people come: everybody is either inside or waits, however much of their arrival the
 * live event knows.
 */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { eventually } from "../support/wait.ts"
import type { Client } from "./client.ts"
import { knock, notices, status, untilInLobby } from "./crowd.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House
/** Here arrivals and departures are reported to the live event long after they happened. */
let slow: House

beforeAll(async () => {
  house = await openHouse()
  slow = await openHouse({ presenceTickMs: 4000 })
})
afterAll(async () => {
  await house.stop()
  await slow.stop()
})

const HOST = { kind: "user" } as const
const ASK = { modality: "meeting", featureSet: ["chat"], config: { lobby: "ask" } } as const
const OPEN = { modality: "meeting", featureSet: ["chat"] } as const
const CLOSED = { modality: "meeting", config: { lobby: "closed" } } as const

/** Whatever was to come has come. */
const settled = async (client: Client): Promise<void> => {
  client.send({ op: 1, d: { t0: 0 } })
  await client.next(({ op }) => op === 11, "the heartbeat's answer")
}

const isInside = ({ received }: Client): boolean =>
  received.findLastIndex(({ t }) => t === "ready") >
  received.findLastIndex(({ t, d }) => t === "lobby.status" && d.state === "waiting")

/** Reports an arrival to the live event now instead of later. */
const tell = (of: House, { eventId }: Stage, who: string): Promise<void> => {
  const participant = { participantId: who, name: who, role: "participant", kind: "guest", userId: null } as const
  const report = { node: "test", changes: [{ type: "join", participant, connections: [1] }] } as const
  return of.actors.run(Effect.flatMap(LiveEvents, (live) => live.reportPresence(eventId, report)))
}

test("a guest who has received ready when the policy changes is inside and stays, whoever changes it", async () => {
  for (const [t, d] of [
    ["lobby.policy", () => ({ mode: "ask" })],
    ["lobby.policy", () => ({ mode: "closed" })],
    ["phase.update", ({ phaseIds }: Stage) => ({ phaseId: phaseIds[0], config: { lobby: "ask" } })],
  ] as const) {
    const stage = await slow.stage([OPEN])
    const host = await slow.join(stage, "host", "host", HOST)
    const guest = await slow.join(stage, "guest")
    expect(await host.command(t, d(stage))).toMatchObject({ ok: true })
    await settled(guest)
    expect(isInside(guest)).toBe(true)
    expect(await guest.command("chat.send", { to: "event", text: "in" })).toMatchObject({ ok: true })
    expect(guest.received.some(({ t: name }) => name === "lobby.status")).toBe(false)
  }
})

test("a participant on the event's list in one tab is inside in all, and stays when one of them closes", async ({
  onTestFinished,
}) => {
  // The tabs of a participant agree on each node, and not over several.
  const own = await openHouse({}, { node: "test" })
  onTestFinished(() => own.stop())
  const stage = await own.stage([ASK])
  const host = await own.join(stage, "host", "host", HOST)
  const waiting = await knock(own, stage, "guest")
  await status(waiting, "waiting")
  await untilInLobby(host, "guest")
  const listed = await own.join(stage, "guest", "participant", HOST)
  await waiting.dispatch("ready")
  const later = await own.join(stage, "guest")
  for (const tab of [waiting, later]) {
    expect(await tab.command("chat.send", { to: "event", text: "hello" })).toMatchObject({ ok: true })
    await tab.cut()
  }
  await eventually(async () => (await notices(own, stage)).includes("guest joined"))
  expect(await host.command("participant.toLobby", { id: "guest" })).toMatchObject({ ok: true })
  await status(listed, "waiting")
  await eventually(async () => (await notices(own, stage)).includes("guest left"))
  expect((await notices(own, stage)).filter((notice) => notice.startsWith("guest"))).toEqual([
    "guest joined",
    "guest left",
  ])
})

test("in a crowd that comes during the change everybody is inside or waits, and all waiting people can be admitted", async () => {
  const stage = await house.stage([OPEN])
  const host = await house.join(stage, "host", "host", HOST)
  const names = Array.from({ length: 40 }, (_, n) => `guest ${n}`)
  const guests = await Promise.all(
    names.map(async (who, n) => {
      if (n === 20) await host.command("lobby.policy", { mode: "ask" })
      return knock(house, stage, who)
    }),
  )
  await Promise.all(
    guests.map((guest) => guest.next(({ t }) => t === "ready" || t === "lobby.status", "ready or the lobby")),
  )
  for (const guest of guests) {
    await settled(guest)
    const reply = await guest.command("chat.send", { to: "event", text: "hello" })
    expect(reply.ok).toBe(isInside(guest))
  }
  const waiting = names.filter((_, n) => !isInside(guests[n] as Client))
  const total = async (): Promise<number> => {
    const ready = await house.connect().identify(await house.token(stage, "other", "host", HOST))
    return ready.d.lobby.total
  }
  await eventually(async () => (await total()) === waiting.length)
  await host.command("lobby.admit", { ids: names })
  for (const guest of guests) {
    if (!isInside(guest)) await guest.dispatch("ready")
    expect(await guest.command("chat.send", { to: "event", text: "inside" })).toMatchObject({ ok: true })
  }
})

describe("nobody is inside before the event is live", () => {
  test.each([0, 1])(
    "a participant who came during the countdown waits, however often their arrival is reported (%i)",
    async (known) => {
      const of = known === 0 ? slow : house
      const stage = await of.stage([ASK], "scheduled")
      const host = await of.join(stage, "host", "host", HOST)
      const guest = await of.join(stage, "guest")
      const member = await of.join(stage, "member", "participant", HOST)
      if (known === 1) await tell(of, stage, "guest")
      await of.actors.execute(stage.eventId, { type: "event.start", d: {} })
      await status(guest, "waiting")
      await settled(member)
      expect(isInside(member)).toBe(true)
      expect(await guest.command("hand.raise")).toMatchObject({ ok: false, e: { code: "forbidden" } })
      await untilInLobby(host, "guest")
      expect((await notices(of, stage)).some((notice) => notice.startsWith("guest"))).toBe(false)
      await host.command("lobby.admit", { ids: ["guest"] })
      await guest.dispatch("ready")
      expect(await guest.command("hand.raise")).toMatchObject({ ok: true })
    },
  )

  test("a closed lobby denies them", async () => {
    const stage = await house.stage([CLOSED], "scheduled")
    const guest = await house.join(stage, "guest")
    await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
    await status(guest, "denied")
    expect(await guest.closeCode()).toBe(4306)
  })

  test("rooms that open with the phase have no seat for them", async () => {
    const config = { lobby: "ask", roomSize: 2, durationSeconds: 600 } as const
    const stage = await house.stage([{ modality: "breakout", config }], "scheduled")
    const member = await house.join(stage, "member", "participant", HOST)
    const guest = await house.join(stage, "guest")
    await tell(house, stage, "guest")
    await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
    await member.dispatch("assignment.updated")
    await status(guest, "waiting")
    await settled(guest)
    expect(guest.received.some(({ t }) => t === "assignment.updated" || t === "subscribed")).toBe(false)
  })
})

describe("from a broadcast to a call behind a lobby", () => {
  const PHASES = [{ modality: "broadcast" }, ASK, { ...ASK }] as const

  test("its audience waits, known or not, and is no longer present; speakers by a host's command are inside", async () => {
    const stage = await house.stage(PHASES)
    const host = await house.join(stage, "host", "host", HOST)
    const [early, chosen] = [await house.join(stage, "early", "viewer"), await house.join(stage, "chosen", "viewer")]
    await eventually(async () => (await notices(house, stage)).length === 3)
    await host.command("role.set", { id: "chosen", role: "speaker" })
    const late = await house.join(stage, "late", "viewer")
    await host.command("phase.next", { phaseId: stage.phaseIds[0] })
    await status(early, "waiting")
    await status(late, "waiting")
    await settled(chosen)
    expect(isInside(chosen)).toBe(true)
    await eventually(async () => (await notices(house, stage)).includes("early left"))
    await untilInLobby(host, "late")
    await host.command("lobby.admit", { all: true })
    await early.dispatch("ready")
    await late.dispatch("ready")
    // From call to call those inside stay, also when the next one has a lobby too.
    await host.command("phase.next", { phaseId: stage.phaseIds[1] })
    for (const client of [early, late, chosen]) {
      await settled(client)
      expect(isInside(client)).toBe(true)
    }
  })
})

describe("many at once", () => {
  test("a participant who gave up delays no other; if nobody is there it is refused", async () => {
    const stage = await house.stage([ASK])
    const host = await house.join(stage, "host", "host", HOST)
    const [guest, rude] = [await knock(house, stage, "guest"), await knock(house, stage, "rude")]
    await status(guest, "waiting")
    await status(rude, "waiting")
    await untilInLobby(host, "guest")
    await eventually(async () => {
      const { d } = await house.connect().identify(await house.token(stage, "other", "host", HOST))
      return d.lobby.total === 2
    })
    expect(await host.command("lobby.admit", { ids: ["gone", "guest"] })).toMatchObject({
      d: { admitted: ["guest"], missing: ["gone"] },
    })
    await guest.dispatch("ready")
    expect(await host.command("lobby.deny", { ids: ["rude", "gone"] })).toMatchObject({
      d: { denied: ["rude"], missing: ["gone"] },
    })
    expect(await rude.closeCode()).toBe(4306)
    for (const t of ["lobby.admit", "lobby.deny"]) {
      expect(await host.command(t, { ids: ["gone"] })).toMatchObject({ ok: false, e: { code: "not_found" } })
    }
  })

  test("a participant inside can be admitted too, without an effect", async () => {
    const stage = await house.stage([OPEN])
    const host = await house.join(stage, "host", "host", HOST)
    const guest = await house.join(stage, "guest")
    await eventually(async () => (await notices(house, stage)).length === 2)
    expect(await host.command("lobby.admit", { ids: ["guest"] })).toMatchObject({ d: { admitted: ["guest"] } })
    await settled(guest)
    expect(guest.received.some(({ t }) => t === "lobby.status")).toBe(false)
  })
})
