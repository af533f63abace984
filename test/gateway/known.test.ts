/** `ready` means that the live event knows a newcomer: whatever is decided right after it sees them. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House
/** Reports of comings and goings go out every four seconds here, so that nothing but the wait for `ready` can make a newcomer known. */
beforeAll(async () => {
  house = await openHouse({ presenceTickMs: 4000 })
})
afterAll(() => house.stop())

const ROUNDS = 20
const NAMES = Array.from({ length: 8 }, (_, n) => `guest ${n}`)

interface Crowd {
  readonly stage: Stage
  readonly host: Client
  readonly guests: ReadonlyArray<Client>
}

const gather = async (phases: Parameters<House["stage"]>[0]): Promise<Crowd> => {
  const stage = await house.stage(phases)
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guests = await Promise.all(NAMES.map((who) => house.join(stage, who)))
  return { stage, host, guests }
}

const disperse = async ({ host, guests }: Crowd): Promise<void> => {
  for (const client of [host, ...guests]) await client.cut()
}

const BREAKOUT = [{ modality: "breakout", config: { durationSeconds: 600 } }] as const
const MEETING = [{ modality: "meeting", config: { lobby: "open" } }] as const

test.each<[string, Parameters<House["stage"]>[0], (crowd: Crowd) => Promise<ReadonlyArray<string>>]>([
  [
    "a breakout plan",
    BREAKOUT,
    async ({ host }) => {
      const { d } = await host.command("breakout.plan", { rooms: 4, strategy: "balanced" })
      return d.plan.rooms.flatMap(({ people }: Frame) => people)
    },
  ],
  [
    "the roster",
    MEETING,
    async ({ host }) =>
      (await host.command("roster.list")).d.participants.map(({ participantId }: Frame) => participantId),
  ],
  [
    "roles given",
    MEETING,
    async ({ host }) => {
      const given = await Promise.all(NAMES.map((id) => host.command("role.set", { id, role: "host" })))
      return given.flatMap(({ ok, d }) => (ok ? [d.participantId] : []))
    },
  ],
  [
    "invitations to the stage",
    MEETING,
    async ({ host }) => {
      const invited = await Promise.all(NAMES.map((id) => host.command("stage.invite", { id })))
      return invited.flatMap(({ ok, d }) => (ok ? [d.participantId] : []))
    },
  ],
  [
    "a way back to the lobby",
    MEETING,
    async ({ host }) => {
      const sent = await Promise.all(NAMES.map((id) => host.command("participant.toLobby", { id })))
      return sent.flatMap(({ ok, d }) => (ok ? [d.participantId] : []))
    },
  ],
])(
  "%s sees everybody who has had ready, twenty times of twenty",
  async (_, phases, seenBy) => {
    for (let round = 0; round < ROUNDS; round++) {
      const crowd = await gather(phases)
      const seen = await seenBy(crowd)
      expect(NAMES.filter((who) => !seen.includes(who))).toEqual([])
      await disperse(crowd)
    }
  },
  120_000,
)

test("a guest who is removed right after ready has no place in a room, and is given none again", async () => {
  const crowd = await gather(BREAKOUT)
  const { host, stage } = crowd
  const { d } = await host.command("breakout.plan", { size: 4, strategy: "balanced" })
  await host.command("breakout.open", { planId: d.plan.id })
  expect((await host.command("participant.remove", { id: "guest 0", block: true })).ok).toBe(true)
  // The arrivals are told of now; that the removed guest has gone is reported seconds later.
  const ofArrivals = ({ t, d: { join = [] } }: Frame) =>
    t === "presence.diff" && join.some((one: Frame) => one.participantId === "guest 1")
  await host.next(ofArrivals, "the diff of the arrivals")
  expect((await host.command("breakout.move", { id: "guest 0", roomId: null })).e.code).toBe("not_found")
  const late = await house.join(stage, "late")
  const { rooms } = late.received.find(({ t }) => t === "ready").d
  expect(rooms.map(({ count }: Frame) => count).toSorted()).toEqual([3, 4])
  await disperse(crowd)
  await late.cut()
})
