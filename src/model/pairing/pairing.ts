/**
 * Pairs among people who are numbers from 0, under one rule: `mayPair`.
 * Invariant: `mateOf` is symmetric and pairs only people that may be paired; a person with a mate keeps having one.
 */
export class Pairing {
  /** The mate of each, or -1. */
  readonly mateOf: Array<number>
  /** Symmetric, and false for oneself. */
  readonly mayPair: (a: number, b: number) => boolean

  constructor(size: number, mayPair: (a: number, b: number) => boolean) {
    this.mateOf = new Array<number>(size).fill(-1)
    this.mayPair = mayPair
  }

  get size(): number {
    return this.mateOf.length
  }

  mate(person: number): number {
    return this.mateOf[person] ?? -1
  }

  isFree(person: number): boolean {
    return this.mateOf[person] === -1
  }

  free(): Array<number> {
    return [...this.mateOf.keys()].filter((person) => this.isFree(person))
  }

  pair(a: number, b: number): void {
    this.mateOf[a] = b
    this.mateOf[b] = a
  }

  /** Takes a pair apart. */
  part(person: number): void {
    this.mateOf[this.mate(person)] = -1
    this.mateOf[person] = -1
  }

  /** Every pair once. */
  *pairs(): Iterable<readonly [number, number]> {
    for (const [person, mate] of this.mateOf.entries()) if (person < mate) yield [person, mate]
  }
}
