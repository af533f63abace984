/** One person in two tabs, of which one closes while the other one is on its way in. */
import { expect, test } from "vitest"
import { eventually } from "../support/wait.ts"
import type { Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

interface Held {
  readonly who: ReadonlyArray<string>
  readonly release: () => void
}

/** One report for each tab. */
const TABS = 2

/** A gateway whose reports of Ann's arrivals wait for the test; those of what she has left go on. */
const openHeld = async (run: (house: House, held: Held[]) => Promise<void>): Promise<void> => {
  const held: Held[] = []
  const house = await openHouse({
    beforeReport: async (changes) => {
      const who = changes.map((change) => {
        const { participantId } = "participant" in change ? change.participant : change
        return `${change.type} ${participantId}`
      })
      if (!who.includes("join ann") || held.length === TABS) return
      await new Promise<void>((release) => {
        held.push({ who, release })
      })
    },
  })
  try {
    await run(house, held)
  } finally {
    for (const { release } of held) release()
    await house.stop()
  }
}

const report = async (held: ReadonlyArray<Held>, index: number): Promise<Held> => {
  await eventually(() => held.length > index, `report ${index}`)
  return held[index] as Held
}

/** Those who are present when everything that was reported before is known. */
const present = async (house: House, stage: Stage): Promise<ReadonlyArray<string>> => {
  await house.join(stage, "marker")
  let list: ReadonlyArray<string> = []
  await eventually(async () => {
    const host = house.connect()
    const { d } = await host.identify(await house.token(stage, "host", "host", { kind: "user" }))
    await host.cut()
    list = d.presence.list.map(({ participantId }: Frame) => participantId)
    return list.includes("marker")
  }, "the marker is seen")
  return list.filter((one) => one !== "host").toSorted()
}

/** The first tab of Ann is open, and the second one is reported to the live event. */
const openTwoTabs = async (house: House, held: ReadonlyArray<Held>, stage: Stage) => {
  const [first, second] = [house.connect(), house.connect()]
  const opened = first.identify(await house.token(stage, "ann"))
  const arrival = await report(held, 0)
  const opening = second.identify(await house.token(stage, "ann"))
  // What the second tab has sent is read before this connection is greeted.
  await house.connect().hello()
  arrival.release()
  await opened
  expect((await report(held, 1)).who).toEqual(["join ann"])
  return { first, second, opening }
}

test("a person is present when their first tab closes while their second one is on its way in", () =>
  openHeld(async (house, held) => {
    const stage = await house.stage()
    const { first, opening } = await openTwoTabs(house, held, stage)
    await first.cut()
    await house.connect().hello()
    held[1]?.release()
    await opening
    expect(await present(house, stage)).toEqual(["ann", "marker"])
  }))

test("a person is gone when both tabs close, the second one on its way in", () =>
  openHeld(async (house, held) => {
    const stage = await house.stage()
    const { first, second, opening } = await openTwoTabs(house, held, stage)
    const failed = opening.catch(() => undefined)
    for (const tab of [first, second]) await tab.cut()
    await failed
    await house.connect().hello()
    held[1]?.release()
    expect(await present(house, stage)).toEqual(["marker"])
  }))
