import { Effect } from "effect"
import { expect, test } from "vitest"
import type { PresenceReport } from "../../src/actors/protocol.ts"
import { systemTimers } from "../../src/clock/timers.ts"
import type { Connection } from "../../src/gateway/connection/connection.ts"
import { PresenceReports } from "../../src/gateway/event/presence-reports.ts"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import type { GatewayServices } from "../../src/gateway/services.ts"

/** Presence reports of an event, and what the live event has received. */
const openReports = () => {
  const received: PresenceReport["changes"][number][] = []
  const services = {
    timers: systemTimers,
    options: { ...GATEWAY_DEFAULTS, presenceTickMs: 1 },
    node: "node",
    live: {
      reportPresence: (_: string, { changes }: PresenceReport) => Effect.sync(() => void received.push(...changes)),
    },
    fork: (effect: Effect.Effect<unknown>) => Effect.runFork(effect),
  } as unknown as GatewayServices
  const here = { inside: (): ReadonlyArray<Connection> => [], waiting: (): ReadonlyArray<Connection> => [] }
  return { received, reports: new PresenceReports(services, "event", here) }
}

test("as many departures as sockets fit into a process are noted in one moment, and each is reported", async () => {
  const { received, reports } = openReports()
  const people = Array.from({ length: 60_000 }, (_, n) => `guest-${n}`)
  // Work for each that grew with their number took longer than a test may.
  for (const id of people) reports.left(id)
  await expect.poll(() => reports.isIdle, { timeout: 60_000 }).toBe(true)
  expect(received).toEqual(people.map((participantId) => ({ type: "leave", participantId })))
})

test("a few who go again and again leave few changes to report", async () => {
  const { received, reports } = openReports()
  for (let n = 0; n < 200_000; n++) reports.left(`guest-${n % 100}`)
  await expect.poll(() => reports.isIdle, { timeout: 60_000 }).toBe(true)
  expect(received.length).toBeLessThanOrEqual(20_100)
})
