/**
 * Reproducible random numbers: the same seed gives the same numbers on every machine, so that a shown plan is the plan that is used later
 * (Mulberry32). Not for secrets.
 */

/** Generator of numbers in [0, 1). */
export type Random = () => number

export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A shuffled copy, every order being equally likely. */
export const shuffled = <Item>(items: Iterable<Item>, random: Random): Array<Item> => {
  const left = [...items]
  const order: Array<Item> = []
  while (left.length > 0) {
    const at = Math.floor(random() * left.length)
    const last = left.pop() as Item
    order.push(at < left.length ? (left[at] as Item) : last)
    if (at < left.length) left[at] = last
  }
  return order
}
