/** Newcomers on their way in: who is reported, once, and whose leaving on the way ends their presence. */
import { expect, test } from "vitest"
import type { Connection } from "../../src/gateway/connection/connection.ts"
import { Arrivals } from "../../src/gateway/event/arrivals.ts"
import type { PresenceReports } from "../../src/gateway/event/presence-reports.ts"

const comingIn = (participantId: string): Connection => ({ identity: { participantId } }) as unknown as Connection

test("of two tabs on their way in the last one that closes ends the presence, unless a third is inside", () => {
  const inside = new Set<string>()
  const presence = { arrived: () => {} } as unknown as PresenceReports
  const arrivals = new Arrivals(presence, inside)
  const [first, second, third] = [comingIn("ann"), comingIn("ann"), comingIn("ann")]
  for (const connection of [first, second]) expect(arrivals.isKnown(connection, () => {})).toBe(false)
  expect([arrivals.left(first), arrivals.left(first), arrivals.left(second)]).toEqual([false, false, true])
  arrivals.isKnown(third, () => {})
  inside.add("ann")
  expect(arrivals.left(third)).toBe(false)
})

test("a person with a tab on its way in is not reported as gone when another tab closes, until that one is gone too", () => {
  const inside = new Set<string>()
  const arrivals = new Arrivals({ arrived: () => {} } as unknown as PresenceReports, inside)
  const [closing, staying] = [comingIn("ann"), comingIn("ann")]
  for (const connection of [closing, staying]) arrivals.isKnown(connection, () => {})
  // The first of them opens, and closes before the second one does.
  arrivals.entered(closing)
  expect(arrivals.has("ann")).toBe(true)
  expect(arrivals.left(staying)).toBe(true)
  expect(arrivals.has("ann")).toBe(false)
})
