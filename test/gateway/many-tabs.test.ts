/** One person in many tabs, which are on their way in while the live event is slow. */
import { expect, onTestFinished, test } from "vitest"
import { Feed } from "../../src/actors/feed.ts"
import type { PresenceReport } from "../../src/actors/protocol.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

type Changes = PresenceReport["changes"]

/** A gateway whose reports of the guest wait until the test lets them go. */
const openHeld = async () => {
  const reports: Changes[] = []
  let letGo = (): void => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const house = await openHouse({
    beforeReport: async (changes) => {
      const isOfGuest = changes.some(
        (change) => "participant" in change && change.participant.participantId === "guest",
      )
      if (!isOfGuest) return
      reports.push(changes)
      await gate
    },
  })
  onTestFinished(async () => {
    letGo()
    await house.stop()
  })
  return { house, reports, letGo }
}

const arriving = async (house: House, stage: Stage): Promise<Client> => {
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token: await house.token(stage, "guest") } })
  return client
}

const counts = (house: House, gauge: "sockets" | "waiting", connections: number): boolean =>
  house.metrics().includes(`\ngathercue_gateway_${gauge} ${connections}\n`)

const numbersIn = (reports: ReadonlyArray<Changes>): ReadonlyArray<ReadonlyArray<number>> =>
  reports.flat().map((change) => ("connections" in change ? (change.connections ?? []) : []))

test("a report has as many connections of a participant as are allowed, however many are on their way in", async () => {
  const { house, reports, letGo } = await openHeld()
  const stage = await house.stage()
  const tabs: Client[] = []
  for (let n = 0; n < 8; n++) tabs.push(await arriving(house, stage))
  // A tab whose token is checked later finds its participant inside, and no report is needed for it.
  await eventually(() => counts(house, "waiting", 8), "all tabs wait for their ready")
  letGo()
  for (const n of [0, 1, 2]) expect(await tabs[n]?.closeCode()).toBe(4305)
  for (const tab of tabs.slice(3)) expect(await tab.command("roster.list", { limit: 10 })).toMatchObject({ ok: true })
  expect(Math.max(...numbersIn(reports).map(({ length }) => length))).toBe(5)
})

test("a connection on its way in is closed 4305 when its participant has newer ones elsewhere", async () => {
  const { house, reports, letGo } = await openHeld()
  const stage = await house.stage()
  const { snapshot } = await house.actors.read(stage.eventId)
  const tab = await arriving(house, stage)
  await eventually(() => reports.length > 0, "the report of the arrival")
  const [[connection = 0] = []] = numbersIn(reports)
  const { epoch, version, phase } = snapshot
  const feed = await house.actors.run(Feed)
  feed.publish({
    kind: "note",
    eventId: stage.eventId,
    epoch,
    fencingToken: 1,
    from: version,
    version,
    status: "live",
    visibility: "unlisted",
    phase,
    lobby: "open",
    participantChanges: [],
    publications: [],
    ephemeral: [],
    ejections: [],
    replaced: [{ node: "test", connection }],
  })
  expect(await tab.closeCode()).toBe(4305)
  letGo()
})

test("a tab in the waiting room is known there when another one closes on its way in", async () => {
  const { house, reports, letGo } = await openHeld()
  const stage = await house.stage([{ modality: "meeting", config: {} }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const first = await arriving(house, stage)
  await eventually(() => reports.length > 0, "the report of the arrival")
  await host.command("lobby.policy", { mode: "ask" })
  const second = await arriving(house, stage)
  await second.next(({ t, d }: Frame) => t === "lobby.status" && d.state === "waiting", "the waiting room")
  await first.cut()
  await eventually(() => counts(house, "sockets", 2), "the gateway knows that the first tab is gone")
  letGo()
  await house.join(stage, "marker", "host", { kind: "user" })
  expect(await host.command("lobby.admit", { ids: ["guest"] })).toMatchObject({ d: { admitted: ["guest"] } })
})
