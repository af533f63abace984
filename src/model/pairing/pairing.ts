/**
 * Pairs among people who are numbers starting at 0, under one rule: `mayPair`.
 * Invariant: `mateOf` is symmetric and pairs only people who may be paired; a person with a mate always keeps a mate.
 */
export class Pairing {
  /** The mate of each person, or -1. */
  readonly mateOf: Array<number>
  /** Symmetric, and false for a person with themselves. */
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

  /** Separates a pair. */
  part(person: number): void {
    this.mateOf[this.mate(person)] = -1
    this.mateOf[person] = -1
  }

  /** All pairs, each once. */
  *pairs(): Iterable<readonly [number, number]> {
    for (const [person, mate] of this.mateOf.entries()) if (person < mate) yield [person, mate]
  }
}
