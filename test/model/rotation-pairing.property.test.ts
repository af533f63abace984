import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { completePairing } from "../../src/model/pairing/maximum-matching.ts"
import { restoreHistory } from "../../src/model/pairing/meeting-history.ts"
import { Pairing } from "../../src/model/pairing/pairing.ts"
import {
  nextRound,
  type RotationOptions,
  type RotationRound,
  type RotationState,
  restoreRotation,
  startRotation,
} from "../../src/model/rotation/rotation-pairing.ts"

const people = (count: number) => Array.from({ length: count }, (_, number) => `p${number}`)
const pairs = (seed: number): RotationOptions => ({ groupSize: 2, odd: "bye", seed })
const key = (a: string, b: string) => (a < b ? `${a} ${b}` : `${b} ${a}`)

/** The rounds so far, counted apart from the code under test. */
class Chronicle {
  rounds = 0
  readonly #met = new Set<string>()
  readonly #byes = new Map<string, number>()

  haveMet(a: string, b: string): boolean {
    return this.#met.has(key(a, b))
  }

  byes(person: string): number {
    return this.#byes.get(person) ?? 0
  }

  add({ groups, byes }: RotationRound): void {
    this.rounds++
    for (const { people } of groups) for (const a of people) for (const b of people) this.#met.add(key(a, b))
    for (const person of byes) this.#byes.set(person, this.byes(person) + 1)
  }
}

const expectEveryoneOnce = ({ groups, byes }: RotationRound, present: ReadonlyArray<string>) =>
  expect([...groups.flatMap((group) => group.people), ...byes].toSorted()).toEqual(present.toSorted())

const expectTrueFlags = ({ groups }: RotationRound, record: Chronicle) => {
  for (const { people, repeat } of groups) {
    expect(repeat).toBe(people.some((a, at) => people.slice(at + 1).some((b) => record.haveMet(a, b))))
  }
}

/** One round's comings and goings: numbers pick among those who are there, or gone. */
const change = fc.record({
  leaving: fc.array(fc.nat(), { maxLength: 3 }),
  joining: fc.nat(3),
  returning: fc.nat(2),
  out: fc.array(fc.nat(), { maxLength: 4 }),
})
const churn = fc.record({
  start: fc.integer({ min: 0, max: 24 }),
  changes: fc.array(change, { minLength: 1, maxLength: 16 }),
  seed: fc.integer(),
})
type Churn = typeof churn extends fc.Arbitrary<infer Value> ? Value : never

/** Plays rounds under churn; `check` sees each with the record of those before. */
const play = (
  { start, changes, seed }: Churn,
  options: Omit<RotationOptions, "seed">,
  check: (round: RotationRound, present: ReadonlyArray<string>, record: Chronicle, before: RotationState) => void,
) => {
  let state = startRotation()
  let here = people(start)
  let created = start
  const gone: Array<string> = []
  const record = new Chronicle()
  for (const { leaving, joining, returning, out } of changes) {
    for (const pick of leaving) {
      const person = here[pick % Math.max(1, here.length)]
      if (person === undefined) continue
      here = here.filter((other) => other !== person)
      gone.push(person)
    }
    here = [...here, ...gone.splice(0, returning)]
    for (let count = 0; count < joining; count++) here.push(`p${created++}`)
    const pausing = new Set(out.map((pick) => here[pick % Math.max(1, here.length)]))
    const present = here.filter((person) => !pausing.has(person))
    const round = nextRound(state, present, { ...options, seed })
    check(round, present, record, state)
    record.add(round)
    state = round.state
  }
}

