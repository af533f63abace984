/** The lobby of a call: the people who wait, their dispatches, their admission, and the absence of other reports about them. */
import { describe, expect, test } from "vitest"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { knock, notices, status, untilInLobby } from "./crowd.ts"
import { sharedHouse } from "./house.ts"

const house = sharedHouse()

const ASK = [{ modality: "meeting", config: { lobby: "ask" } }] as const

const lobbyState = async (client: Client): Promise<string> =>
  (await client.next(({ t }) => t === "lobby.status", "lobby.status")).d.state

describe("a walk-in", () => {
  test("has five sockets at most on all nodes together; the oldest is closed 4305, and the others come in", async () => {
    const stage = await house.stage(ASK)
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const elsewhere = { url: await house.anotherNode("elsewhere") }
    const tabs: Client[] = []
    for (const how of [{}, elsewhere, elsewhere, elsewhere, {}, {}]) {
      const tab = await knock(house, stage, "guest", how)
      await status(tab, "waiting")
      tabs.push(tab)
    }
    expect(await tabs[0]?.closeCode()).toBe(4305)
    await host.command("lobby.admit", { ids: ["guest"] })
    for (const tab of tabs.slice(1))
      expect((await tab.dispatch("ready")).d.me).toMatchObject({ participantId: "guest" })
  })

  test("waits, receives nothing else, causes no webhook, and is inside once a host admits them", async () => {
    const stage = await house.stage(ASK)
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const guest = await knock(house, stage, "guest")
    await status(guest, "waiting")
    await untilInLobby(host, "guest")
    await host.command("announce", { text: "not for the lobby" })
    expect(await guest.command("hand.raise")).toMatchObject({ ok: false, e: { code: "forbidden" } })
    expect(guest.received.some(({ t }) => t === "announcement" || t === "ready")).toBe(false)
    await eventually(async () => (await notices(house, stage)).length === 1)
    expect(await host.command("lobby.admit", { ids: ["guest"] })).toMatchObject({
      ok: true,
      d: { admitted: ["guest"] },
    })
    await status(guest, "admitted")
    expect((await guest.dispatch("ready")).d).toMatchObject({ resumed: false, me: { participantId: "guest" } })
    await eventually(async () => (await notices(house, stage)).includes("guest joined"))
    expect(await notices(house, stage)).toEqual(["host joined", "guest joined"])
    await host.next(({ t, d }) => t === "lobby.waiting" && d.remove.includes("guest"), "the guest leaves the lobby")
  })

  test("is shown to staff who arrive later", async () => {
    const stage = await house.stage(ASK)
    const first = await house.join(stage, "host", "host", { kind: "user" })
    await status(await knock(house, stage, "guest"), "waiting")
    await untilInLobby(first, "guest")
    const late = await house.connect().identify(await house.token(stage, "other", "host", { kind: "user" }))
    expect(late.d.lobby).toMatchObject({ total: 1, waiting: [{ participantId: "guest", kind: "guest" }] })
    const member = await house.connect().identify(await house.token(stage, "member", "participant", { kind: "user" }))
    expect(member.d.lobby).toBeUndefined()
  })

  test("a denied participant is closed 4306 and never appears; blocked, they are closed 4304 from then on", async () => {
    const stage = await house.stage(ASK)
    const host = await house.join(stage, "host", "host", { kind: "user" })
    for (const [who, block] of [
      ["rude", false],
      ["worse", true],
    ] as const) {
      const guest = await knock(house, stage, who)
      await status(guest, "waiting")
      await untilInLobby(host, who)
      expect(await host.command("lobby.deny", { ids: [who], block })).toMatchObject({ ok: true })
      await status(guest, "denied")
      expect(await guest.closeCode()).toBe(4306)
    }
    await status(await knock(house, stage, "rude"), "waiting")
    expect(await (await knock(house, stage, "worse")).closeCode()).toBe(4304)
    expect(await notices(house, stage)).toEqual(["host joined"])
  })

  test("gives up by leaving, and staff are notified", async () => {
    const stage = await house.stage(ASK)
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const guest = await knock(house, stage, "guest")
    await untilInLobby(host, "guest")
    await guest.cut()
    await host.next(({ t, d }) => t === "lobby.waiting" && d.remove.includes("guest"), "the guest gave up")
    house.actors.clock.jump(RETURN_WITHIN_MS)
    const { sql } = house.actors
    const places = () => sql`select 1 from live_records where event_id = ${stage.eventId} and kind = 'waiting'`
    await eventually(async () => (await places()).length === 0, "the end of their place")
    expect(await host.command("lobby.admit", { ids: ["guest"] })).toMatchObject({ ok: false, e: { code: "not_found" } })
  })
})

