/** One person in several tabs in the lobby, and the time between two commits of one arrival or departure. */
import { expect, test } from "vitest"
import { runScript } from "../support/store.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { depart, received, status } from "./crowd.ts"
import { type House, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

const HOST = { kind: "user" } as const
const OPEN = [{ modality: "meeting", featureSet: ["chat"] }] as const
const ASK = [{ modality: "meeting", featureSet: ["chat"], config: { lobby: "ask" } }] as const

const known = (host: Client, who: string): Promise<Frame> =>
  host.next((frame) => frame.t === "presence.diff" && JSON.stringify(frame.d).includes(`"${who}"`), `diff of ${who}`)

/** How a newcomer of the staff finds it. */
const seenBy = async (of: House, stage: Stage): Promise<Frame> => {
  const client = of.connect()
  const { d } = await client.identify(await of.token(stage, "other", "host", HOST))
  await client.cut()
  return d
}

test("two tabs of one person sent there by a host wait together, are seen, and are let in together", async () => {
  const stage = await house.stage(OPEN)
  const host = await house.join(stage, "host", "host", HOST)
  const tabs = [await house.join(stage, "guest"), await house.join(stage, "guest")]
  await host.command("participant.toLobby", { id: "guest" })
  for (const tab of tabs) await status(tab, "waiting")
  await eventually(async () => (await seenBy(house, stage)).lobby.total === 1)
  expect((await host.command("lobby.admit", { ids: ["guest"] })).d).toEqual({ admitted: ["guest"], missing: [] })
  for (const tab of tabs) await status(tab, "admitted")
  for (const tab of tabs) await tab.dispatch("ready")
})

test.each(["a new token", "another tab"])(
  "a participant who is on the list by now, as %s says, is inside of the call",
  async (how) => {
    const stage = await house.stage(ASK, "scheduled")
    const host = await house.join(stage, "host", "host", HOST)
    const person = { kind: "user", userId: "u1" } as const
    const guest = await house.join(stage, "u1", "participant", { ...person, walkIn: true })
    if (how === "a new token") {
      const token = await house.token(stage, "u1", "participant", { ...person, walkIn: false })
      guest.send({ op: 12, id: "token", d: { token } })
      await guest.next(({ op, id }) => op === 4 && id === "token", "the new token's answer")
    } else await house.join(stage, "u1", "participant", { ...person, walkIn: false })
    // Participants who were reported after it are known, so its report has been applied too.
    await house.join(stage, "marker", "participant", { ...HOST, walkIn: false })
    await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
    await known(host, "marker")
    const ready = await seenBy(house, stage)
    expect(ready.presence.list.map((one: Frame) => one.participantId)).toContain("u1")
    expect(ready.lobby.total).toBe(0)
    expect(await guest.command("chat.send", { to: "event", text: "Here" })).toMatchObject({ ok: true })
  },
)

test("a departure whose consequences the store refuses for a while has them when it takes them", async () => {
  const stage = await house.stage(OPEN)
  const host = await house.join(stage, "host", "host", HOST)
  const guest = await house.join(stage, "guest")
  await known(host, "guest")
  await guest.command("hand.raise")
  const { sql } = house.actors
  await runScript(
    house.actors.url,
    `
    create function refuse_lowering() returns trigger language plpgsql as
    $$ begin raise exception 'not now'; end $$;
    create trigger lowering before insert on publications for each row
      when (new.frame like '%hand.lowered%' and new.event_id = '${stage.eventId}') execute function refuse_lowering()`,
  )
  await depart(house, stage, "guest", guest)
  await received(host, "presence.diff", ({ left }) => left.includes("guest"))
  await sql`drop trigger lowering on publications`
  await host.next(({ t, d }) => t === "hand.queue" && d.remove.includes("guest"), "the hand that went down")
})