describe("pairs under all arrivals, departures, returns and pauses", () => {
  test("nobody meets again while n >= 2r, everyone has a place, and byes go round", () => {
    let guaranteed = 0
    fc.assert(
      fc.property(churn, (churned) => {
        play(churned, { groupSize: 2, odd: "bye" }, (round, present, record) => {
          const n = present.length
          expectEveryoneOnce(round, present)
          expectTrueFlags(round, record)
          expect(round.byes.length).toBe(n % 2)
          const fewest = Math.min(...present.map((person) => record.byes(person)))
          for (const person of round.byes) expect(record.byes(person)).toBe(fewest)
          if (n - (n % 2) < 2 * (record.rounds + 1)) return
          guaranteed++
          expect(round.groups.filter((group) => group.repeat)).toEqual([])
        })
      }),
      { numRuns: 40 },
    )
    expect(guaranteed).toBeGreaterThan(100)
  })

  test("a trio leaves nobody out, is there only when the number is odd, and repeats nothing while people have met few", () => {
    fc.assert(
      fc.property(churn, (churned) => {
        play(churned, { groupSize: 2, odd: "trio" }, (round, present, record) => {
          expectEveryoneOnce(round, present)
          expectTrueFlags(round, record)
          expect(round.byes).toEqual(present.length === 1 ? present : [])
          const sizes = round.groups.map((group) => group.people.length).toSorted((a, b) => a - b)
          const trios = present.length > 1 ? present.length % 2 : 0
          const known = present.map((a) => present.filter((b) => a !== b && record.haveMet(a, b)).length)
          const isRoomy = present.length - trios >= 2 * (Math.max(...known) + 1)
          if (isRoomy) expect(round.groups.filter((group) => group.repeat)).toEqual([])
          expect(sizes).toEqual([...Array(Math.floor(present.length / 2) - trios).fill(2), ...Array(trios).fill(3)])
        })
      }),
      { numRuns: 40 },
    )
  })

  test("no fewer repeats would have been possible", () => {
    // Nobody new comes, so that people run out of others.
    const few = change.map(({ leaving, ...rest }) => ({ ...rest, leaving: leaving.slice(2), joining: 0 }))
    const long = fc.record({
      start: fc.integer({ min: 2, max: 14 }),
      changes: fc.array(few, { minLength: 10, maxLength: 24 }),
      seed: fc.integer(),
    })
    let repeats = 0
    fc.assert(
      fc.property(long, (churned) => {
        play(churned, { groupSize: 2, odd: "bye" }, (round, present, record) => {
          const repeated = round.groups.filter((group) => group.repeat).length
          expect(repeated).toBe(fewestRepeats(present, record))
          repeats += repeated
        })
      }),
      { numRuns: 40 },
    )
    expect(repeats).toBeGreaterThan(50)
  })

  test("a state that went through JSON, or is asked a second time, gives the same rounds", () => {
    fc.assert(
      fc.property(
        churn,
        fc.constantFrom(2, 3, 4),
        fc.constantFrom("bye" as const, "trio" as const),
        (churned, size, odd) => {
          play(churned, { groupSize: size, odd }, (round, present, _, before) => {
            const options = { groupSize: size, odd, seed: churned.seed }
            expect(nextRound(before, present, options)).toEqual(round)
            const restored = nextRound(restoreRotation(JSON.parse(JSON.stringify(before))), present, options)
            expect(restored.groups).toEqual(round.groups)
            expect(restored.byes).toEqual(round.byes)
            expect(JSON.stringify(restored.state)).toBe(JSON.stringify(round.state))
          })
        },
      ),
      { numRuns: 30 },
    )
  })
})

/** Those whom the largest pairing of people who have not met leaves over; in an odd round one may pair with the bye. */
const fewestRepeats = (present: ReadonlyArray<string>, record: Chronicle): number => {
  const fewest = Math.min(...present.map((person) => record.byes(person)))
  const pairing = new Pairing(present.length + (present.length % 2), (a, b) => {
    const [one, other] = [present[a], present[b]]
    if (one === undefined || other === undefined) return a !== b && record.byes(one ?? other ?? "") === fewest
    return a !== b && !record.haveMet(one, other)
  })
  completePairing(pairing)
  return pairing.free().length / 2
}

