/** Places that workspaces share, on a clock that passes only here. */
import { expect, test } from "vitest"
import { FairPlaces, type PlaceHolder } from "../../src/media/fair-places.ts"
import { openVirtualTime, type VirtualTime } from "../support/virtual-time.ts"

/** Work that notes what happens to it, and gives its place back when it is cut. */
interface Work {
  readonly holder: PlaceHolder
  state: "asks" | "works" | "refused" | "cut"
  bytes: number
}

const houseOf = (time: VirtualTime, most: number) => {
  const places = new FairPlaces({ most, timers: time.timers })
  const ask = (workspaceId: string): Work => {
    const work: Work = {
      state: "asks",
      bytes: 0,
      holder: {
        workspaceId,
        bytes: () => work.bytes,
        cut: () => {
          work.state = "cut"
          places.leave(work.holder)
        },
      },
    }
    places.take(work.holder, (isMine) => {
      work.state = isMine ? "works" : "refused"
    })
    return work
  }
  const held = () => Object.fromEntries(places.byWorkspace().map((one) => [one.workspaceId, one.amount]))
  return { places, ask, held }
}

const statesOf = (works: ReadonlyArray<Work>) => works.map(({ state }) => state)

test("a workspace has all places while no other wants one, and one more is refused at once", async () => {
  const { ask, held } = houseOf(await openVirtualTime(), 4)
  const works = ["a", "a", "a", "a", "a"].map(ask)
  expect(statesOf(works)).toEqual(["works", "works", "works", "works", "refused"])
  expect(held()).toEqual({ a: 4 })
})

test("another workspace has its place at once, in place of the slowest of the one that has most, up to half", async () => {
  const time = await openVirtualTime()
  const { ask, held } = houseOf(time, 4)
  const first = ["a", "a", "a", "a"].map(ask)
  for (const [n, work] of first.entries()) work.bytes = [900, 100, 300, 700][n] ?? 0
  await time.pass(1000)
  const second = ["b", "b", "b"].map(ask)
  expect(statesOf(second)).toEqual(["works", "works", "refused"])
  expect(statesOf(first)).toEqual(["works", "cut", "cut", "works"])
  expect(held()).toEqual({ a: 2, b: 2 })
  // Who was cut comes again, and has half already.
  expect(ask("a").state).toBe("refused")
})

test("a third workspace has its place too", async () => {
  const { ask, held } = houseOf(await openVirtualTime(), 4)
  for (const workspace of ["a", "a", "b", "b", "c"]) ask(workspace)
  expect(Object.values(held()).toSorted()).toEqual([1, 1, 2])
})

test("where all have one place, a slow one is cut for a workspace that waits, and a fast one is not", async () => {
  const time = await openVirtualTime()
  const { ask } = houseOf(time, 2)
  const [slow, fast] = [ask("a"), ask("b")]
  const waits = ask("c")
  expect(statesOf([slow, fast, waits])).toEqual(["works", "works", "asks"])
  slow.bytes += 4_900_000
  fast.bytes += 5_000_000
  await time.pass(5000)
  expect(statesOf([slow, fast, waits])).toEqual(["cut", "works", "works"])
})

test("the floor is not raised for a workspace's own uploads, nor when nobody waits", async () => {
  const time = await openVirtualTime()
  const { ask } = houseOf(time, 2)
  const works = [ask("a"), ask("a"), ask("a")]
  await time.pass(60_000)
  expect(statesOf(works)).toEqual(["works", "works", "refused"])
})

test("a workspace that waits in vain is refused at its deadline, and one whose client left is not served", async () => {
  const time = await openVirtualTime()
  const { ask, places } = houseOf(time, 2)
  const fast = [ask("a"), ask("b")]
  const [late, gone] = [ask("c"), ask("d")]
  places.leave(gone.holder)
  for (let second = 0; second < 20; second++) {
    expect(late.state).toBe("asks")
    for (const work of fast) work.bytes += 2_000_000
    await time.pass(1000)
  }
  expect(statesOf([late, gone])).toEqual(["refused", "asks"])
  places.leave(fast[0]?.holder ?? expect.fail("nothing works"))
  expect(places.taken).toBe(1)
})

test("a place that is given back goes to the workspace with fewest, and then to who came first", async () => {
  const { ask, places } = houseOf(await openVirtualTime(), 4)
  const [one] = ["a", "b", "c", "d"].map(ask)
  const waiting = ["b", "c", "e"].map(ask)
  expect(statesOf(waiting)).toEqual(["asks", "asks", "asks"])
  places.leave(one?.holder ?? expect.fail("nothing works"))
  expect(statesOf(waiting)).toEqual(["asks", "asks", "works"])
  places.leave(waiting[2]?.holder ?? expect.fail("nothing works"))
  expect(statesOf(waiting)).toEqual(["works", "asks", "works"])
})

test("the list of those who wait is bounded, and a workspace that fills it does not keep others out of it", async () => {
  const time = await openVirtualTime()
  const { ask } = houseOf(time, 64)
  for (let n = 0; n < 64; n++) ask(`w${n}`)
  const many = Array.from({ length: 64 }, () => ask("many"))
  expect(new Set(statesOf(many))).toEqual(new Set(["asks"]))
  const other = ask("other")
  expect(other.state).toBe("asks")
  expect(statesOf(many).filter((state) => state === "refused")).toHaveLength(1)
  expect(many.at(-1)?.state).toBe("refused")
})

test("work that is never cut keeps its place, and one workspace has its part of the places at most", async () => {
  const time = await openVirtualTime()
  const places = new FairPlaces({ most: 4, mostOfOne: 2, timers: time.timers })
  let isGone = false
  const first: PlaceHolder = { workspaceId: "a", isHeld: () => !isGone }
  expect(places.takeNow(first)).toBe(true)
  expect(["a", "a", "b", "b", "c"].map((workspaceId) => places.takeNow({ workspaceId }))).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
  // The one that has its place keeps it, and one that is gone holds none.
  expect(places.takeNow(first)).toBe(true)
  isGone = true
  expect(places.takeNow({ workspaceId: "a" })).toBe(true)
})
