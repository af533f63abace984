/** After a process died without a word: who does not come back has gone, and takes along what they held. */
import { expect, test as one } from "vitest"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

/** Each has a house of its own and waits for timers most of the time, so that they run side by side. */
const test = one.concurrent

const HOST = { kind: "user" } as const

/** The server's event is activated elsewhere, as after a crash. */
const withCrash = async (
  before: (house: House) => Promise<Stage>,
  after: (house: House, stage: Stage) => Promise<void>,
): Promise<void> => {
  let isOwner = true
  const first = await openHouse({}, { holds: () => isOwner })
  try {
    const stage = await before(first)
    isOwner = false
    const second = await openHouse({}, { node: "second", returnWithinMs: 5000 }, first.databaseUrl)
    try {
      await after(second, stage)
    } finally {
      await second.stop()
    }
  } finally {
    await first.stop()
  }
}

test("hands of those who do not come back go down, of those who do stay up, and an arrival that was announced has its departure", () =>
  withCrash(
    async (house) => {
      const stage = await house.stage()
      for (const who of ["stays", "goes"]) await (await house.join(stage, who)).command("hand.raise")
      return stage
    },
    async (house, stage) => {
      const host = await house.join(stage, "host", "host", HOST)
      const back = await house.join(stage, "stays")
      const { received } = host
      const queue: Frame = received.find(({ t }) => t === "ready").d.handQueue
      expect(queue.items).toHaveLength(2)
      const { d } = await host.dispatch("hand.queue")
      expect(d).toMatchObject({ add: [], remove: ["goes"] })
      // A participant who comes back later has a lowered hand, and the event goes on.
      expect((await house.connect().identify(await house.token(stage, "goes"))).d.hand).toBeNull()
      expect(await back.command("hand.lower", {}, { id: "down" })).toMatchObject({ ok: true })
      const told = await house.actors.sql<{ type: string }[]>`
        select type from outbox_messages
         where event_id = ${stage.eventId} and body::jsonb ->> 'participantId' = 'goes' and type like 'participant.%' order by occurred_at`
      // The crash may have come before the arrival was announced.
      const types = told.map(({ type }) => type)
      expect(types).toEqual(types.map((_, n) => (n % 2 === 0 ? "participant.joined" : "participant.left")))
    },
  ))

test("the partner of a participant who does not come back is notified", () =>
  withCrash(
    async (house) => {
      const stage = await house.stage([{ modality: "rotation" }])
      const host = await house.join(stage, "host", "host", HOST)
      const people: Client[] = []
      for (const who of ["a", "b"]) people.push(await house.join(stage, who))
      await eventually(async () => (await host.command("roster.list")).d.participants.length === 3)
      await host.command("rotation.start", { roundSeconds: 600, rounds: 1 })
      for (const person of people) await person.dispatch("rotation.round")
      return stage
    },
    async (house, stage) => {
      const partner = await house.join(stage, "a")
      expect((await partner.dispatch("rotation.partnerLeft")).d).toMatchObject({ participantId: "b", n: 1 })
    },
  ))
