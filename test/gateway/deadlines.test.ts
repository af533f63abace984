import { expect, onTestFinished, test } from "vitest"
import { openJumpingClock } from "../support/jumping-clock.ts"
import { openVirtualTime } from "../support/virtual-time.ts"
import { openHouse } from "./house.ts"

test("a socket that does not identify in time closes 4202, one that falls silent 4001, and one that beats stays", async () => {
  const { clock, timers, jump } = openJumpingClock()
  const house = await openHouse({ clock, heartbeatMs: 20_000 })
  onTestFinished(() => house.stop())
  const nobody = house.connect()
  expect((await nobody.hello()).d).toMatchObject({ heartbeatMs: 20_000, identifyTimeoutMs: 10_000 })
  jump(10_001)
  expect(await nobody.closeCode()).toBe(4202)
  const stage = await house.stage()
  const sessionExpires = Math.floor(timers.now() / 1000) + 7200
  const [silent, beating] = [
    await house.join(stage, "silent", "participant", { sessionExpires }),
    await house.join(stage, "beating", "participant", { sessionExpires }),
  ]
  for (const ms of [20_000, 20_000]) {
    jump(ms)
    beating.send({ op: 1, d: { t0: 1 } })
    await beating.next(({ op }) => op === 11)
  }
  // The limit is 45 seconds without a frame.
  jump(6_000)
  expect(await silent.closeCode()).toBe(4001)
  expect(await beating.command("roster.list")).toMatchObject({ ok: true })
})

test("more identifies than the node takes in a second close 4100, and the next second takes others", async () => {
  const { clock, timers, pass } = await openVirtualTime(Date.now())
  const still = await openHouse({ identifiesPerSecond: 20, clock })
  onTestFinished(() => still.stop())
  const stage = await still.stage()
  const sessionExpires = Math.floor(timers.now() / 1000) + 3600
  /** The code of the close, or `"taken"`: frames are read in order, so that the heartbeat is answered after the identify was taken. */
  const identify = async (_: unknown, n: number): Promise<number | "taken"> => {
    const client = still.connect()
    await client.hello()
    client.send({ op: 2, d: { token: await still.token(stage, `p${n}`, "participant", { sessionExpires }) } })
    client.send({ op: 1, d: { t0: 1 } })
    return Promise.race([client.next(({ op }) => op === 11).then(() => "taken" as const), client.closeCode()])
  }
  const outcomes = await Promise.all(Array.from({ length: 60 }, identify))
  expect(outcomes.filter((outcome) => outcome === "taken")).toHaveLength(20)
  expect(outcomes.filter((outcome) => outcome === 4100)).toHaveLength(40)
  await pass(1000)
  expect(await identify(undefined, 60)).toBe("taken")
})
