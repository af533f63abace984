/** Newcomers on their way in: each is reported once, unless the participant is inside already. */
import { expect, test } from "vitest"
import type { Connection } from "../../src/gateway/connection/connection.ts"
import type { Identity } from "../../src/gateway/connection/lifecycle.ts"
import { Arrivals } from "../../src/gateway/event/arrivals.ts"
import type { PresenceReports } from "../../src/gateway/event/presence-reports.ts"

const comingIn = (participantId: string): Connection => ({ identity: { participantId } }) as unknown as Connection

test("each tab on its way in is reported once, and counts until it is inside or gone", () => {
  const reported: string[] = []
  const presence = {
    arrived: ({ participantId }: Identity) => void reported.push(participantId),
  } as unknown as PresenceReports
  const arrivals = new Arrivals(presence, new Set())
  const [first, second] = [comingIn("ann"), comingIn("ann")]
  for (const connection of [first, second, first]) expect(arrivals.isKnown(connection, () => {})).toBe(false)
  expect(reported).toEqual(["ann", "ann"])
  expect(arrivals.connectionsOf("ann")).toEqual([first, second])
  expect([arrivals.forget(first), arrivals.forget(first)]).toEqual([true, false])
  expect(arrivals.connectionsOf("ann")).toEqual([second])
  expect([arrivals.forget(second), arrivals.forget(second)]).toEqual([true, false])
  expect(arrivals.connectionsOf("ann")).toEqual([])
})

test("a tab of a person with an open one needs no report on its way in", () => {
  const arrivals = new Arrivals({} as PresenceReports, new Set(["ann"]))
  const tab = comingIn("ann")
  expect([arrivals.isKnown(tab, () => {}), arrivals.forget(tab)]).toEqual([true, false])
})
