/** Counts of the last minutes, and their bound. */
import { expect, test } from "vitest"
import { Busiest } from "../../src/telemetry/busiest.ts"

const MINUTE_MS = 60_000
const START = 1000 * MINUTE_MS

const ofEvent = (eventId: string) => ({ workspaceId: null, keyId: null, eventId })

test("counts of five minutes are added, and older ones are forgotten", () => {
  const busiest = new Busiest()
  for (let minute = 0; minute < 7; minute++) {
    busiest.request(ofEvent("each"), START + minute * MINUTE_MS)
    busiest.command("each", START + minute * MINUTE_MS + 1)
  }
  busiest.request(ofEvent("late"), START + 6 * MINUTE_MS)
  const now = START + 6 * MINUTE_MS + 30_000
  expect(busiest.events.most(now)).toEqual([
    { id: "each", requests: 5, commands: 5 },
    { id: "late", requests: 1, commands: 0 },
  ])
  expect(busiest.seconds(now, 10_000)).toBe(270)
  expect(busiest.seconds(now, 12)).toBe(12)
  // Also where nothing has come since.
  expect(busiest.events.most(now + 4 * MINUTE_MS)).toEqual([
    { id: "each", requests: 1, commands: 1 },
    { id: "late", requests: 1, commands: 0 },
  ])
  expect(busiest.events.most(now + 5 * MINUTE_MS)).toEqual([])
})

test("of very many in a minute those with most are kept, in bounded memory", () => {
  const busiest = new Busiest()
  for (let n = 0; n < 50; n++) busiest.request({ workspaceId: "busy", keyId: "key", eventId: null }, START)
  for (let n = 0; n < 20_000; n++) {
    busiest.request({ workspaceId: `once ${n}`, keyId: null, eventId: null }, START)
    if (n % 100 === 0) busiest.request({ workspaceId: "busy", keyId: "key", eventId: null }, START)
  }
  const most = busiest.workspaces.most(START)
  expect(most[0]).toEqual({ id: "busy", requests: 250, commands: 0 })
  expect(most.length).toBeLessThanOrEqual(2000)
  expect(busiest.keys.most(START)).toEqual([{ id: "key", requests: 250, commands: 0 }])
})

test("a clock that is set back loses no counts", () => {
  const busiest = new Busiest()
  busiest.command("event", START)
  busiest.command("event", START - 10 * MINUTE_MS)
  expect(busiest.events.most(START)).toEqual([{ id: "event", requests: 0, commands: 2 }])
})
