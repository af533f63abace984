/**
 * Numbers of streams while memory holds only some of their heads, against the plainest model there is: a counter for each
 * stream. Heads that memory let go of are read back from that model, as from the store.
 */
import fc from "fast-check"
import { expect, test } from "vitest"
import { Heads } from "../../src/actors/commit/stream-heads.ts"

const GENERATION = 4
const STREAMS = ["event", "staff", "room:red", ...Array.from({ length: 20 }, (_, n) => `me:p${n}`)]

type Act =
  /** A batch says something on these streams, in their order. */
  | { readonly act: "say"; readonly on: ReadonlyArray<string> }
  /** A reading asks how far these have come. */
  | { readonly act: "ask"; readonly on: ReadonlyArray<string> }
  /** All that was in memory is forgotten, and recovered from the store. */
  | { readonly act: "recover" }

const on = fc.array(fc.constantFrom(...STREAMS), { minLength: 1, maxLength: 12 })
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("say" as const), on }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("ask" as const), on }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("recover" as const) }) },
)

test("no number is left out or given twice, whatever memory has let go of", () => {
  let readBack = 0
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const stored = new Map<string, number>()
      const headOf = (stream: string) => ({ stream, s: stored.get(stream) ?? 0 })
      const recovered = () =>
        new Heads(
          ["event", "staff"].map(headOf),
          [...stored.keys()].some((stream) => stream.includes(":")),
          GENERATION,
        )
      let heads = recovered()
      for (const one of acts) {
        if (one.act === "recover") {
          heads = recovered()
          continue
        }
        const unknown = heads.unknown(new Set(one.on))
        readBack += unknown.length
        heads.learn(unknown.map(headOf))
        for (const stream of one.on) {
          expect([stream, heads.of(stream)]).toEqual([stream, headOf(stream).s])
          if (one.act === "ask") continue
          stored.set(stream, headOf(stream).s + 1)
          expect([stream, heads.next(stream)]).toEqual([stream, stored.get(stream)])
        }
      }
    }),
    { numRuns: 1000 },
  )
  expect(readBack).toBeGreaterThan(0)
})

test("an event that never spoke to anybody alone reads nothing back", () => {
  const heads = new Heads([{ stream: "event", s: 7 }], false)
  expect(heads.unknown(["event", "staff", "me:p", "room:red"])).toEqual([])
  expect([heads.next("event"), heads.next("staff"), heads.next("me:p"), heads.next("me:p")]).toEqual([8, 1, 1, 2])
})

test("a stream that was not read back gets no number", () => {
  const heads = new Heads([], true)
  expect(heads.unknown(["me:p"])).toEqual(["me:p"])
  expect(() => heads.next("me:p")).toThrow("was not read back")
})

test("memory lets go of streams that were not spoken to lately", () => {
  const heads = new Heads([], true, GENERATION)
  const people = Array.from({ length: 3 * GENERATION }, (_, n) => `me:p${n}`)
  for (const stream of people) heads.learn(heads.unknown([stream]).map((one) => ({ stream: one, s: 1 })))
  expect(heads.unknown(["me:p0"])).toEqual(["me:p0"])
  expect(heads.unknown([people.at(-1) ?? ""])).toEqual([])
})