test("a roster that stays the same meets completely: n - 1 rounds, or n with one bye for each when n is odd", () => {
  for (let n = 2; n <= 40; n++) {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const record = new Chronicle()
        let state = startRotation()
        const rounds = n % 2 === 0 ? n - 1 : n
        for (let round = 0; round < rounds; round++) {
          const next = nextRound(state, people(n), pairs(seed))
          expectEveryoneOnce(next, people(n))
          expect(next.groups.filter((group) => group.repeat)).toEqual([])
          record.add(next)
          state = next.state
        }
        for (const a of people(n)) {
          expect(record.byes(a)).toBe(n % 2)
          expect(people(n).filter((b) => a !== b && !record.haveMet(a, b))).toEqual([])
        }
      }),
      { numRuns: 4 },
    )
  }
})

/**
 * Half of the people met completely among themselves, so that each of them needs one of the others: no pair of two others
 * may stay. If the others met as well, only pairs across are left.
 */
const halvesThatMet = (half: number, both: boolean) => {
  const sides = ["a", "b"].map((side) => people(half).map((person) => side + person))
  const played = sides.map((side) => {
    let state = startRotation()
    for (let round = 1; round < half; round++) state = nextRound(state, side, pairs(1)).state
    return state.history.rounds
  })
  const rounds = (played[0] ?? []).map(({ n, groups }, at) => ({
    n,
    groups: both ? [...groups, ...(played[1]?.[at]?.groups ?? [])] : groups,
  }))
  return { everyone: sides.flat(), history: restoreHistory(rounds) }
}

test("the guarantee holds to its last round against the worst histories, also where no exact search runs", () => {
  for (const half of [2, 4, 20, 50, 300]) {
    for (const both of [true, false]) {
      const { everyone, history } = halvesThatMet(half, both)
      const round = nextRound(startRotation(history), everyone, pairs(3))
      expect(round.groups.length).toBe(half)
      expect(round.groups.filter((group) => group.repeat)).toEqual([])
      const odd = nextRound(startRotation(history), [...everyone, "late"], pairs(3))
      expect([odd.byes.length, odd.groups.length]).toEqual([1, half])
      expect(odd.groups.filter((group) => group.repeat)).toEqual([])
    }
  }
})

test("the guarantee needs no circle: six hundred who draw new seats in every round meet nobody twice in 300", () => {
  let history = restoreHistory([])
  for (let round = 1; round <= 300; round++) {
    const next = nextRound(startRotation(history), people(600), pairs(round))
    expect(next.groups.filter((group) => group.repeat)).toEqual([])
    history = next.state.history
  }
})

test("groups above two hold everyone, and those who met are mixed", () => {
  fc.assert(
    fc.property(churn, fc.integer({ min: 3, max: 6 }), (churned, groupSize) => {
      play(churned, { groupSize, odd: "bye" }, (round, present, record) => {
        expectEveryoneOnce(round, present)
        expectTrueFlags(round, record)
        expect(round.byes).toEqual(present.length === 1 ? present : [])
        const sizes = round.groups.map((group) => group.people.length)
        if (sizes.length > 0) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      })
    }),
    { numRuns: 40 },
  )
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      let state = startRotation()
      for (let round = 0; round < 4; round++) {
        const next = nextRound(state, people(60), { groupSize: 4, odd: "bye", seed })
        expect(next.groups.filter((group) => group.repeat)).toEqual([])
        state = next.state
      }
    }),
    { numRuns: 12 },
  )
})

test("a new roster meets completely, whatever was before it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 24 }), fc.integer({ min: 2, max: 20 }), fc.integer(), (before, n, seed) => {
      let state = nextRound(startRotation(), people(before), pairs(seed)).state
      const roster = Array.from({ length: n }, (_, number) => `new${number}`)
      for (let round = 0; round < n - 1 + (n % 2); round++) {
        const next = nextRound(state, roster, pairs(seed))
        expect(next.groups.filter(({ repeat }) => repeat)).toEqual([])
        state = next.state
      }
    }),
    { numRuns: 200 },
  )
})
