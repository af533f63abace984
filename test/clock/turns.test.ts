import fc from "fast-check"
import { expect, test } from "vitest"
import { Slots } from "../../src/clock/turns.ts"

test("no more than the given number goes on at once, all are done in the order in which they came, and failures give their place back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()), { maxLength: 12 }),
      async (count, all) => {
        const places = new Slots(count)
        const begun: number[] = []
        let open = 0
        let most = 0
        const outcomes = await Promise.allSettled(
          all.map(([turns, fails], index) =>
            places.take(async () => {
              begun.push(index)
              open += 1
              most = Math.max(most, open)
              for (let turn = 0; turn < turns; turn++) await Promise.resolve()
              open -= 1
              if (fails) throw new Error("failed")
            }),
          ),
        )
        expect(begun).toEqual(all.map((_, index) => index))
        expect(most).toBe(Math.min(count, all.length))
        expect(outcomes.map(({ status }) => status === "rejected")).toEqual(all.map(([, fails]) => fails))
      },
    ),
  )
})
