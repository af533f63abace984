/**
 * Seats of a rotation. They rotate by the circle method, in which every two seats form a pair once in as many turns as there are other
 * seats. People keep their seat: a person who leaves leaves an empty seat (null), and a newcomer takes an empty one or waits.
 * Invariants: the number of seats is even; nobody has two.
 */
import { type Random, shuffled } from "../pairing/seeded-random.ts"

export type Seats = ReadonlyArray<string | null>

export const unseat = (seats: Seats, people: ReadonlySet<string>): Seats =>
  seats.map((seated) => (seated !== null && people.has(seated) ? null : seated))

/** The pairs of seats in a turn: the last seat stays and the others rotate around it. */
export function* circlePairs(seats: number, turn: number): Iterable<readonly [number, number]> {
  const others = seats - 1
  if (others < 1) return
  const first = turn % others
  yield [others, first]
  for (let step = 1; step < seats / 2; step++) yield [(first + step) % others, (first + others - step) % others]
}

/**
 * Seats the people of `present` who have no seat. If more wait than sit, most seats are empty, or none of the seated people is left, the
 * circle would hardly decide who meets: then everybody draws a new seat (`isNew`).
 */
export const seatPeople = (
  seats: Seats,
  present: ReadonlyArray<string>,
  random: Random,
): { readonly seats: Seats; readonly isNew: boolean } => {
  const seated = seats.filter((person) => person !== null)
  const known = new Set(seated)
  const coming = present.filter((person) => !known.has(person))
  const ghosts = seats.length - seated.length
  const here = present.length - coming.length
  const empty = seats.length - here
  const sitting = here + Math.min(coming.length, ghosts)
  if (here === 0 || Math.abs(coming.length - empty) > sitting) {
    const drawn: Array<string | null> = shuffled(present, random)
    return { seats: drawn.length % 2 === 0 ? drawn : [...drawn, null], isNew: true }
  }
  if (coming.length === 0) return { seats, isNew: false }
  const next = coming.values()
  return { seats: seats.map((person) => person ?? next.next().value ?? null), isNew: false }
}