describe("the policy", () => {
  test("open admits everybody who waits; ask keeps those inside; closed denies newcomers", async () => {
    const stage = await house.stage(ASK)
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const guest = await knock(house, stage, "guest")
    await untilInLobby(host, "guest")
    expect(await host.command("lobby.policy", { mode: "open" })).toMatchObject({ ok: true, d: { mode: "open" } })
    await guest.dispatch("ready")
    await host.next(
      ({ t, d }) => t === "presence.diff" && d.join.some((p: Frame) => p.participantId === "guest"),
      "joined",
    )
    await host.command("lobby.policy", { mode: "ask" })
    await guest.cut()
    await house.join(stage, "guest")
    await host.command("lobby.policy", { mode: "closed" })
    // Another node hears of the policy a moment after the host has the reply: those who come before wait.
    let late = await knock(house, stage, "late 0")
    for (let n = 1; (await lobbyState(late)) === "waiting"; n++) late = await knock(house, stage, `late ${n}`)
    expect(await late.closeCode()).toBe(4306)
    expect(await house.join(stage, "member", "participant", { kind: "user" })).toBeDefined()
  })

  test("is the phase's: a phase without a lobby lets everybody in, and so does a broadcast", async () => {
    const phases = [...ASK, { modality: "meeting" }, { modality: "broadcast", config: { lobby: "ask" } }] as const
    const stage = await house.stage(phases)
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const guest = await knock(house, stage, "guest")
    await untilInLobby(host, "guest")
    await host.command("phase.next")
    expect((await guest.dispatch("ready")).d.lobbyPolicy).toBe("open")
    await host.command("phase.next")
    await house.join(stage, "viewer", "viewer")
  })
})

test("a participant whom a host sends back to the lobby is not present until they are admitted again", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.join(stage, "guest")
  await host.next(
    ({ t, d }) => t === "presence.diff" && d.join.some((p: Frame) => p.participantId === "guest"),
    "joined",
  )
  expect(await host.command("participant.toLobby", { id: "guest" })).toMatchObject({ ok: true })
  await status(guest, "waiting")
  await host.next(({ t, d }) => t === "presence.diff" && d.left.includes("guest"), "left")
  await host.command("announce", { text: "unheard" })
  const again = await knock(house, stage, "guest")
  await status(again, "waiting")
  await host.command("lobby.admit", { ids: ["guest"] })
  await guest.dispatch("ready")
  await again.dispatch("ready")
  expect(guest.received.some(({ t }) => t === "announcement")).toBe(false)
  expect(await host.command("participant.toLobby", { id: "nobody" })).toMatchObject({
    ok: false,
    e: { code: "not_found" },
  })
})

test("a participant who was sent back cannot act past it, and when denied waits again on every return, at every node", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.join(stage, "guest")
  await host.command("participant.toLobby", { id: "guest" })
  await status(guest, "waiting")
  await untilInLobby(host, "guest")
  const by = { participantId: "guest", name: "Guest", userId: null, kind: "guest", role: "participant" } as const
  const past = house.actors.execute(stage.eventId, { type: "hand.raise", d: {} }, { by })
  await expect(past).rejects.toMatchObject({ code: "forbidden" })
  expect(await host.command("lobby.deny", { ids: ["guest"] })).toMatchObject({ ok: true })
  expect(await guest.closeCode()).toBe(4306)
  const elsewhere = house.connect({ url: await house.anotherNode("elsewhere") })
  await elsewhere.hello()
  elsewhere.send({ op: 2, d: { token: await house.token(stage, "guest") } })
  await status(elsewhere, "waiting")
  expect(elsewhere.received.some(({ t }) => t === "ready")).toBe(false)
})
