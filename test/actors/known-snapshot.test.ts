import { Effect } from "effect"
import { expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import type { LiveSnapshot } from "../../src/actors/protocol.ts"
import { ownActors, seedEvent } from "../support/live-events.ts"

test("a snapshot that the reader has is not sent again while it is good", async () => {
  const house = await ownActors()
  const { eventId } = await seedEvent(house.sql, [{ modality: "meeting" }])
  const read = (known?: LiveSnapshot) =>
    house.run(Effect.flatMap(LiveEvents, (live) => live.read(eventId, [], true, { known })))
  await house.execute(eventId, { type: "event.start", d: {} })
  const first = await read()
  // A copy under the same id: it comes back only where none was sent.
  const known = { ...first.snapshot }
  expect((await read(known)).snapshot).toBe(known)
  await house.execute(eventId, { type: "announce", d: { text: "News" } })
  const { snapshot, version } = await read(known)
  expect(snapshot.version).toBe(version)
  expect(snapshot.version).toBeGreaterThan(first.snapshot.version)
})
