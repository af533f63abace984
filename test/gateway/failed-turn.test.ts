/** A turn of the event's own that fails half-way leaves nothing behind, and the next try does the whole of it. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { rotation } from "../../src/actors/domain/activities/rooms/rotation.ts"
import { crowd, depart, readyOf, received } from "./crowd.ts"
import { type House, openHouse } from "./house.ts"

let house: House

beforeAll(async () => {
  house = await openHouse()
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => house.stop())

test("a failed turn leaves a raised hand up, and the next try lowers it and notifies the host", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  const host = await house.join(stage, "host", "host")
  const [ann] = await crowd(house, stage, ["ann", "bob"])
  await ann.command("hand.raise", { note: "me" })
  await received(host, "hand.queue", ({ add }) => add.length === 1)
  // A departure lowers the hand first, then the rotation reacts: here it fails until the spy is gone.
  const failed = new Promise<void>((resolve) => {
    vi.spyOn(rotation.on, "people.departed").mockImplementation((_turn, { ids }) => {
      if (ids.length === 0) return
      resolve()
      throw new Error("a failure of the test")
    })
  })
  await depart(house, stage, "ann", ann)
  await failed
  const { handQueue, hands } = await readyOf(house, stage, "second host", "host")
  expect([hands.count, handQueue.items]).toMatchObject([1, [{ participantId: "ann", note: "me" }]])
  vi.restoreAllMocks()
  const { d } = await received(host, "hand.queue", ({ remove }) => remove.length > 0)
  expect(d.remove).toEqual(["ann"])
  await received(host, "hand.count", ({ n }) => n === 0)
})
