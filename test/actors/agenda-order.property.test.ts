/** The stored agenda is the one in memory, whatever commands share a commit. */
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgendaCommand } from "../../src/actors/commands.ts"
import { newId } from "../../src/model/ids.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"

let database: TestDatabase
let actors: ActorHouse
beforeAll(async () => {
  database = await createTestDatabase()
  actors = await startActors(database.url)
})
afterAll(async () => {
  await actors.stop()
  await database.drop()
})

const STORED = 4
const APPENDED = 2
const place = fc.nat({ max: STORED + APPENDED - 1 })

/** What a host does, by the places of phases in a list of all that there may be. */
const deed = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("order" as const), swap: fc.tuple(place, place) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("remove" as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("append" as const), at: fc.nat({ max: APPENDED - 1 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("update" as const), at: place }) },
  { weight: 1, arbitrary: fc.constant({ does: "start" as const }) },
)

test("orders, removals, additions and a start at one moment leave the database as the answers say", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 12 }), async (deeds) => {
      const { eventId, phaseIds } = await seedEvent(
        actors.sql,
        Array.from({ length: STORED }, () => ({ modality: "meeting" as const })),
      )
      const ids = [...phaseIds, ...Array.from({ length: APPENDED }, () => newId())]
      const idAt = (at: number): string => ids[at] ?? ""
      // The order that a host looks at: those that are there if all that was sent before is done.
      let seen: ReadonlyArray<string> = phaseIds
      const commandOf = (given: typeof deed extends fc.Arbitrary<infer D> ? D : never): AgendaCommand => {
        switch (given.does) {
          case "order": {
            const [a, b] = given.swap
            const swapped = new Map([
              [idAt(a), idAt(b)],
              [idAt(b), idAt(a)],
            ])
            seen = seen.map((id) => swapped.get(id) ?? id)
            return { type: "phases.order", d: { phaseIds: seen } }
          }
          case "remove":
            seen = seen.filter((id) => id !== idAt(given.at))
            return { type: "phase.remove", d: { phaseId: idAt(given.at) } }
          case "append": {
            const phaseId = newId()
            ids[STORED + given.at] = phaseId
            seen = [...seen, phaseId]
            return { type: "phase.append", d: { phaseId, modality: "meeting", config: {}, featureSet: [] } }
          }
          case "update":
            return { type: "phase.update", d: { phaseId: idAt(given.at), config: { note: "x" } } }
          case "start":
            return { type: "event.start", d: {} }
        }
      }
      const commands = deeds.map(commandOf)
      const outcomes = await Promise.allSettled(commands.map((command) => actors.execute(eventId, command)))
      const rows = await actors.sql<{ id: string; position: number; rev: number; status: string }[]>`
        select id, position, rev, status from phases where event_id = ${eventId} order by position`
      expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index))
      const { everyone } = (await actors.read(eventId)).snapshot
      expect(everyone["phases"]).toMatchObject(rows.map((row) => ({ ...row })))
      expect(rows).toHaveLength((everyone["phases"] as ReadonlyArray<unknown>).length)
      const done = commands.filter((_, index) => outcomes[index]?.status === "fulfilled")
      const stored = new Set(rows.map(({ id }) => id))
      for (const command of done) {
        if (command.type === "phase.remove") expect(stored.has(command.d.phaseId)).toBe(false)
        if (command.type !== "phase.append") continue
        const { phaseId } = command.d
        const isRemoved = done.some(({ type, d }) => type === "phase.remove" && d.phaseId === phaseId)
        expect(stored.has(phaseId)).toBe(!isRemoved)
      }
    }),
    { numRuns: 60 },
  )
})
