/**
 * Finds mates for people whom a pairing left free: among themselves, then through one existing pair (a path of length 3), then through two
 * (length 5). Fast and usually complete; the exact search in maximum-matching.ts handles the rest.
 *
 * Why length 3 is enough for the guarantee of rotation-pairing.ts: let everyone of n people, n even, be allowed at least n/2 of the others
 * (then all can be paired, Dirac 1952). Let u and v be free and no two free people be allowed each other. All who are allowed u or v are
 * then in the at most (n-2)/2 pairs, and u and v together are allowed at least n of them. So some pair (x, y) holds more than two of these,
 * that is at least three of the four u-x, u-y, v-x, v-y; and three of them contain u-x and v-y, or u-y and v-x. Exchanging x-y for those
 * two pairs u and v. The search below tries every pair for such an exchange, at any n, and each success leaves two fewer.
 */
import type { Pairing } from "./pairing.ts"

/**
 * Most failed attempts in one round, some milliseconds: a fixed number and not a time, so that a round is reproducible. If the argument
 * above holds, no search of length 3 fails, so the limit cannot break the guarantee.
 */
const MAX_VAIN_LOOKS = 200_000

const pairFree = (pairing: Pairing): void => {
  const free = pairing.free()
  for (const [at, person] of free.entries()) {
    if (!pairing.isFree(person)) continue
    for (let next = at + 1; next < free.length; next++) {
      const other = free[next] ?? person
      if (!pairing.isFree(other) || !pairing.mayPair(person, other)) continue
      pairing.pair(person, other)
      break
    }
  }
}

class PathSearch {
  readonly #pairing: Pairing
  #vainLooks = 0

  constructor(pairing: Pairing) {
    this.#pairing = pairing
  }

  /** Pairs free people two by two, through one existing pair or through two. */
  run(length: 3 | 5): void {
    const free = this.#pairing.free()
    for (const [at, person] of free.entries()) {
      if (this.#vainLooks >= MAX_VAIN_LOOKS) return
      if (this.#pairing.isFree(person)) this.#seat(person, free.slice(at + 1), length)
    }
  }

  /** Pairs a free person together with the first of `others` for whom that is possible. */
  #seat(person: number, others: ReadonlyArray<number>, length: 3 | 5): void {
    const released = this.#released(person)
    for (const other of others) {
      if (this.#vainLooks >= MAX_VAIN_LOOKS) return
      if (!this.#pairing.isFree(other)) continue
      const isSeated =
        length === 3 ? this.#throughOne(person, other, released) : this.#throughTwo(person, other, released)
      if (isSeated) return
    }
    this.#vainLooks += this.#pairing.size
  }

  /** Mates of the people with whom a free person may be paired: a new partner for such a mate frees a partner for that person. */
  #released(person: number): ReadonlyArray<number> {
    const mates: Array<number> = []
    for (const [candidate, mate] of this.#pairing.mateOf.entries()) {
      if (mate !== -1 && this.#pairing.mayPair(person, candidate)) mates.push(mate)
    }
    return mates
  }

  /** Turns person - x = y - other into person = x, y = other. */
  #throughOne(person: number, other: number, released: ReadonlyArray<number>): boolean {
    const pairing = this.#pairing
    const mate = released.find((candidate) => pairing.mayPair(candidate, other))
    if (mate === undefined) {
      this.#vainLooks += released.length
      return false
    }
    pairing.pair(person, pairing.mate(mate))
    pairing.pair(mate, other)
    return true
  }

  /** Like `#throughOne`, through two pairs; the two people released become a pair. */
  #throughTwo(person: number, other: number, released: ReadonlyArray<number>): boolean {
    const pairing = this.#pairing
    const far = this.#released(other)
    this.#vainLooks += pairing.size
    for (const mate of released) {
      if (this.#vainLooks >= MAX_VAIN_LOOKS) return false
      const end = far.find((candidate) => candidate !== pairing.mate(mate) && pairing.mayPair(mate, candidate))
      if (end === undefined) {
        this.#vainLooks += far.length
        continue
      }
      pairing.pair(person, pairing.mate(mate))
      pairing.pair(other, pairing.mate(end))
      pairing.pair(mate, end)
      return true
    }
    return false
  }
}

export const repair = (pairing: Pairing): void => {
  pairFree(pairing)
  const search = new PathSearch(pairing)
  search.run(3)
  search.run(5)
}
