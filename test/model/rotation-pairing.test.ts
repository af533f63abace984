import { describe, expect, test } from "vitest"
import { restoreHistory } from "../../src/model/pairing/meeting-history.ts"
import { nextRound, type RotationState, startRotation } from "../../src/model/rotation/rotation-pairing.ts"

const people = (count: number) => Array.from({ length: count }, (_, number) => `p${number}`)
const bye = { groupSize: 2, odd: "bye", seed: 1 } as const
const trio = { groupSize: 2, odd: "trio", seed: 1 } as const
const groupsOf = (groups: ReadonlyArray<{ readonly people: ReadonlyArray<string> }>) =>
  groups.map((group) => group.people.toSorted().join(" ")).toSorted()

/** State after so many rounds with the same people. */
const played = (
  rounds: number,
  present: ReadonlyArray<string>,
  state: RotationState = startRotation(),
): RotationState => (rounds === 0 ? state : played(rounds - 1, present, nextRound(state, present, bye).state))

describe("a round", () => {
  test("of nobody is empty, and a person alone has the bye under either policy", () => {
    expect(nextRound(startRotation(), [], bye)).toMatchObject({ groups: [], byes: [] })
    for (const options of [bye, trio, { ...bye, groupSize: 4 }]) {
      expect(nextRound(startRotation(), ["p0"], options)).toMatchObject({ groups: [], byes: ["p0"] })
    }
  })

  test("of three is a trio, again and again, marked as a repeat", () => {
    const first = nextRound(startRotation(), people(3), trio)
    expect(groupsOf(first.groups)).toEqual(["p0 p1 p2"])
    expect(first.groups[0]?.repeat).toBe(false)
    expect(nextRound(first.state, people(3), trio).groups[0]?.repeat).toBe(true)
  })

  test("after everybody met brings those together who met longest ago", () => {
    const lap = played(3, people(4))
    let state = lap
    for (let round = 0; round < 3; round++) {
      const next = nextRound(state, people(4), bye)
      expect(groupsOf(next.groups)).toEqual(groupsOf(lap.history.rounds[round]?.groups ?? []))
      expect(next.groups.every((group) => group.repeat)).toBe(true)
      state = next.state
    }
  })

  test("repeats a meeting of long ago rather than the last one, when one must be", () => {
    const met = (n: number, ...groups: ReadonlyArray<string>) => ({
      n,
      groups: groups.map((group) => ({ people: group.split("") })),
    })
    // Whatever happens now, a pair repeats: a has met everyone, d last. c and d have not met; nor have b and c.
    const history = restoreHistory([met(1, "ab"), met(2, "ac", "bd"), met(3, "ad")])
    const { groups } = nextRound(startRotation(history), ["a", "b", "c", "d"], bye)
    expect(groupsOf(groups)).toEqual(["a b", "c d"])
  })
})

describe("seats", () => {
  test("of those who left go to those who come, who meet whom the other would have met", () => {
    const others = people(10).filter((person) => person !== "p3")
    const away = nextRound(played(2, people(10)), others, bye)
    expect(away.state.seats).toContain("p3")
    const joined = nextRound(away.state, [...others, "new"], bye)
    expect(joined.state.seats).toEqual(away.state.seats.map((person) => (person === "p3" ? "new" : person)))
    expect(nextRound(away.state, people(10), bye).state.seats).toEqual(away.state.seats)
  })

  test("are kept while somebody sits out a round", () => {
    const state = played(1, people(6))
    const paused = nextRound(state, people(6).slice(1), bye)
    expect(paused.state.seats).toEqual(state.seats)
    expect(paused.byes.length).toBe(1)
  })

  test("are drawn anew when more people wait than sit", () => {
    const state = played(1, people(4))
    expect(nextRound(state, people(8), bye).state.seats).toEqual(state.seats)
    expect(nextRound(state, people(9), bye).state.seats.length).toBe(10)
  })
})

test("meetings of an earlier rotation count in the next one", () => {
  const records = played(3, people(8)).history.rounds
  let state = startRotation(restoreHistory(records.map(({ n, groups }) => ({ n, groups }))))
  const met = new Set(groupsOf(records.flatMap(({ groups }) => groups)))
  const { groups } = nextRound(state, people(8), { ...bye, seed: 9 })
  expect(groups.filter((group) => group.repeat || met.has(group.people.toSorted().join(" ")))).toEqual([])
  state = startRotation()
  expect(state.history.rounds).toEqual([])
})

test("the number of a round goes on with the history", () => {
  expect(played(3, people(4)).history.rounds.map(({ n }) => n)).toEqual([1, 2, 3])
})

test("byes and trios are counted apart", () => {
  const first = nextRound(startRotation(), people(5), bye)
  const second = nextRound(first.state, people(5), trio)
  expect(second.state.byes).toEqual({ [first.byes[0] ?? ""]: 1 })
  expect(Object.keys(second.state.trios).length).toBe(3)
})
