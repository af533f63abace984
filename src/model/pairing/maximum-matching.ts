/**
 * Extends a pairing to maximum size (Edmonds' blossom algorithm): while there is a path from one free person to another along which pairs
 * and possible pairs alternate, the path is flipped. Cycles of odd length (blossoms) are treated as one person while a path is searched.
 * Exact; each path costs about the number of possible pairs.
 */
import type { Pairing } from "./pairing.ts"

class PathSearch {
  readonly #pairing: Pairing
  readonly #neighbours: ReadonlyArray<ReadonlyArray<number>>
  /** The person from whom a person at odd distance from the root was reached, or -1. */
  readonly #parent: Array<number>
  /** Base of the blossom that contains the person; else the person. */
  readonly #base: Array<number>
  readonly #isEven: Array<boolean>
  readonly #queue: Array<number>

  constructor(pairing: Pairing, neighbours: ReadonlyArray<ReadonlyArray<number>>, root: number) {
    this.#pairing = pairing
    this.#neighbours = neighbours
    this.#parent = new Array<number>(pairing.size).fill(-1)
    this.#base = [...pairing.mateOf.keys()]
    this.#isEven = new Array<boolean>(pairing.size).fill(false)
    this.#isEven[root] = true
    this.#queue = [root]
  }

  /** Pairs the root if possible. */
  run(): boolean {
    for (let at = 0; at < this.#queue.length; at++) {
      const from = this.#queue[at] ?? 0
      for (const to of this.#neighbours[from] ?? []) {
        if (this.#visit(from, to)) return true
      }
    }
    return false
  }

  #parentOf(person: number): number {
    return this.#parent[person] ?? -1
  }

  #baseOf(person: number): number {
    return this.#base[person] ?? person
  }

  /** True when `to` ended a path, which is then flipped. */
  #visit(from: number, to: number): boolean {
    const pairing = this.#pairing
    if (this.#baseOf(from) === this.#baseOf(to) || pairing.mate(from) === to) return false
    if (this.#isEven[to]) {
      this.#contract(from, to)
      return false
    }
    if (this.#parentOf(to) !== -1) return false
    this.#parent[to] = from
    if (pairing.isFree(to)) {
      this.#flip(to)
      return true
    }
    this.#isEven[pairing.mate(to)] = true
    this.#queue.push(pairing.mate(to))
    return false
  }

  /** Pairs everyone along the path that ends here with the person from whom they were reached. */
  #flip(end: number): void {
    for (let person = end; person !== -1; ) {
      const reachedFrom = this.#parentOf(person)
      const next = this.#pairing.mate(reachedFrom)
      this.#pairing.pair(person, reachedFrom)
      person = next
    }
  }

  /** Two people at even distance may be paired: the cycle that this closes becomes a blossom, all of it at even distance. */
  #contract(a: number, b: number): void {
    const stem = this.#commonBase(a, b)
    const inside = new Set<number>()
    this.#markPath(a, stem, b, inside)
    this.#markPath(b, stem, a, inside)
    for (const person of this.#base.keys()) {
      if (!inside.has(this.#baseOf(person))) continue
      this.#base[person] = stem
      if (this.#isEven[person]) continue
      this.#isEven[person] = true
      this.#queue.push(person)
    }
  }

  /** The last base that the paths from the root to both have in common. */
  #commonBase(a: number, b: number): number {
    const passed = new Set<number>()
    for (let base = this.#baseOf(a); ; base = this.#baseOf(this.#parentOf(this.#pairing.mate(base)))) {
      passed.add(base)
      if (this.#pairing.isFree(base)) break
    }
    let base = this.#baseOf(b)
    while (!passed.has(base)) base = this.#baseOf(this.#parentOf(this.#pairing.mate(base)))
    return base
  }

  /** Gives the people on one side of the cycle a path out over its other side. */
  #markPath(from: number, stem: number, other: number, inside: Set<number>): void {
    let child = other
    for (let person = from; this.#baseOf(person) !== stem; ) {
      const mate = this.#pairing.mate(person)
      inside.add(this.#baseOf(person))
      inside.add(this.#baseOf(mate))
      this.#parent[person] = child
      child = mate
      person = this.#parentOf(mate)
    }
  }
}

export const completePairing = (pairing: Pairing): void => {
  const everyone = [...pairing.mateOf.keys()]
  const neighbours = everyone.map((person) => everyone.filter((other) => pairing.mayPair(person, other)))
  for (const person of pairing.free()) {
    if (pairing.isFree(person)) new PathSearch(pairing, neighbours, person).run()
  }
}
